#include "compiler/lowering/modulo_schedule.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace accord;

namespace {

constexpr unsigned modulo_seed = 1994;

LoopProblem random_problem(std::mt19937& engine) {
  const auto from = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); };
  LoopProblem problem;
  problem.units = from(1, 4);
  problem.issue_width = from(1, 4);
  const auto count = static_cast<std::uint32_t>(from(1, 24));
  for (std::uint32_t i = 0; i < count; ++i) problem.ops.push_back({from(0, problem.units - 1), from(1, 4)});
  for (int e = from(0, 40); e > 0; --e) {
    const auto a = static_cast<std::uint32_t>(from(0, static_cast<int>(count) - 1));
    const auto b = static_cast<std::uint32_t>(from(0, static_cast<int>(count) - 1));
    problem.edges.push_back({a, b, from(0, 12), a < b ? from(0, 1) : 1});
  }
  return problem;
}

/// Turn by turn on an endless time line: what each unit does in each cycle, and when each operation begins.
void check_turns(const LoopProblem& problem, const ModuloSchedule& schedule) {
  constexpr std::int64_t turns = 12;
  std::map<std::pair<int, std::int64_t>, int> busy;
  std::map<std::int64_t, int> issued;
  const auto begin = [&](std::uint32_t op, std::int64_t turn) { return schedule.start[op] + turn * schedule.interval; };
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (std::uint32_t op = 0; op < problem.ops.size(); ++op) {
      REQUIRE(schedule.start[op] >= 0);
      ++issued[begin(op, turn)];
      for (int c = 0; c < problem.ops[op].busy; ++c) ++busy[{problem.ops[op].unit, begin(op, turn) + c}];
    }
    for (const auto& edge : problem.edges) {
      REQUIRE(begin(edge.to, turn + edge.distance) >= begin(edge.from, turn) + edge.delay);
    }
  }
  for (const auto& [cycle, count] : issued) REQUIRE(count <= problem.issue_width);
  for (const auto& [slot, count] : busy) REQUIRE(count == 1);
}

}  // namespace

TEST_CASE("do overlapped turns keep every dependence, unit and issue slot") {
  std::mt19937 engine(modulo_seed);
  INFO("modulo_seed ", modulo_seed);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const LoopProblem problem = random_problem(engine);
    const auto schedule = modulo_schedule(problem);
    if (!schedule) continue;
    ++found;
    CHECK(schedule->interval >= least_interval(problem));
    check_turns(problem, *schedule);
  }
  CHECK(found > 500);
}

/// Loads of `steps` vectors, each read by `uses` operations in a row; a register is free three cycles after its last
/// reader began, a loaded value is there five cycles after its load did.
TEST_CASE("does a register tile with two steps run without a gap, and one with a single step not") {
  const auto problem = [](int steps, int uses) {
    LoopProblem p;
    p.units = 2;
    p.issue_width = 4;
    for (int s = 0; s < steps; ++s) {
      const auto load = static_cast<std::uint32_t>(p.ops.size());
      p.ops.push_back({1, 1});
      for (int u = 0; u < uses; ++u) {
        const auto op = static_cast<std::uint32_t>(p.ops.size());
        p.edges.push_back({load, op, 5, 0});
        p.edges.push_back({op, load, 3, 1});
        p.ops.push_back({0, 1});
      }
    }
    return p;
  };
  CHECK(modulo_schedule(problem(2, 8))->interval == 16);
  CHECK(modulo_schedule(problem(4, 8))->interval == 32);
  // load, eight operations in a row, the last one's three cycles, and again
  const auto single = modulo_schedule(problem(1, 8));
  CHECK((!single || single->interval == 5 + 7 + 3));
}

TEST_CASE("is a loop whose sum waits for itself as slow as that") {
  LoopProblem p;
  p.units = 1;
  p.issue_width = 1;
  p.ops = {{0, 1}};
  p.edges = {{0, 0, 4, 1}};
  REQUIRE(modulo_schedule(p));
  CHECK(modulo_schedule(p)->interval == 4);
}

// How long do transfers of several units take that share their ways?
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "archdsl/graph/rates.h"
#include "compiler/lowering/instructions.h"
#include "compiler/lowering/schedule.h"
#include "tests/shipped.h"

using namespace accord;

namespace {

/// Loads of `rows` requests of 64 bytes by each core, `each` of them, into buffers of their own.
OpList loads(const Machine& machine, int cores, int each, std::int64_t rows) {
  const Architecture& architecture = machine.architecture;
  OpList list;
  list.divided = cores > 1;
  for (int turn = 0; turn < each; ++turn) {
    for (int core = 0; core < cores; ++core) {
      const std::string memory = "core[" + std::to_string(core) + "].spad";
      for (std::size_t u = 0; u < architecture.units.size(); ++u) {
        const auto& routes = architecture.units[u].routes;
        for (std::size_t r = 0; r < routes.size(); ++r) {
          if (architecture.memories[routes[r].target].name != memory) continue;
          TransferPiece piece;
          piece.extent = {16, 4, rows};
          piece.source_stride = {0, 16, 64};
          piece.target_stride = {0, 256, 16};
          piece.contiguous = 64;
          piece.bytes = piece.source_bytes = 64 * rows;
          const TransferEnd target{0, static_cast<int>(list.buffers.size())};
          append_transfer(machine, list, {static_cast<int>(u), static_cast<int>(r)}, piece, {}, target);
          list.buffers.push_back({routes[r].target, 0, 64 * rows});
        }
      }
    }
  }
  return list;
}

std::int64_t cycles_of(const std::string& channels, int cores) {
  const Architecture architecture = shipped("gemmini16x4", {{"channels", channels}});
  const Machine machine(architecture);
  return schedule(loads(machine, cores, 32, 16), architecture).cycles;
}

}  // namespace

TEST_CASE("do four cores share one channel, and not four") {
  // 32 loads of 1024 bytes each, 16 bytes a cycle.
  const double alone = 32 * 64;
  for (const char* const channels : {"1", "4"}) {
    CAPTURE(std::string(channels));
    CHECK(static_cast<double>(cycles_of(channels, 1)) == doctest::Approx(alone).epsilon(0.05));
    const double together = channels == std::string("1") ? 4 * alone : alone;
    CHECK(static_cast<double>(cycles_of(channels, 4)) == doctest::Approx(together).epsilon(0.05));
  }
}

TEST_CASE("does the shared way serve all in turn, none to its end before the others") {
  const Architecture architecture = shipped("gemmini16x4", {{"channels", "1"}});
  const Machine machine(architecture);
  const OpList list = loads(machine, 4, 8, 16);
  const Schedule result = schedule(list, architecture);
  for (std::size_t turn = 0; turn < 8; ++turn) {
    std::int64_t first = result.done[4 * turn], last = first;
    for (std::size_t core = 1; core < 4; ++core) {
      first = std::min(first, result.done[4 * turn + core]);
      last = std::max(last, result.done[4 * turn + core]);
    }
    CHECK(last - first <= 64);  // what one transfer takes alone
  }
}

TEST_CASE("does nothing begin before the controller has issued it") {
  Architecture architecture = shipped("gemmini16x4");
  architecture.controller.issue_width = 1;
  architecture.controller.issue_interval = 200;
  const Machine machine(architecture);
  const OpList list = loads(machine, 4, 8, 16);
  const Schedule result = schedule(list, architecture);
  for (std::size_t i = 0; i < result.order.size(); ++i) {
    const LowOp& op = list.ops[result.order[i]];
    CHECK(result.done[result.order[i]] - op.latency >= static_cast<std::int64_t>(i) * 200);
  }
}

TEST_CASE("does what a mover repeats take a cycle of its clock each") {
  const Architecture architecture = shipped("timeloop");
  const Machine machine(architecture);
  const auto load = std::ranges::find(architecture.units, "load", &Unit::name);
  TransferPiece row;
  row.extent = {64, 100, 1, 1};
  row.source_stride = {0, 0, 0, 0};
  row.target_stride = {0, 64, 0, 0};
  row.bytes = 6400;
  row.source_bytes = row.contiguous = 64;
  OpList list;
  append_transfer(machine, list, {static_cast<int>(load - architecture.units.begin()), 0}, row, {}, {});
  CHECK(list.ops[0].busy == load->period.cycles(100));
}

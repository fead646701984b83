#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "machines.h"
#include "simulator/simulate.h"

using namespace accord;
using namespace accord::test;

namespace {

/// rows x [32 x 4 i8 . 32 x 4 i8 -> 32 i32], a at 0, b at 64 KiB, c at 128 KiB of l2; two instructions of address
/// registers.
struct Dots {
  Dots(const Architecture& machine, int row_count) : rows(row_count), assembler(machine) {
    std::mt19937 random(7);
    for (int i = 0; i < 128 * rows; ++i) {
      a.push_back(static_cast<std::int8_t>(random()));
      b.push_back(static_cast<std::int8_t>(random()));
    }
    assembler.image("l2", 0, a);
    assembler.image("l2", 1 << 16, b);
    assembler.image("l2", 1 << 18, std::vector<std::int8_t>(128, 0));
    assembler.program.symbols.push_back(
        {"c", "l2", 1 << 17, ElementType::i32, {rows, 32}, {128, 4}, Symbol::Role::output});
    assembler.emit("loop", {{"count", rows}, {"length", 6}});
    assembler.emit("load", {{"src.base", 0}, {"dst.base", 0}, {"n0", 128}});
    assembler.emit("load", {{"src.base", 1 << 16}, {"dst.base", 128}, {"n0", 128}});
    assembler.emit("add", {{"i", 32}, {"z.base", 256}, {"x.base", 384}, {"y.base", 384}});
    assembler.emit("dot", {{"i", 32}, {"k", 4}, {"c.base", 256}, {"a.base", 0}, {"b.base", 128}});
    assembler.emit("store", {{"src.base", 256}, {"dst.base", 1 << 17}, {"n0", 128}});
    assembler.emit("bump", {{"r0", 128}, {"r1", 128}});
    assembler.image("vregs", 384, std::vector<std::int8_t>(128, 0));
  }
  bool matches(const Value& value) const {
    std::vector<std::int32_t> c;
    for (std::size_t i = 0; i < a.size(); i += 4) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += a[i + k] * b[i + k];
      c.push_back(sum);
    }
    return value.data.size() == c.size() * 4 && std::memcmp(value.data.data(), c.data(), value.data.size()) == 0;
  }
  int rows;
  Assembler assembler;
  std::vector<std::int8_t> a, b;
};

}  // namespace

TEST_CASE("do loops, address registers and vectors give the right values") {
  const Architecture machine = vector_machine();
  const Dots dots(machine, 100);
  const SimulateResult result = simulate(machine, dots.assembler.program, {});
  CHECK(result.hazards.empty());
  CHECK(result.broken_invariants == std::vector<std::string>{});
  CHECK(dots.matches(result.outputs.at("c")));
  CHECK(result.instructions == 1 + 6 * 100);
  SimulateOptions options;
  options.fidelity = Fidelity::function;
  CHECK(dots.matches(simulate(machine, dots.assembler.program, {}, options).outputs.at("c")));
}

TEST_CASE("does in order stall for exactly the time a result takes") {
  const Architecture machine = vector_machine();
  const auto cycles = [&](bool dependent) {
    Assembler assembler(machine);
    assembler.image("vregs", 0, std::vector<std::int8_t>(512, 1));
    assembler.emit("add", {{"i", 32}, {"z.base", 0}, {"x.base", 128}, {"y.base", 256}});
    assembler.emit("add", {{"i", 32}, {"z.base", 128}, {"x.base", dependent ? 0 : 384}, {"y.base", 256}});
    return simulate(machine, assembler.program, {}).total_cycles;
  };
  CHECK(cycles(false) == 1 + 1 + 3);       // issued at 0 and 1, one cycle each, three to drain
  CHECK(cycles(true) == (1 + 3) + 1 + 3);  // the second starts when the first is done
}

TEST_CASE("does the issue width bound instructions per cycle") {
  for (const int width : {1, 2, 4}) {
    Architecture machine = vector_machine();
    machine.controller.issue_width = width;
    Assembler assembler(machine);
    for (int i = 0; i < 64; ++i) assembler.emit("bump", {{"r0", 1}});
    CHECK(simulate(machine, assembler.program, {}).total_cycles == 64 / width);
  }
}

TEST_CASE("does a controller issue a group per interval") {
  for (const int interval : {1, 3, 16}) {
    Architecture machine = vector_machine();
    machine.controller.issue_width = 2;
    machine.controller.issue_interval = interval;
    Assembler assembler(machine);
    for (int i = 0; i < 7; ++i) assembler.emit("bump", {{"r0", 1}});
    CHECK(simulate(machine, assembler.program, {}).total_cycles == 3 * interval + 1);  // none waits for the last one's
  }
}

TEST_CASE("does a fence keep no interval of the commands") {
  const auto cycles = [](int interval) {
    Architecture machine = vector_machine();
    machine.controller.issue_interval = interval;
    Assembler assembler(machine);
    assembler.image("vregs", 0, std::vector<std::int8_t>(512, 1));
    for (int i = 0; i < 3; ++i) {
      assembler.emit("add", {{"i", 32}, {"z.base", 0}, {"x.base", 256}, {"y.base", 256}});
      assembler.emit("fence");
    }
    return simulate(machine, assembler.program, {}).total_cycles;
  };
  CHECK(cycles(16) == cycles(1));
  CHECK(cycles(200) == cycles(1));
}

TEST_CASE("does every operation reach its unit the controller's latency after its issue") {
  const auto cycles = [](std::int64_t latency, int additions) {
    Architecture machine = vector_machine();
    machine.controller.latency = latency;
    Assembler assembler(machine);
    assembler.image("vregs", 0, std::vector<std::int8_t>(512, 1));
    for (int i = 0; i < additions; ++i)
      assembler.emit("add", {{"i", 32}, {"z.base", 128 * (i % 2)}, {"x.base", 256}, {"y.base", 256}});
    return simulate(machine, assembler.program, {}).total_cycles;
  };
  CHECK(cycles(5, 1) == cycles(0, 1) + 5);
  CHECK(cycles(5, 2) == cycles(0, 2) + 5);  // a pipeline: the second is five cycles late, too
}

TEST_CASE("is a loop of count 0 or length 0 skipped") {
  const Architecture machine = vector_machine();
  Assembler assembler(machine);
  assembler.emit("loop", {{"count", 0}, {"length", 2}});
  assembler.emit("bump");
  assembler.emit("bump");
  assembler.emit("loop", {{"count", 5}, {"length", 0}});
  assembler.emit("loop", {{"count", 3}, {"length", 2}});
  assembler.emit("loop", {{"count", 4}, {"length", 1}});
  assembler.emit("bump");
  CHECK(simulate(machine, assembler.program, {}).instructions == 1 + 1 + 1 + 3 * (1 + 4));
}

// Does what a unit does have its effect in the unit's order, at each fidelity alike, whatever its latencies?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "archdsl/isa/program.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/file_text.h"

using namespace accord;

namespace {

constexpr std::initializer_list<Fidelity> timed_fidelities = {Fidelity::transaction, Fidelity::cycle};

std::string ordered_covenant(const std::string& sync = "{interlock: {entries: 8}}") {
  return test::replaced(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/order_within_units.yaml"),
                        "sync: {interlock: {entries: 8}}", "sync: " + sync);
}

SimulateResult run_small(const Architecture& machine, const std::string& text, Fidelity fidelity) {
  SimulateOptions options;
  options.fidelity = fidelity;
  return simulate(machine, assemble(machine, text, "small.s"), {}, options);
}

template <class T>
std::vector<T> output(const SimulateResult& result, const std::string& name) {
  const Value& value = result.outputs.at(name);
  std::vector<T> numbers(value.data.size() / sizeof(T));
  std::memcpy(numbers.data(), value.data.data(), value.data.size());
  return numbers;
}

}  // namespace

TEST_CASE("does an operation behind one that starts later end after its values are there") {
  const Architecture machine = test::loaded(ordered_covenant());
  const std::string text = R"(
.symbol y dram 1024 i8 [4] output
.image buf 0 zeros 64
.image buf 64 i8 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
  relu n=16, x=0, y=128
  relu n=32, x=64, y=256
  store src=256, dst=1024, n=32
  fence
)";
  const auto first = run_small(machine, text, Fidelity::transaction);
  for (const Fidelity fidelity : {Fidelity::function, Fidelity::transaction, Fidelity::cycle}) {
    const auto result = run_small(machine, text, fidelity);
    CHECK(output<std::int8_t>(result, "y") == std::vector<std::int8_t>{1, 2, 3, 4});
    CHECK(result.hazards.empty());
    if (fidelity != Fidelity::function) CHECK(result.total_cycles == first.total_cycles);
  }
}

TEST_CASE("do a mover's capabilities and loads write in its order") {
  const std::string text = R"(
.symbol y buf 256 i8 [4] output
.symbol z buf 512 i8 [4] output
.image buf 0 i8 1 1 1 1
.image buf 16 i8 2 2 2 2
.image dram 0 i8 3 3 3 3
  slow x=0, y=256, n=4
  fast x=16, y=256, n=4
  load src=0, dst=512, n=4
  fast x=16, y=512, n=4
)";
  for (const char* const sync : {"{interlock: {entries: 8}}", "in_order"}) {
    const Architecture machine = test::loaded(ordered_covenant(sync));
    for (const Fidelity fidelity : {Fidelity::function, Fidelity::transaction, Fidelity::cycle}) {
      const auto result = run_small(machine, text, fidelity);
      CHECK(output<std::int8_t>(result, "y") == std::vector<std::int8_t>{2, 2, 2, 2});
      CHECK(output<std::int8_t>(result, "z") == std::vector<std::int8_t>{2, 2, 2, 2});
    }
  }
}

TEST_CASE("is a held operand right that one iterator counts in two indices") {
  const Architecture machine = test::loaded(ordered_covenant());
  std::string text = R"(
.symbol z buf 0xc000 i32 [8] [260] output
.image buf 0 zeros 65536
.image buf 0x8000 i32 1 2 3 4 5 6 7 8
  diagonal n=4, x=0x8000, c=0, load=1
  diagonal n=4, x=0x8000, c=0xc000, load=0
  fence
)";
  const auto result = run_small(machine, text, Fidelity::transaction);
  CHECK(output<std::int32_t>(result, "z") == std::vector<std::int32_t>{2, 4, 6, 8, 0, 0, 0, 0});
}

TEST_CASE("is a transfer that writes what it reads reported, and one that does not left alone") {
  const Architecture machine = test::loaded(ordered_covenant());
  const std::string image = ".image buf 0 zeros 4096\n";
  const auto races = [&](const std::string& copy, Fidelity fidelity) {
    const auto result = run_small(machine, image + copy, fidelity);
    return std::ranges::count(result.hazards, std::string("race"), &Hazard::kind);
  };
  for (const Fidelity fidelity : {Fidelity::function, Fidelity::transaction, Fidelity::cycle}) {
    CHECK(races("copy src=0, dst=16, n=256\n", fidelity) == 1);
    CHECK(races("copy src=16, dst=0, n=256\n", fidelity) == 1);
    CHECK(races("copy src=0, dst=256, n=256\n", fidelity) == 0);
    CHECK(races("copy src=0, dst=0, n=256\n", fidelity) == 0);
  }
}

TEST_CASE("is it told where host work reads, or leaves for others to read, what nothing has written") {
  const Architecture machine = test::loaded(ordered_covenant());
  const auto unread = [&](const std::string& text) {
    const auto result = run_small(machine, ".layer {\"name\": \"h\"}\n" + text, Fidelity::transaction);
    return std::ranges::count(result.hazards, std::string("uninitialised_read"), &Hazard::kind);
  };
  const std::string x = ".symbol x dram 0 i32 [4] intermediate\n", y = ".symbol y dram 64 i32 [4] intermediate\n";
  const std::string stage = ".stage {\"layer\": 0, \"host\": true, ",
                    of_y = "{\"name\": \"y\", \"type\": \"i32\", \"symbol\": \"y\"}";
  const auto y_is_7 = [&](int count) {
    return y + stage + "\"statements\": [\"y[i] = 7\"], \"operands\": [" + of_y + "], \"iterators\": [[\"i\", " +
           std::to_string(count) + "]]}\n.run\nload src=64, n=16, dst=0\n";
  };
  CHECK(unread(y_is_7(4)) == 0);
  CHECK(unread(y_is_7(1)) == 1);
  const std::string y_is_x = x + y + stage + "\"statements\": [\"y[i] = x[i]\"], \"operands\": [" +
                             "{\"name\": \"x\", \"type\": \"i32\", \"symbol\": \"x\"}, " + of_y +
                             "], \"iterators\": [[\"i\", 4]]}\n";
  CHECK(unread(y_is_x) == 1);
  CHECK(unread(".image dram 0 i32 1 2 3 4\n" + y_is_x) == 0);
}

TEST_CASE("do layers that overlap end in time's order, and layers in a loop with its last turn") {
  const std::string text = R"(
.layer {"name": "A"}
.layer {"name": "B"}
.image buf 0 zeros 4096
.image dram 0 zeros 4096
.at 0 "load"
  load src=0, dst=1024, n=200
.at 1 "relu"
  relu n=16, x=0, y=64
)";
  const Architecture machine = test::loaded(ordered_covenant());
  for (const Fidelity fidelity : timed_fidelities) {
    const auto result = run_small(machine, text, fidelity);
    CHECK(result.broken_invariants.empty());
    CHECK(result.layers[0].cycles > 10);
    CHECK(result.layers[0].cycles < 20);
    CHECK(result.layers[1].cycles == 505 - result.layers[0].cycles);  // issued in the second cycle
    CHECK(result.layers[1].overlap > 10);
  }
  const Architecture looping = test::loaded(
      test::replaced(test::replaced(ordered_covenant(), "{kind: controller}", "{kind: controller, loop_depth: 2}"),
                     "    fence:", "    loop: {means: loop, opcode: 9, fields: {count: 16, length: 8}}\n    fence:"));
  const std::string nested = R"(
.layer {"name": "A"}
.layer {"name": "B"}
.image buf 0 zeros 4096
  loop count=1, length=end
.at 0 "x"
  relu n=32, x=0, y=64
.at 1 "y"
  loop count=300, length=end2
  relu n=32, x=0, y=64
  fast x=64, y=128, n=4
end2:
end:
)";
  for (const Fidelity fidelity : timed_fidelities) {
    const auto result = run_small(looping, nested, fidelity);
    CHECK(result.broken_invariants.empty());
    CHECK(result.layers[0].cycles < 20);
    CHECK(result.layers[1].cycles > 1000);
  }
}

TEST_CASE("does a wait end with the signal that comes first, whichever is known first") {
  const std::string text = R"(
.image buf 0 zeros 256
  wait_third semaphore=0
  third x=64, y=80
  wait_third semaphore=0
  third x=96, y=112
  slow x=0, y=16
  signal_slow semaphore=0
  fast x=32, y=48
  signal_fast semaphore=0
  fence
)";
  const Architecture machine =
      test::loaded(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/tokens_ahead.yaml"));
  for (const Fidelity fidelity : timed_fidelities) {
    const auto result = run_small(machine, text, fidelity);
    CHECK(result.total_cycles == 1010);  // slow issued at 4, done at 1004; third and the fence
    CHECK(std::ranges::count(result.hazards, std::string("semaphore_overflow"), &Hazard::kind) == 0);
  }
}

TEST_CASE("does a compute unit wait for ports, by name, at each timed fidelity") {
  const Architecture machine = test::loaded(ordered_covenant());
  const std::string text =
      ".image buf 0 zeros 65536\n  relu n=1024, x=0, y=4096\n  relu n=1024, x=8192, y=16384\n  fence\n";
  for (const Fidelity fidelity : timed_fidelities) {
    const auto stalls = run_small(machine, text, fidelity).stalls.at("alu");
    const auto port =
        std::ranges::find(stalls, std::string("waiting: port"), [](const auto& leaf) { return leaf.first; });
    REQUIRE(port != stalls.end());
    CHECK(port->second > 100);  // 64 words of 16 B each time, where the interval is 4
  }
}

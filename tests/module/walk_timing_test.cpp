// When do padded and gathered transfers end? Every figure is derived from docs/simulator.md in the comment beside it.
#include <doctest/doctest.h>

#include <algorithm>

#include "simulator/simulate.h"
#include "walking_machine.h"

using namespace accord;
using namespace accord::test;

namespace {

using Fields = std::vector<std::pair<std::string, std::int64_t>>;

/// All memories written; the list counts 0, 1, 2.. as entries of `entry` bytes.
SimulateResult run(const Architecture& machine, const std::vector<std::pair<std::string, Fields>>& transfers,
                   std::size_t entry = 4) {
  Assembler assembler(machine);
  assembler.image("dram", 0, std::vector<std::int8_t>(dram_bytes, 1));
  assembler.image("spad", 0, std::vector<std::int8_t>(spad_bytes, 2));
  std::vector<std::int8_t> list(list_bytes, 0);
  for (std::size_t i = 0; (i + 1) * entry <= list.size() && i < 127; ++i) list[i * entry] = static_cast<std::int8_t>(i);
  assembler.image("lists", 0, list);
  for (auto [mnemonic, fields] : transfers) {
    if (mnemonic.starts_with("gather")) fields.emplace_back("rows", 64);
    assembler.emit(mnemonic, fields);
  }
  const SimulateResult result = simulate(machine, assembler.program, {});
  SimulateOptions cycle;
  cycle.fidelity = Fidelity::cycle;
  CHECK(simulate(machine, assembler.program, {}, cycle).total_cycles == result.total_cycles);
  for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
  return result;
}

std::int64_t cycles(const Architecture& machine, const std::string& mnemonic, Fields fields, std::size_t entry = 4) {
  for (const char* const name : {"n0", "n1", "n2", "n3"}) {
    if (std::ranges::find(fields, name, &Fields::value_type::first) == fields.end()) fields.emplace_back(name, 1);
  }
  return run(machine, {{mnemonic, fields}}, entry).total_cycles;
}

Fields rows(std::int64_t bytes, std::int64_t count) {
  return {{"n0", bytes}, {"n1", count}, {"src.stride1", bytes}, {"dst.stride1", bytes}};
}

Fields with(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

}  // namespace

TEST_CASE("does a route with padding take no longer where nothing is filled") {
  for (const Sync::Kind sync : sync_kinds) {
    // Set-up 20, latency 32, 256 bytes at 16 per cycle.
    CHECK(cycles(walking_machine(sync), "pad_in", rows(16, 16)) == 20 + 32 + 16);
  }
}

TEST_CASE("is filling done while the first bytes are on their way") {
  for (const Sync::Kind sync : sync_kinds) {
    // 16 filled bytes before, 16 after: two words, through the port from 20 to 22. 32 bytes are read: 52 to 54.
    CHECK(cycles(walking_machine(sync), "pad_in", {{"n0", 64}, {"lo0", 16}, {"hi0", 16}}) == 20 + 32 + 2);
  }
}

TEST_CASE("do read bytes wait for a port that filling holds") {
  for (const Sync::Kind sync : sync_kinds) {
    // 40 rows of a word are filled, from 20 to 60; two are read: on the link from 52 to 54, into the port from 60
    // to 62.
    CHECK(cycles(walking_machine(sync), "pad_in", with(rows(16, 42), {{"lo1", 40}})) == 20 + 40 + 2);
  }
}

TEST_CASE("is a transfer that reads nothing done when all is filled") {
  for (const Sync::Kind sync : sync_kinds) {
    // 16 words, no latency. src.base is not looked at.
    CHECK(cycles(walking_machine(sync), "pad_in", with(rows(16, 16), {{"lo1", 9}, {"hi1", 7}, {"src.base", -1}})) ==
          20 + 16);
    // Rows of 8 bytes, two to a word, together 8 words; apart, 16 words.
    CHECK(cycles(walking_machine(sync), "pad_in", with(rows(8, 16), {{"lo1", 16}})) == 20 + 8);
    CHECK(cycles(walking_machine(sync), "pad_in", {{"n0", 8}, {"n1", 16}, {"lo1", 16}, {"dst.stride1", 16}}) ==
          20 + 16);
  }
}

TEST_CASE("is the next transfer filled after what came before has arrived") {
  for (const Sync::Kind sync : sync_kinds) {
    // The first ends at 20 + 32 + 16 = 68. The second, elsewhere, is set up meanwhile and fills 4 words from 68 on.
    const Fields first = with(rows(16, 16), {{"n2", 1}, {"n3", 1}});
    const Fields second = {{"n0", 64}, {"n1", 1}, {"n2", 1}, {"n3", 1}, {"lo0", 64}, {"dst.base", 1024}};
    CHECK(run(walking_machine(sync), {{"pad_in", first}, {"pad_in", second}}).total_cycles == 68 + 4);
  }
}

TEST_CASE("do bytes that are filled off chip pass no link") {
  for (const Sync::Kind sync : sync_kinds) {
    // Filled: 48 bytes, 3 words of dram from 20 to 23. Read: 16 bytes from spad, latency 4, one beat, 24 to 25.
    const Architecture machine = walking_machine(sync);
    const Fields fields = {{"n0", 64}, {"n1", 1}, {"n2", 1}, {"n3", 1}, {"lo0", 48}};
    const SimulateResult result = run(machine, {{"pad_out", fields}});
    CHECK(result.total_cycles == 20 + 4 + 1);
    CHECK(result.link_bytes.at("bus") == 16);
    CHECK(result.energy_pj == doctest::Approx(16 * (1 + 3) + 64 * 2));
  }
}

TEST_CASE("does a gather begin when its list's first word is there") {
  for (const Sync::Kind sync : sync_kinds) {
    // Two i32 to a word: words at 20 and 21, 3 cycles later there; requests at 23, 24, 25, 26, a beat each.
    CHECK(cycles(walking_machine(sync), "gather_in", rows(16, 4)) == 20 + 3 + 32 + 4);
    // Rows of 64 bytes: the link's four beats each are what counts.
    CHECK(cycles(walking_machine(sync), "gather_in", rows(64, 4)) == 20 + 3 + 32 + 4 * 4);
  }
}

TEST_CASE("does a gather wait for each word of its list") {
  for (const Sync::Kind sync : sync_kinds) {
    Architecture machine = walking_machine(sync);
    machine.memories[3].period = {8, 1};  // a word in 8 cycles, latency 3 * 8
    // Four words of two i32: at 20, 28, 36, 44, there 24 later; the last two requests at 68 and 69.
    CHECK(cycles(machine, "gather_in", rows(16, 8)) == 20 + 3 * 8 + 24 + 2 - 1 + 32 + 1);
  }
}

TEST_CASE("is each row of a gather a request of its own") {
  for (const Sync::Kind sync : sync_kinds) {
    Architecture machine = walking_machine(sync);
    machine.units[0].in_flight = 1;
    // Four rows that lie side by side: each waits for the one before to arrive, 32 + 1 cycles.
    CHECK(cycles(machine, "gather_in", rows(16, 4)) == 20 + 3 + 4 * (32 + 1));
    // Walked without a list they are one request.
    CHECK(cycles(machine, "pad_in", rows(16, 4)) == 20 + 32 + 4);
  }
}

TEST_CASE("does a gather to off-chip memory wait for what its first request needs") {
  for (const Sync::Kind sync : sync_kinds) {
    // One request of 64 bytes needs rows 0 to 3, four entries of one byte in one word: at 23. Four words of spad from
    // 23, latency 4, four beats from 27.
    CHECK(cycles(walking_machine(sync), "gather_out", rows(16, 4), 1) == 20 + 3 + 4 + 4);
    // Rows 0 to 15 in four requests; entries 8 to 15 are in the second word, there at 24. Ports and beats do not pause.
    CHECK(cycles(walking_machine(sync), "gather_out", rows(16, 16), 1) == 20 + 3 + 4 + 16);
  }
}

TEST_CASE("do indices wait where another reads the list's port") {
  // `in` reads its two words at 20 and 21. `out`, issued a cycle later, could read its word at 21 and does so at 22.
  const Architecture machine = walking_machine(Sync::Kind::semaphores);
  Fields in = with(rows(16, 4), {{"n2", 1}, {"n3", 1}}), out = in;
  out.emplace_back("dst.base", 4096);
  out.emplace_back("src.base", 2048);
  const SimulateResult result = run(machine, {{"gather_in", in}, {"gather_out", out}});
  CHECK(result.total_cycles == 20 + 3 + 32 + 4);
  CHECK(result.stalls.at("out").at("waiting: port") == 1);
}

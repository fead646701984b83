// Is what goes wrong with padding and gathering named, and is a missing wait a wrong value?
#include <doctest/doctest.h>

#include <algorithm>

#include "hazards.h"
#include "walking_machine.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::int64_t list_at = 4096;  // in dram

using Fields = std::vector<std::pair<std::string, std::int64_t>>;

std::vector<std::int8_t> entries(const std::vector<int>& values) {
  std::vector<std::int8_t> bytes;
  for (const int value : values) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::int8_t>(value >> shift));
  }
  return bytes;
}

/// A table of 8 rows of 16 bytes in dram, row r full of r; a new list of two entries in dram; the old one on chip.
struct LookUp {
  explicit LookUp(const Architecture& machine, const std::vector<int>& fresh = {6, 5}, bool old = true)
      : assembler(machine) {
    std::vector<std::int8_t> table;
    for (std::int8_t row = 0; row < 8; ++row) table.insert(table.end(), 16, row);
    assembler.image("dram", 0, table);
    assembler.image("dram", list_at, entries(fresh));
    if (old) assembler.image("lists", 0, entries({1, 2}));
    assembler.program.symbols.push_back({"y", "spad", 0, ElementType::i8, {2}, {16}, Symbol::Role::output});
  }
  void load_list() { assembler.emit("load_list", {{"src.base", list_at}, {"n0", 8}, {"n1", 1}, {"n2", 1}, {"n3", 1}}); }
  void gather(const Fields& more = {}) {
    Fields fields = more;
    const Fields usual = {{"n0", 16},  {"n1", 2},           {"n2", 1},          {"n3", 1},
                          {"rows", 8}, {"src.stride1", 16}, {"dst.stride1", 16}};
    for (const auto& [name, value] : usual) {
      if (std::ranges::find(fields, name, &Fields::value_type::first) == fields.end()) fields.emplace_back(name, value);
    }
    assembler.emit("gather_in", fields);
  }
  /// Keeps `in` at work for 20 + 32 + 4 cycles, the first time, elsewhere.
  void other_transfer() { assembler.emit("pad_in", {{"n0", 64}, {"n1", 1}, {"n2", 1}, {"n3", 1}, {"dst.base", 2048}}); }
  SimulateResult run(const Architecture& machine, Fidelity fidelity = Fidelity::transaction) const {
    SimulateOptions options;
    options.fidelity = fidelity;
    return simulate(machine, assembler.program, {}, options);
  }
  Assembler assembler;
};

std::vector<int> rows(const SimulateResult& result) {
  std::vector<int> values;
  for (const std::byte byte : result.outputs.at("y").data) values.push_back(static_cast<std::int8_t>(byte));
  return values;
}

}  // namespace

TEST_CASE("does a gather that waits for its list follow the new one") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = walking_machine(sync);
    LookUp look_up(machine);
    look_up.load_list();
    if (sync == Sync::Kind::semaphores) {
      look_up.assembler.emit("signal_lister", {{"semaphore", 0}});
      look_up.assembler.emit("wait_in", {{"semaphore", 0}});
    }
    look_up.gather();
    for (const Fidelity fidelity : {Fidelity::transaction, Fidelity::function}) {
      const SimulateResult result = look_up.run(machine, fidelity);
      for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
      CHECK(rows(result) == std::vector<int>{6, 5});
      // The list is there at 20 + 32 + 1; then the gather's own set-up, word, latency and two beats.
      if (fidelity == Fidelity::transaction) CHECK(result.total_cycles == 53 + 20 + 3 + 32 + 2);
    }
  }
}

TEST_CASE("does a gather without its wait follow the old list, and is that a race") {
  const Architecture machine = walking_machine(Sync::Kind::semaphores);
  LookUp look_up(machine);
  look_up.load_list();
  look_up.gather();
  const SimulateResult result = look_up.run(machine);
  REQUIRE(hazard_of(result, "race"));
  CHECK(hazard_of(result, "race")->mnemonic == "gather_in");
  CHECK(hazard_of(result, "race")->message.find("lists") != std::string::npos);
  CHECK(rows(result) == std::vector<int>{1, 2});
}

TEST_CASE("is the list read when the operation streams, not when it is issued") {
  Architecture machine = walking_machine(Sync::Kind::semaphores);
  for (const std::int64_t latency : {32, 40, 41}) {
    machine.memories[0].latency = latency;  // the list arrives at 20 + latency + 1: 53, 61 or 62
    for (const int others : {0, 1, 2, 3}) {
      LookUp look_up(machine);
      look_up.load_list();
      for (int i = 0; i < others; ++i) look_up.other_transfer();
      look_up.gather();  // issued second, set up after the others' set-ups: reads its list at 1 + 20 * (others + 1)
      const SimulateResult result = look_up.run(machine);
      const bool there = 1 + 20 * (others + 1) >= 20 + latency + 1;
      CHECK(rows(result) == (there ? std::vector<int>{6, 5} : std::vector<int>{1, 2}));
      CHECK(hazard_of(result, "race"));
    }
  }
}

TEST_CASE("is the list read at its time where other movers make the link look ahead") {
  Architecture machine = walking_machine(Sync::Kind::semaphores);
  machine.units[0].setup = 38;
  machine.units[2].setup = 24;
  machine.units[2].routes[0].source = 1;  // from spad, over a wire of its own
  machine.units[2].routes[0].links.clear();
  LookUp look_up(machine);
  look_up.assembler.image("spad", 1024, entries({6, 5}));
  look_up.assembler.emit("load_list", {{"src.base", 1024}, {"n0", 8}, {"n1", 1}, {"n2", 1}, {"n3", 1}});
  look_up.assembler.emit("pad_out",
                         {{"src.base", 1024}, {"dst.base", 2048}, {"n0", 8}, {"n1", 1}, {"n2", 1}, {"n3", 1}});
  look_up.gather();
  // `out` presents at 21, and the bus looks ahead to 41; the list's request follows at 24 and arrives at 29; it is read
  // at 40.
  CHECK(rows(look_up.run(machine)) == std::vector<int>{6, 5});
}

TEST_CASE("does the list wait for the requests before it") {
  const Architecture machine = walking_machine(Sync::Kind::semaphores);
  LookUp look_up(machine);
  look_up.load_list();  // there at 53
  look_up.assembler.emit("pad_in", {{"n0", 16},
                                    {"n1", 40},
                                    {"n2", 1},
                                    {"n3", 1},
                                    {"lo0", 8},
                                    {"src.stride1", 16},
                                    {"dst.base", 2048},
                                    {"dst.stride1", 16}});
  look_up.gather();  // set up at 40, but 40 requests are presented from 20 on
  CHECK(rows(look_up.run(machine)) == std::vector<int>{6, 5});
}

TEST_CASE("is an index beyond the table named, with its value, and the run ended") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = walking_machine(sync);
    for (const int wrong : {8, -1, 1 << 30}) {
      LookUp look_up(machine, {3, wrong});
      look_up.load_list();
      look_up.assembler.emit("fence");
      look_up.gather();
      look_up.gather();
      for (const Fidelity fidelity : {Fidelity::transaction, Fidelity::function}) {
        const SimulateResult result = look_up.run(machine, fidelity);
        REQUIRE(hazard_of(result, "out_of_range"));
        CHECK(result.hazards.size() == 1);
        CHECK(hazard_of(result, "out_of_range")->instruction == 2);
        CHECK(hazard_of(result, "out_of_range")->message ==
              "index 1 of the list is " + std::to_string(wrong) + "; the table has 8 rows");
      }
    }
  }
}

TEST_CASE("are a table, a list and a border that do not fit named") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = walking_machine(sync);
    const std::vector<Fields> wrong = {{{"rows", dram_bytes / 16 + 1}},
                                       {{"rows", std::int64_t{1} << 62}},
                                       {{"index.base", list_bytes - 7}},
                                       {{"index.base", -1}}};
    for (const Fields& fields : wrong) {
      LookUp look_up(machine);
      look_up.gather(fields);
      REQUIRE(hazard_of(look_up.run(machine), "out_of_range"));
    }
    for (const Fields& fields : std::vector<Fields>{{{"lo0", 5}},
                                                    {{"lo0", 3}, {"hi0", 2}},
                                                    {{"hi0", -1}},
                                                    {{"lo0", std::int64_t{1} << 62}, {"hi0", std::int64_t{1} << 62}}}) {
      LookUp look_up(machine);
      Fields all = {{"n0", 4}, {"n1", 1}, {"n2", 1}, {"n3", 1}};
      all.insert(all.end(), fields.begin(), fields.end());
      look_up.assembler.emit("pad_in", all);
      const SimulateResult result = look_up.run(machine);
      REQUIRE(hazard_of(result, "out_of_range"));
      CHECK(hazard_of(result, "out_of_range")->message.find("n0 is 4") != std::string::npos);
    }
  }
}

TEST_CASE("is a list that is too long named") {
  Architecture machine = walking_machine(Sync::Kind::interlock);
  machine.memories[3].capacity = 1 << 24;
  LookUp look_up(machine);
  look_up.gather({{"n1", (1 << 20) + 1}, {"dst.stride1", 0}});
  const SimulateResult result = look_up.run(machine);
  REQUIRE(hazard_of(result, "out_of_range"));
  CHECK(hazard_of(result, "out_of_range")->message == "takes more than 2^20 indices from its list");
}

TEST_CASE("are strides of steps that are never taken harmless") {
  const Architecture machine = walking_machine(Sync::Kind::interlock);
  LookUp look_up(machine);
  const std::int64_t far = std::int64_t{1} << 62;
  look_up.assembler.emit("pad_in", {{"n0", 4},
                                    {"n1", 1},
                                    {"n2", 1},
                                    {"n3", 1},
                                    {"lo1", 1},
                                    {"hi3", 1},
                                    {"src.base", far},
                                    {"dst.stride1", far},
                                    {"dst.stride2", far},
                                    {"dst.stride3", far},
                                    {"src.stride1", far}});
  CHECK(look_up.run(machine).hazards.empty());
}

TEST_CASE("does only what is read need to have been written") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = walking_machine(sync);
    LookUp whole(machine), beyond(machine, {6, 5}, false);
    whole.gather({{"rows", 100}});  // rows 8 to 99 were never written, nor read
    CHECK(whole.run(machine).hazards.empty());
    beyond.gather();
    const SimulateResult result = beyond.run(machine);
    REQUIRE(hazard_of(result, "uninitialised_read"));
    CHECK(hazard_of(result, "uninitialised_read")->message.find("address 0 of lists") != std::string::npos);
    LookUp padded(machine);
    padded.assembler.emit(
        "pad_in", {{"n0", 16}, {"n1", 10}, {"n2", 1}, {"n3", 1}, {"src.stride1", 16}, {"dst.stride1", 16}, {"hi1", 2}});
    CHECK(padded.run(machine).hazards.empty());
  }
}

TEST_CASE("is the whole table read as far as order goes") {
  const Architecture machine = walking_machine(Sync::Kind::semaphores);
  LookUp look_up(machine);
  look_up.assembler.image("spad", 1024, std::vector<std::int8_t>(16, 9));
  look_up.assembler.emit("pad_out",
                         {{"src.base", 1024}, {"dst.base", 7 * 16}, {"n0", 16}, {"n1", 1}, {"n2", 1}, {"n3", 1}});
  look_up.gather();  // rows 1 and 2
  const SimulateResult result = look_up.run(machine);
  REQUIRE(hazard_of(result, "race"));
  CHECK(hazard_of(result, "race")->message.find("dram") != std::string::npos);
}

TEST_CASE("are filled bytes written as far as order goes") {
  const Architecture machine = walking_machine(Sync::Kind::semaphores);
  LookUp look_up(machine);
  look_up.assembler.emit("pad_in", {{"n0", 16}, {"n1", 1}, {"n2", 1}, {"n3", 1}, {"lo0", 16}, {"dst.base", 1024}});
  look_up.assembler.emit("pad_out",
                         {{"src.base", 1024}, {"dst.base", 2048}, {"n0", 16}, {"n1", 1}, {"n2", 1}, {"n3", 1}});
  CHECK(hazard_of(look_up.run(machine), "race"));
}

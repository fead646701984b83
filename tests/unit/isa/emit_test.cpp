#include "archdsl/isa/emit.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sample_isa.h"

using namespace accord;
using namespace accord::test;

namespace {

std::vector<std::int64_t> contents(const std::vector<MaybeValue>& known) {
  std::vector<std::int64_t> registers;
  for (const MaybeValue& value : known) registers.push_back(value.value_or(0));
  return registers;
}

/// The values that the mnemonic's arguments really take after the writes.
std::vector<std::int64_t> values_of(const Isa& isa, const Emission& emission, const std::vector<MaybeValue>& known) {
  std::vector<std::int64_t> registers = contents(known);
  for (const RegisterWrite& write : emission.writes) registers[static_cast<std::size_t>(write.reg)] = write.value;
  std::vector<std::int64_t> result;
  for (const Binding& binding : isa.mnemonics[static_cast<std::size_t>(emission.instruction.mnemonic)].arguments) {
    result.push_back(value_of(binding, emission.instruction.fields, registers));
  }
  return result;
}

/// How many `set` instructions lead from `known` to `goal`: breadth first over register contents, each instruction
/// leaving a register at its goal where its field can, else at something else.
std::optional<int> fewest_steps(const Isa& isa, const std::vector<MaybeValue>& known,
                                const std::vector<MaybeValue>& goal) {
  constexpr std::int64_t something_else = 99;
  std::vector<std::int64_t> first;
  for (const MaybeValue& k : known) first.push_back(k.value_or(something_else));
  const auto apply = [&](const Mnemonic& m, std::vector<std::int64_t> state) {
    for (std::size_t u = 0; u < m.updates.size(); ++u) {
      const auto r = static_cast<std::size_t>(m.updates[u].reg);
      state[r] = something_else;
      for (std::int64_t raw = lowest_raw(m.fields[u]); raw <= highest_raw(m.fields[u]); ++raw) {
        if (goal[r] == wrap(isa.registers[r], raw)) state[r] = *goal[r];
      }
    }
    return state;
  };
  const auto reached = [&](const std::vector<std::int64_t>& state) {
    for (std::size_t r = 0; r < state.size(); ++r) {
      if (goal[r] && state[r] != *goal[r]) return false;
    }
    return true;
  };
  std::set<std::vector<std::int64_t>> seen;
  std::vector<std::vector<std::int64_t>> front{first};
  for (int steps = 0; !front.empty(); ++steps) {
    if (std::any_of(front.begin(), front.end(), reached)) return steps;
    std::vector<std::vector<std::int64_t>> next;
    for (const auto& state : front) {
      for (const Mnemonic& m : isa.mnemonics) {
        auto after = apply(m, state);
        if (seen.insert(after).second) next.push_back(std::move(after));
      }
    }
    front = std::move(next);
  }
  return std::nullopt;
}

/// 0: set base (24 bits, in units of 4096), 1: set stride and mode, 2: mode alone, 3: set file[which], 4: load
struct Sample {
  Isa isa;
  int base = add_register(isa, "base", 36);
  int stride = add_register(isa, "stride", 32);
  int mode = add_register(isa, "mode", 4);
  int file = add_register(isa, "file", 16, true, 4);
  std::vector<MaybeValue> known = std::vector<MaybeValue>(static_cast<std::size_t>(isa.register_count));
  Emission out;

  Sample() {
    add_mnemonic(isa, "set_base", Meaning::set, {{"v", 0, 24, false}}, {}, {update(base, field(0, 4096))});
    add_mnemonic(isa, "config", Meaning::set, {{"stride", 0, 16, false}, {"mode", 0, 4, false}}, {},
                 {update(stride, field(0)), update(mode, field(1))});
    add_mnemonic(isa, "set_mode", Meaning::set, {{"mode", 0, 4, false}}, {}, {update(mode, field(0))});
    add_mnemonic(isa, "set_file", Meaning::set, {{"which", 0, 2, false}, {"v", 0, 16, true}}, {},
                 {update_indexed(file, 0, field(1))});
    add_mnemonic(isa, "load", Meaning::run,
                 {{"offset", 0, 12, false}, {"rows", 0, 8, false}, {"tile", 0, 8, false}, {"which", 0, 2, false}},
                 {fixed(base, 0), field(1), field(2, 16, 3), fixed(stride), constant(1), indexed(file, 3)});
  }
};

const std::vector<MaybeValue> any(6);

}  // namespace

TEST_CASE("is a register left alone while the rest fits the field beside it?") {
  Sample s;
  const Emitter emitter(s.isa);
  std::vector<MaybeValue> wanted = any;
  wanted[0] = 0x5123;
  REQUIRE(emitter.emit(4, wanted, s.known, s.out));
  CHECK(s.out.writes == std::vector<RegisterWrite>{{s.base, 0x5000}});
  CHECK(s.out.instruction.fields[0] == 0x123);
  s.known[0] = 0x5000;
  wanted[0] = 0x5fff;
  REQUIRE(emitter.emit(4, wanted, s.known, s.out));
  CHECK(s.out.writes.empty());
  CHECK(s.out.instruction.fields[0] == 0xfff);
}

TEST_CASE("are fields, units and biases solved?") {
  Sample s;
  const Emitter emitter(s.isa);
  std::vector<MaybeValue> wanted = {0, 255, 16 * 255 + 3, 77, 1, -5};
  REQUIRE(emitter.emit(4, wanted, s.known, s.out));
  CHECK(values_of(s.isa, s.out, s.known) == std::vector<std::int64_t>{0, 255, 16 * 255 + 3, 77, 1, -5});
  CHECK(s.out.writes.size() == 3);
}

TEST_CASE("is a file searched for a register that holds the value?") {
  Sample s;
  const Emitter emitter(s.isa);
  s.known[static_cast<std::size_t>(s.file)] = 1;
  s.known[static_cast<std::size_t>(s.file + 2)] = -9;
  std::vector<MaybeValue> wanted = any;
  wanted[5] = -9;
  REQUIRE(emitter.emit(4, wanted, s.known, s.out));
  CHECK(s.out.writes.empty());
  CHECK(s.out.instruction.fields[3] == 2);
  wanted[5] = 8;  // goes to a register whose content is unknown
  REQUIRE(emitter.emit(4, wanted, s.known, s.out));
  CHECK(s.out.writes == std::vector<RegisterWrite>{{s.file + 1, 8}});
}

TEST_CASE("is it said why arguments cannot be expressed?") {
  Sample s;
  const Emitter emitter(s.isa);
  const auto reason = [&](std::size_t argument, std::int64_t value) {
    std::vector<MaybeValue> wanted = any;
    wanted[argument] = value;
    CHECK_FALSE(emitter.emit(4, wanted, s.known, s.out));
    return s.out.reason;
  };
  CHECK(reason(1, 300) == "argument 1 = 300 needs 300 in field `rows`, which holds 0 to 255");
  CHECK(reason(2, 4) == "argument 2 must be a multiple of 16 plus 3 (field `tile` counts in units), 4 wanted");
  CHECK(reason(4, 4) == "argument 4 is fixed to 1, 4 wanted");
  CHECK(reason(3, 70000) == "no content of register `stride` (0 to 65535) gives argument 3 = 70000");
  CHECK(reason(0, INT64_MIN).find("register `base`") != std::string::npos);
}

TEST_CASE("are two arguments over one register solved together?") {
  Isa isa;
  const int reg = add_register(isa, "r", 32);
  add_mnemonic(isa, "set", Meaning::set, {{"v", 0, 28, false}}, {}, {update(reg, field(0, 8))});
  add_mnemonic(isa, "op", Meaning::run, {{"a", 0, 4, false}, {"b", 0, 4, true}},
               {fixed(reg, 0, 12), fixed(reg, 1, 20)});
  const Emitter emitter(isa);
  Emission out;
  const std::vector<MaybeValue> known(1);
  int solved = 0;
  for (std::int64_t a = 0; a < 400; ++a) {
    for (std::int64_t b = 0; b < 400; b += 7) {
      bool possible = false;
      for (std::int64_t x = 0; x < 16; ++x) {
        for (std::int64_t y = -8; y < 8; ++y) {
          const std::int64_t r = a - 12 * x;
          possible = possible || (r >= 0 && r % 8 == 0 && r == b - 20 * y);
        }
      }
      const std::vector<MaybeValue> wanted{a, b};
      const bool done = emitter.emit(1, wanted, known, out);
      REQUIRE(done == possible);
      if (!done) continue;
      ++solved;
      REQUIRE(values_of(isa, out, known) == std::vector<std::int64_t>{a, b});
      REQUIRE(emitter.set_registers(out.writes, known).has_value());
    }
  }
  CHECK(solved > 0);
}

TEST_CASE("does emit find every value that some encoding gives, and are its registers settable?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  Sample s;
  const Emitter emitter(s.isa);
  for (int round = 0; round < 20000; ++round) {
    // Registers as `set` mnemonics leave them, and an instruction: its arguments must be expressible again.
    std::vector<MaybeValue> source(s.known.size(), 0);
    for (int i = 0; i < 8; ++i) {
      Instruction set = random_instruction(random, s.isa);
      if (set.mnemonic < 4) emitter.track(set, source);
    }
    Instruction load = random_instruction(random, s.isa);
    while (load.mnemonic != 4) load = random_instruction(random, s.isa);
    std::vector<MaybeValue> wanted;
    for (const Binding& binding : s.isa.mnemonics[4].arguments) {
      wanted.push_back(value_of(binding, load.fields, contents(source)));
    }
    std::vector<MaybeValue> known(s.known.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (random() % 2 == 0)
        known[i] = wrap(*register_of(s.isa, static_cast<int>(i)), static_cast<std::int64_t>(random()));
    }
    REQUIRE(emitter.emit(4, wanted, known, s.out));
    std::string reason;
    const auto sets = emitter.set_registers(s.out.writes, known, &reason);
    CAPTURE(reason);
    REQUIRE(sets.has_value());
    for (const Instruction& set : *sets) emitter.track(set, known);
    s.out.writes.clear();
    const std::vector<std::int64_t> got = values_of(s.isa, s.out, known);
    for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == wanted[i]);
  }
}

TEST_CASE("do set mnemonics keep what they also set?") {
  Sample s;
  const Emitter emitter(s.isa);
  s.known[static_cast<std::size_t>(s.mode)] = 5;
  const std::vector<RegisterWrite> stride{{s.stride, 10}};
  const auto sets = emitter.set_registers(stride, s.known);
  REQUIRE(sets);
  CHECK(*sets == std::vector<Instruction>{{1, {10, 5}}});
  s.known[static_cast<std::size_t>(s.mode)] = std::nullopt;
  CHECK(emitter.set_registers(stride, s.known) == std::vector<Instruction>{{1, {10, 0}}});
  const std::vector<RegisterWrite> both{{s.mode, 3}, {s.stride, 10}};
  CHECK(emitter.set_registers(both, s.known) == std::vector<Instruction>{{1, {10, 3}}});
  s.known[static_cast<std::size_t>(s.mode)] = 3;
  s.known[static_cast<std::size_t>(s.stride)] = 10;
  CHECK(emitter.set_registers(both, s.known) == std::vector<Instruction>{});
}

TEST_CASE("does one index that serves two files reach either?") {
  Isa isa;
  isa.width = 64;
  const int step = add_register(isa, "step", 8, false, 4);
  const int block = add_register(isa, "block", 8, false, 4);
  add_mnemonic(isa, "set", Meaning::set, {{"core", 8, 2}, {"step", 16, 8}, {"block", 24, 8}}, {},
               {update_indexed(step, 0, field(1)), update_indexed(block, 0, field(2))});
  const Emitter emitter(isa);
  std::vector<MaybeValue> known(8, 7);
  for (int core = 0; core < 4; ++core) {
    const std::vector<RegisterWrite> write{{block + core, 9}};
    CHECK(emitter.set_registers(write, known) == std::vector<Instruction>{{0, {core, 7, 9}}});
  }
}

TEST_CASE("does an instruction go to the element that is asked for?") {
  Isa isa;
  isa.width = 64;
  const int base = add_register(isa, "base", 8, false, 6);
  Mnemonic& run = add_mnemonic(isa, "run", Meaning::run, {{"row", 8, 1}, {"column", 9, 2}, {"n", 16, 8}},
                               {field(2), indexed(base, 1)});
  run.unit = 10;
  run.units = {10, 11, 12, 13, -1, 15};
  run.elements = {{0, 3, 2}, {1, 1, 3}};
  add_mnemonic(isa, "set", Meaning::set, {{"index", 8, 3}, {"value", 16, 8}}, {}, {update_indexed(base, 0, field(1))});
  const Emitter emitter(isa);
  Emission out;
  const std::vector<MaybeValue> values = {5, 40}, known = {40, 41, 40, 0, 0, 0};
  for (const int unit : {10, 11, 12, 13, 15}) {
    REQUIRE(emitter.emit(0, values, known, out, unit));
    CHECK(unit_of(isa.mnemonics[0], out.instruction.fields) == unit);
    // The column also chooses the register, of which the middle one holds something else.
    CHECK(out.writes.size() == (unit == 11 ? 1 : 0));
  }
  CHECK_FALSE(emitter.emit(0, values, known, out, 14));
}

TEST_CASE("is what a narrow mnemonic must spoil repaired by a later one?") {
  Isa isa;
  const int a = add_register(isa, "a", 32);
  const int b = add_register(isa, "b", 32);
  add_mnemonic(isa, "both", Meaning::set, {{"a", 0, 32, false}, {"b", 0, 4, false}}, {},
               {update(a, field(0)), update(b, field(1))});
  add_mnemonic(isa, "wide_b", Meaning::set, {{"b", 0, 32, false}}, {}, {update(b, field(0))});
  const Emitter emitter(isa);
  const std::vector<RegisterWrite> write{{a, 9}};
  const auto sets = emitter.set_registers(write, std::vector<MaybeValue>{1, 1000});
  REQUIRE(sets);
  CHECK(*sets == std::vector<Instruction>{{0, {9, 0}}, {1, {1000}}});
}

TEST_CASE("is the cheapest sequence found?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  for (int round = 0; round < 300; ++round) {
    Isa isa;
    isa.width = 64;
    for (int r = 0; r < 4; ++r) add_register(isa, fmt::format("r{}", r), 4);
    const int mnemonics = 1 + static_cast<int>(random() % 4);
    for (int m = 0; m < mnemonics; ++m) {
      std::vector<Field> fields;
      std::vector<RegisterUpdate> updates;
      for (int r = 0; r < 4; ++r) {
        if (random() % 2 != 0) continue;
        updates.push_back(update(r, field(static_cast<int>(fields.size()))));
        fields.push_back({"f", 0, 1 + static_cast<int>(random() % 4), random() % 2 == 0});
      }
      if (!updates.empty()) add_mnemonic(isa, fmt::format("m{}", m), Meaning::set, fields, {}, updates);
    }
    const Emitter emitter(isa);
    std::vector<MaybeValue> known(4);
    std::vector<MaybeValue> goal(4);
    std::vector<RegisterWrite> writes;
    for (int r = 0; r < 4; ++r) {
      auto& k = known[static_cast<std::size_t>(r)];
      if (random() % 2 == 0) k = static_cast<std::int64_t>(random() % 16);
      goal[static_cast<std::size_t>(r)] = k;
      if (random() % 2 == 0) continue;
      writes.push_back({r, static_cast<std::int64_t>(random() % 16)});
      goal[static_cast<std::size_t>(r)] = writes.back().value;
    }
    const std::optional<int> steps = fewest_steps(isa, known, goal);
    std::string reason;
    const auto sets = emitter.set_registers(writes, known, &reason);
    CAPTURE(reason);
    REQUIRE(sets.has_value() == steps.has_value());
    if (!steps) {
      CHECK_FALSE(reason.empty());
      continue;
    }
    CHECK(static_cast<int>(sets->size()) == *steps);
    for (const Instruction& set : *sets) emitter.track(set, known);
    for (std::size_t r = 0; r < 4; ++r) CHECK((!goal[r] || known[r] == goal[r]));
  }
}

TEST_CASE("does post-increment change what is known?") {
  Isa isa;
  const int p = add_register(isa, "p", 8);
  const int q = add_register(isa, "q", 8);
  add_mnemonic(isa, "load", Meaning::run, {{"step", 0, 4, true}}, {fixed(p)},
               {update(p, field(0, 16)), update(q, fixed(p))});
  const Emitter emitter(isa);
  std::vector<MaybeValue> known{250, std::nullopt};
  emitter.track({0, {1}}, known);
  CHECK(known == std::vector<MaybeValue>{10, std::nullopt});
  known[1] = 1;
  emitter.track({0, {-1}}, known);  // q grows by p before p changes
  CHECK(known == std::vector<MaybeValue>{250, 11});
  Emission out;
  const std::vector<MaybeValue> wanted{250, 32};
  REQUIRE(emitter.emit(0, wanted, known, out));
  CHECK(out.instruction.fields == std::vector<std::int64_t>{2});
}

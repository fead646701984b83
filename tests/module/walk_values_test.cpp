// Do padding and gathering give the bytes that plain loops give, on every kind of machine and at every fidelity?
#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "simulator/simulate.h"
#include "walking_machine.h"

using namespace accord;
using namespace accord::test;

namespace {

using Bytes = std::vector<std::int8_t>;

/// One random transfer with its list, and all memories before it.
class RandomWalk {
 public:
  RandomWalk(unsigned seed, const std::string& mnemonic) : random_(seed) {
    walk.mnemonic = mnemonic;
    outwards = mnemonic.ends_with("out");
    pads = mnemonic.starts_with("pad") || mnemonic.starts_with("both");
    if (mnemonic == "gather_in") make_gather(1, 4);
    if (mnemonic == "gather_out") make_gather(1, 1);
    if (mnemonic == "both_in") make_gather(2, 2);
    dram = noise(dram_bytes);
    spad = noise(spad_bytes);
    choose_walk();
    if (dim >= 0) choose_list();
    walk.arguments["src.base"] = (outwards ? spad_bytes : dram_bytes) / 2;
    walk.arguments["dst.base"] = (outwards ? dram_bytes : spad_bytes) / 2;
  }

  std::int64_t read() const {
    std::int64_t bytes = 1;
    for (int d = 0; d < 4; ++d) bytes *= of("n", d) - of("lo", d) - of("hi", d);
    for (int d = 1; d < 4; ++d) {
      if (bytes > 0 && of("src.stride", d) == 0) bytes /= of("n", d) - of("lo", d) - of("hi", d);
    }
    return bytes;
  }
  std::int64_t written() const { return of("n", 0) * of("n", 1) * of("n", 2) * of("n", 3); }
  std::int64_t listed() const { return read() > 0 ? static_cast<std::int64_t>(list.size()) * entry : 0; }

  WalkCase walk;
  bool outwards = false, pads = false;
  int dim = -1;
  std::int64_t entry = 0;  ///< bytes
  std::vector<std::int64_t> list;
  Bytes dram, spad, lists;

 private:
  std::int64_t of(const std::string& name, int d) const { return walk.argument(name + std::to_string(d)); }
  std::int64_t below(std::int64_t most) { return static_cast<std::int64_t>(random_() % static_cast<unsigned>(most)); }
  Bytes noise(std::int64_t size) {
    Bytes bytes;
    for (std::int64_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::int8_t>(random_()));
    return bytes;
  }
  void make_gather(int d, std::int64_t size) {
    dim = d;
    entry = size;
  }
  void choose_walk() {
    for (int d = 0; d < 4; ++d) {
      const std::string number = std::to_string(d);
      const std::int64_t n = d == 0 ? 1 + below(40) : 1 + below(5);
      walk.arguments["n" + number] = n;
      if (d > 0) {
        const bool dense = below(4) == 0;
        walk.arguments["src.stride" + number] = dense ? of("n", d - 1) : below(80) - 20;
        if (outwards && of("src.stride", d) == 0) walk.arguments["src.stride" + number] = 1;
        walk.arguments["dst.stride" + number] = dense ? of("n", d - 1) : below(120) - 20;
      }
      if (!pads) continue;
      walk.arguments["lo" + number] = below(3) == 0 ? below(n + 1) : 0;
      walk.arguments["hi" + number] = below(3) == 0 ? below(n + 1 - of("lo", d)) : 0;
    }
  }
  void choose_list() {
    const std::int64_t rows = 1 + below(9);
    walk.arguments["rows"] = rows;
    walk.arguments["index.base"] = below(100);
    lists = noise(list_bytes);
    for (std::int64_t i = 0; i < of("n", dim) - of("lo", dim) - of("hi", dim); ++i) {
      list.push_back(below(rows));
      std::memcpy(lists.data() + walk.arguments["index.base"] + i * entry, &list.back(),
                  static_cast<std::size_t>(entry));
    }
  }

  std::mt19937 random_;
};

Bytes output(const SimulateResult& result, const std::string& name) {
  const Value& value = result.outputs.at(name);
  Bytes bytes(value.data.size());
  std::memcpy(bytes.data(), value.data.data(), bytes.size());
  return bytes;
}

Program program_of(const Architecture& machine, const RandomWalk& random) {
  Assembler assembler(machine);
  assembler.image("dram", 0, random.dram);
  assembler.image("spad", 0, random.spad);
  assembler.image("twin", 0, random.spad);
  if (random.dim >= 0) assembler.image("lists", 0, random.lists);
  for (const char* const name : {"dram", "spad", "twin"}) {
    const std::int64_t size = name == std::string("dram") ? dram_bytes : spad_bytes;
    assembler.program.symbols.push_back({name, name, 0, ElementType::i8, {size}, {1}, Symbol::Role::output});
  }
  assembler.emit(random.walk.mnemonic, random.walk.fields());
  return assembler.program;
}

void check(const Architecture& machine, const RandomWalk& random, Fidelity fidelity) {
  Bytes dram = random.dram, spad = random.spad;
  const Bytes element = random.outwards ? Bytes{7} : Bytes{-44, -2};  // -300 = 0xfed4
  random.walk.apply(random.outwards ? random.spad : random.dram, random.outwards ? dram : spad, element, random.list,
                    random.dim);
  SimulateOptions options;
  options.fidelity = fidelity;
  const SimulateResult result = simulate(machine, program_of(machine, random), {}, options);
  for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
  const bool twin = random.walk.mnemonic == "both_in";
  CHECK(output(result, "dram") == dram);
  CHECK(output(result, "spad") == spad);
  CHECK(output(result, "twin") == (twin ? spad : random.spad));
  CHECK(result.link_bytes.at("bus") == random.read());
  const std::int64_t read = random.read() + random.listed(), written = random.written() * (twin ? 2 : 1);
  CHECK(result.energy_pj == doctest::Approx(read + 2 * written + 3 * random.read()));
}

}  // namespace

TEST_CASE("do random padded and gathered walks move what plain loops move") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = walking_machine(sync);
    for (const char* const mnemonic : {"pad_in", "gather_in", "both_in", "pad_out", "gather_out"}) {
      for (unsigned seed = 0; seed < 200; ++seed) {
        CAPTURE(mnemonic);
        CAPTURE(seed);
        CAPTURE(static_cast<int>(sync));
        const RandomWalk random(seed, mnemonic);
        check(machine, random, Fidelity::transaction);
        check(machine, random, Fidelity::cycle);
        if (sync == Sync::Kind::interlock) check(machine, random, Fidelity::function);
      }
    }
  }
}

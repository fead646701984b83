// Does what people write by hand, but no compiler would, get what the documents say?
#include <doctest/doctest.h>

#include <algorithm>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "machines.h"
#include "simulator/simulate.h"

using namespace accord;
using namespace accord::test;

namespace {

Architecture one_buffer(const std::map<std::string, std::string>& overrides = {}) {
  LoadResult loaded =
      load_architecture(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/one_buffer.yaml", overrides);
  REQUIRE(loaded.architecture);
  return *loaded.architecture;
}

SimulateResult run_text(const Architecture& machine, const std::string& text, const SimulateOptions& options = {}) {
  return simulate(machine, assemble(machine, text, "by_hand.s"), {}, options);
}

int value_at(std::int64_t i) { return static_cast<int>(i * 7 % 100 + 1); }

/// `count` bytes, value_at(i) each.
std::string image_of(std::int64_t count) {
  std::string text = ".image buf 0 i8";
  for (std::int64_t i = 0; i < count; ++i) text += " " + std::to_string(value_at(i));
  return text + "\n";
}

std::vector<int> signed_bytes(const Value& output) {
  std::vector<int> bytes;
  for (const std::byte byte : output.data) bytes.push_back(static_cast<std::int8_t>(byte));
  return bytes;
}

bool is_race(const SimulateResult& result) { return std::ranges::count(result.hazards, "race", &Hazard::kind) > 0; }

}  // namespace

TEST_CASE("does a result that overlaps its own source change when all is read") {
  const Architecture machine = one_buffer();
  const std::string shifted =
      ".symbol y dram 0x8000 i8 [2000] output\n" + image_of(2000) + "relu n=2000, x=0, y=1\nst src=1, dst=@y, n=2000\n";
  std::vector<int> outputs = signed_bytes(run_text(machine, shifted).outputs.at("y"));
  for (std::int64_t i = 0; i < 2000; ++i) CHECK(outputs[static_cast<std::size_t>(i)] == value_at(i));

  const std::string widened = ".symbol y dram 0x8000 i8 [8000] output\n" + image_of(2000) +
                              "widen n=2000, x=0, y=0\nst src=0, dst=@y, n=8000\n";
  outputs = signed_bytes(run_text(machine, widened).outputs.at("y"));
  for (std::int64_t i = 0; i < 8000; ++i)
    CHECK(outputs[static_cast<std::size_t>(i)] == (i % 4 == 0 ? value_at(i / 4) : 0));
}

TEST_CASE("is a move within a buffer a race exactly where it reads what it writes") {
  const Architecture machine = one_buffer();
  const std::string filled = ".image buf 0 zeros 65536\n";
  for (const std::string step : {"16", "-16"}) {
    CAPTURE(step);
    CHECK(!is_race(run_text(machine, filled + "mv src=240, dst=240, n=4, m=16, step=" + step + "\n")));  // onto itself
    CHECK(!is_race(run_text(machine, filled + "mv src=240, dst=244, n=4, m=16, step=" + step + "\n")));  // in between
    CHECK(is_race(run_text(machine, filled + "mv src=240, dst=241, n=4, m=16, step=" + step + "\n")));
  }
  CHECK(is_race(run_text(machine, filled + "mv src=527, dst=512, n=1, m=2, step=-15\n")));
  CHECK(!is_race(run_text(machine, filled + "look src=0, dst=1024, list=256, n=4, m=4, step=4, rows=4\n")));
  CHECK(is_race(run_text(machine, filled + "look src=0, dst=0, list=256, n=4, m=4, step=4, rows=4\n")));
}

TEST_CASE("does a controller keep its interval where it waits in between") {
  for (const int width : {1, 2, 4}) {
    for (const int interval : {1, 8, 64}) {
      CAPTURE(width);
      CAPTURE(interval);
      const Architecture machine =
          one_buffer({{"issue_width", std::to_string(width)}, {"issue_interval", std::to_string(interval)}});
      std::string text = ".image buf 0 zeros 65536\n";
      for (int i = 0; i < 64; ++i) text += "relu n=16, x=0, y=" + std::to_string(1024 + 16 * i) + "\n";
      const std::int64_t cycles = run_text(machine, text).total_cycles;
      CHECK(cycles >= (64 / width - 1) * interval + 1);
      CHECK(cycles <= std::max(64 / width * interval, 64) + 8);
    }
  }
}

TEST_CASE("does a mover that is hardly slower than the rest present as many requests less") {
  for (const int mhz : {1000, 999, 900, 700, 400}) {
    CAPTURE(mhz);
    const Architecture machine = one_buffer({{"mover_clock", std::to_string(mhz) + " MHz"}});
    const std::string text = ".image dram 0 zeros 4096\nld src=0, dst=0, n=1024\n";
    SimulateOptions by_beats;
    by_beats.fidelity = Fidelity::cycle;
    const std::int64_t cycles = run_text(machine, text).total_cycles;
    CHECK(cycles >= 128 * 1000 / mhz);
    CHECK(cycles <= 128 * 1000 / mhz + 6);
    CHECK(std::abs(cycles - run_text(machine, text, by_beats).total_cycles) <= 2);
  }
}

TEST_CASE("is what a window's rows share read once") {
  const Architecture machine = one_buffer();
  const std::string filled = ".image buf 0 zeros 65536\n";
  const auto energy = [&](const std::string& line) { return run_text(machine, filled + line).energy_pj; };
  const double sums = energy("window h=16, r=1, x=0, y=8192\n") - 16;  // of what it reads besides its 16 rows
  CHECK(energy("window h=16, r=3, x=0, y=8192\n") == doctest::Approx(sums + 18));
}

TEST_CASE("is what ends a run told however much else is wrong") {
  const Architecture machine = one_buffer();
  std::string text;
  for (int i = 0; i < 150; ++i) text += "relu n=16, x=" + std::to_string(64 * i) + ", y=60000\n";
  const SimulateResult result = run_text(machine, text + "relu n=4096, x=0, y=65000\n");
  CHECK(std::ranges::count(result.hazards, "out_of_range", &Hazard::kind) == 1);
  CHECK(result.hazards.size() <= 101);
}

TEST_CASE("is a mistake found at the cycle that the controller has come to") {
  const Architecture machine = one_buffer({{"issue_interval", "4"}});
  Program program = assemble(machine, ".image buf 0 zeros 65536\nrelu n=16, x=0, y=64\nrelu n=16, x=0, y=64\n", "a.s");
  program.text.resize(program.text.size() + 16, std::byte{0});
  const SimulateResult result = simulate(machine, program, {});
  REQUIRE(!result.hazards.empty());
  CHECK(result.hazards.back().kind == "undefined_opcode");
  CHECK(result.hazards.back().cycle == 8);
}

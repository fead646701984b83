// Do machines that only multiply matrices get depthwise and grouped convolutions right?
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "archdsl/source/error.h"
#include "compiler/compilation.h"
#include "compiler/mapping/verify.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "simulator/simulate.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

/// gemmini16 whose mover adds no products to sums: the array alone multiplies.
std::string array_alone() {
  return edited("gemmini16", "c[r,q] += i32(x[r,q]) * m[q]", "c[r,q] += i32(x[r,q]) + m[q]");
}

/// A convolution whose channels come in several groups, quantised for the machine.
Network grouped_layer(const Architecture& architecture, std::uint64_t seed, std::string& what) {
  Draw draw(seed);
  NetworkBuilder b(seed);
  const std::int64_t groups = draw.from(2, 40), deep = draw.from(1, 3), wide = draw.from(1, 3);
  const std::int64_t kernel = draw.from(1, 3), stride = draw.from(1, 2), pad = draw.from(0, kernel - 1);
  const std::int64_t h = draw.from(kernel, 9), w = draw.from(kernel, 9);
  what = fmt::format("{} groups of {} to {}, {}x{}, kernel {} stride {} pad {}", groups, deep, wide, h, w, kernel,
                     stride, pad);
  TensorId y = b.conv(b.input({1, groups * deep, h, w}), groups * wide, kernel, stride, pad, groups);
  if (draw.once_in(2)) y = b.relu(y);
  if (draw.once_in(3)) y = b.conv(y, draw.from(1, 40), 1);
  return quantise(b.finish(y), architecture.numerics, {});
}

struct DiagonalTally {
  int forms = 0, layers = 0;
};

void check_values(const Architecture& architecture, const Network& network, const Program& program,
                  std::uint64_t seed) {
  const Values inputs = seeded_inputs_of(network, seed);
  const auto run = simulate(architecture, program, inputs);
  for (const auto& hazard : run.hazards) FAIL_CHECK(hazard.kind, " at ", hazard.mnemonic, ": ", hazard.message);
  for (const auto& broken : run.broken_invariants) FAIL_CHECK(broken);
  for (const auto& [name, value] : execute(network, inputs)) {
    if (run.outputs.count(name) != 0) CHECK_MESSAGE(run.outputs.at(name).data == value.data, name);
  }
}

/// The searcher's choice on even seeds, any legal mapping on odd ones.
void check_layer(const Architecture& architecture, std::uint64_t seed, DiagonalTally& tally) {
  std::string what;
  const Network network = grouped_layer(architecture, seed, what);
  CAPTURE(what);
  CompileOptions options;
  options.searcher = make_searcher(seed % 2 == 0 ? "default" : "random", seed);
  Compilation compilation(architecture, network, options);
  const Program program = compile_layers(compilation);
  for (const auto& layer : compilation.layers) {
    if (layer.placement != Placement::machine) continue;
    ++tally.layers;
    if (layer.mappings.front().form) ++tally.forms;
    for (const auto& mapping : layer.mappings) {
      if (!mapping.form) continue;
      CHECK(verify_points(compilation.machine, network, layer.work, compilation.homes, mapping) == "");
    }
  }
  check_values(architecture, network, program, seed);
}

DiagonalTally check_diagonal_layers(const Architecture& architecture, std::uint64_t count) {
  // More of each machine, or others.
  const std::uint64_t first = first_seed(), last = first + asked("ACCORD_RANDOM_LAYERS", count);
  DiagonalTally tally;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    try {
      check_layer(architecture, seed, tally);
    } catch (const Error& error) {
      FAIL_CHECK(error.what());
    }
  }
  MESSAGE(architecture.name, ": ", tally.forms, " of ", tally.layers, " layers by blocks on a diagonal");
  return tally;
}

}  // namespace

TEST_CASE("does an array alone get depthwise and grouped convolutions right") {
  const auto loaded = load_text(array_alone());
  REQUIRE(loaded.architecture);
  const DiagonalTally tally = check_diagonal_layers(*loaded.architecture, 16);
  CHECK(3 * tally.forms > tally.layers);
}

TEST_CASE("does an array two transfers away get depthwise and grouped convolutions right") {
  const std::string covenant = std::string(ACCORD_SOURCE_DIR) + "/examples/05_tutorial/step07.yaml";
  check_diagonal_layers(machine(covenant), 8);
  check_diagonal_layers(machine("tpu_v1"), 6);
}

TEST_CASE("do changed arrays get depthwise and grouped convolutions right") {
  int ran = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const auto loaded = load_text(changed_covenant(array_alone(), seed));
    if (!loaded.architecture) continue;
    DiagonalTally tally;
    try {
      check_layer(*loaded.architecture, 100 + seed, tally);
      ++ran;
    } catch (const Error& error) {
      MESSAGE(error.what());  // a machine that is too small for anything, or whose requantisation reaches nothing
    }
  }
  CHECK(ran > 5);
}

namespace {

/// What a convolution of 48 channels, each by itself, takes on a unit that multiplies matrices; the test fails where it
/// is wrong.
std::int64_t depthwise_cycles(const Architecture& architecture) {
  NetworkBuilder b(3);
  const Network network = b.finish(b.conv(b.input({1, 48, 14, 14}), 48, 3, 1, 1, 48));
  const auto job = run_checked(architecture, network, 3);
  std::int64_t cycles = 0;
  for (const auto& layer : job.report.layers) cycles += layer.capability == "matmul" ? layer.cycles : 0;
  return cycles;
}

// 3 blocks of 9 taps over 14 rows of 14; one channel at a time would be 16 times as much.
constexpr std::int64_t in_blocks_of_16 = 3 * 9 * 14 * 14;

}  // namespace

TEST_CASE("is a depthwise layer on an array alone done in blocks, and right in every value") {
  const std::int64_t cycles = depthwise_cycles(loaded(array_alone()));
  CHECK(cycles >= in_blocks_of_16);
  CHECK(cycles < 2 * in_blocks_of_16);
}

TEST_CASE("is a depthwise layer on an array of floats done in blocks, and right in every value") {
  const std::int64_t ticks = 5;  // of timeloop's bus in a cycle of its array
  const std::int64_t cycles = depthwise_cycles(machine("timeloop"));
  CHECK(cycles >= ticks * in_blocks_of_16);
  CHECK(cycles < 2 * ticks * in_blocks_of_16);
}

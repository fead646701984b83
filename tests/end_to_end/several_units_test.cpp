// Work on several units that are alike: values, and what they gain.
#include <doctest/doctest.h>

#include <array>
#include <sstream>
#include <string>

#include "archdsl/source/error.h"
#include "cli/files.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t units_seed = 23;

/// gemmini16 with a second array on the same scratchpad, accumulator and movers.
Architecture two_arrays() {
  std::string text = edited("gemmini16", "feeds: [load, mesh, store]", "feeds: [load, mesh, second, store]");
  const auto part = [&](const std::string& from, const std::string& to) {
    const auto begin = text.find(from);
    return text.substr(begin, text.find(to, begin) - begin);
  };
  const auto insert = [&](std::string copy, const std::string& from, const std::string& to, const std::string& before) {
    for (auto at = copy.find(from); at != std::string::npos; at = copy.find(from)) copy.replace(at, from.size(), to);
    text.insert(text.find(before), copy);
  };
  insert(part("  mesh:\n", "  rocc:"), "  mesh:\n", "  second:\n", "  rocc:");
  std::string compute = part("    compute:\n", "    fence:");
  compute.replace(compute.find("opcode: 15"), 10, "opcode: 30");
  compute.replace(compute.find("    compute:"), 12, "    compute_second:");
  insert(compute, "mesh.matmul", "second.matmul", "    fence:");
  auto result = load_text(text);
  for (const auto& diagnostic : result.diagnostics) MESSAGE(render(diagnostic));
  REQUIRE(result.architecture);
  return *result.architecture;
}

/// simba without the instructions that reach a row or a column of elements.
Architecture without_multicasts() {
  std::istringstream lines(edited("simba", "row_inputs", "row_inputs"));
  std::string text;
  bool left_out = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    ") && line[4] != ' ')
      left_out = line.starts_with("    row_") || line.starts_with("    column_");
    if (!left_out) text += line + "\n";
  }
  const auto loaded = load_text(text);
  REQUIRE(loaded.architecture);
  return *loaded.architecture;
}

/// A convolution of which all time goes to the array.
Network convolution(std::int64_t size, std::int64_t channels = 64) {
  NetworkBuilder builder(units_seed);
  return builder.finish(builder.relu(builder.conv(builder.input({1, channels, size, size}), 2 * channels, 3, 1, 1)));
}

std::int64_t cycles_of(const Architecture& architecture, const Network& network) {
  const auto report = run_checked(architecture, network, units_seed).report;
  for (const auto& layer : report.layers) {
    if (layer.op.find("Conv") != std::string::npos) return layer.cycles;
  }
  FAIL("no convolution");
  return 0;
}

}  // namespace

TEST_CASE("do four cores take about a quarter of one core's time for a convolution") {
  const Network network = convolution(28);
  const auto one = static_cast<double>(cycles_of(machine("gemmini16"), network));
  const auto four = static_cast<double>(cycles_of(machine("gemmini16x4"), network));
  CHECK(four < one / 3.3);  // their loads meet at the channels of off-chip memory
  CHECK(four >= one / 4.2);
}

TEST_CASE("do four cores also where layers are too long to schedule") {
  NetworkBuilder b(units_seed);
  const Network network = b.finish(b.conv(b.conv(b.input({1, 64, 56, 56}), 128, 3, 1, 1), 64, 1));
  const auto one = run_checked(machine("gemmini16"), network, units_seed).report;
  const auto four = run_checked(machine("gemmini16x4"), network, units_seed).report;
  for (std::size_t l = 0; l < one.layers.size(); ++l) {
    if (one.layers[l].macs == 0) continue;
    CAPTURE(one.layers[l].name);
    CHECK(static_cast<double>(four.layers[l].cycles) < static_cast<double>(one.layers[l].cycles) / 3);
  }
}

TEST_CASE("do arrays on the same memories share them, and halve the time") {
  const Network network = convolution(28);
  const Architecture both = two_arrays();
  const auto one = static_cast<double>(cycles_of(machine("gemmini16"), network));
  const auto two = static_cast<double>(cycles_of(both, network));
  CHECK(two < one / 1.5);
  for (const auto& [name, small] : small_networks(units_seed)) {
    CAPTURE(name);
    run_checked(both, small, units_seed);
  }
}

TEST_CASE("does a mesh read what several elements want once, where it has multicasts") {
  const Network network = convolution(14, 128);
  const auto with = run_checked(machine("simba"), network, units_seed).report;
  const auto without = run_checked(without_multicasts(), network, units_seed).report;
  CHECK(static_cast<double>(with.off_chip_bytes) < 0.75 * static_cast<double>(without.off_chip_bytes));
  CHECK(static_cast<double>(with.total_cycles) < 0.7 * static_cast<double>(without.total_cycles));
}

TEST_CASE("are elements still used where semaphores do not suffice for multicasts") {
  const auto few = load_text(edited("simba", "24 * side * side", "12 * side * side"));
  REQUIRE(few.architecture);
  const Network network = convolution(14);
  const auto own = run_checked(*few.architecture, network, units_seed).report;
  const auto without = run_checked(without_multicasts(), network, units_seed).report;
  CHECK(static_cast<double>(own.total_cycles) < 1.5 * static_cast<double>(without.total_cycles));
}

TEST_CASE("do all cores' lanes count") {
  CHECK(multiply_lanes(machine("gemmini16")) == 256);
  CHECK(multiply_lanes(machine("gemmini16x4", {{"cores", "3"}})) == 768);
  CHECK(multiply_lanes(two_arrays()) == 512);
}

TEST_CASE("are cores right on small networks") {
  const Architecture cores = machine("gemmini16x4", {{"cores", "3"}, {"channels", "1"}});
  for (const auto& [name, small] : small_networks(units_seed)) {
    CAPTURE(name);
    run_checked(cores, small, units_seed);
  }
}

// Bounds rank divisions over all cores first, where these wait for the memory that they share.
TEST_CASE("are sixteen cores no slower than four on layers too small for them") {
  for (const auto& [channels, filters, side] : {std::array<std::int64_t, 3>{24, 24, 7}, {40, 56, 20}}) {
    CAPTURE(channels);
    const Network layer = network_of(units_seed, [&, c = channels, k = filters, s = side](NetworkBuilder& build) {
      return build.conv(build.input({1, c, s, s}), k, 3, 1, 1);
    });
    const auto cycles = [&](const std::string& cores) {
      return run_checked(machine("gemmini16x4", {{"cores", cores}}), layer, units_seed).report.total_cycles;
    };
    CHECK(static_cast<double>(cycles("16")) <= 1.02 * static_cast<double>(cycles("4")));
  }
}

TEST_CASE("is a capability taken that one core does slower and four do sooner") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/dot_and_depthwise.yaml");
  const std::string slow_dot = replaced(text, "'p * j * ceil_div(k, 8)'", "'p * j * k * 1000'");
  const Network network = network_of(units_seed, [](NetworkBuilder& b) {
    return b.conv(b.input({1, 48, 21, 21}), 48, 3, 1, 1, 48);
  });
  const auto taken = [&](const std::string& machine) {
    return static_cast<double>(run_checked(loaded(machine), network, units_seed).report.total_cycles);
  };
  CHECK(taken(text) < 1.02 * taken(slow_dot));
}

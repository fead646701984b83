// Does the machine decide between mappings that are predicted about as quick? And does time pass alike without values?
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/inputs.h"
#include "cli/measure.h"
#include "cli/numeric.h"
#include "compiler/compilation.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_layers.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t compiled_cycles(const Architecture& architecture, const Network& network, const CompileOptions& options) {
  const Program program = compile(architecture, network, options);
  return simulate(architecture, program, seeded_inputs_of(network, 1)).total_cycles;
}

}  // namespace

TEST_CASE("is no short layer slower for measuring, and are some quicker") {
  CompileOptions measuring;
  measuring.measure = measure_cycles;
  std::int64_t before = 0, after = 0;
  for (const std::string name : {"gemmini16", "hvx", "vta", "bf16npu"}) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      const RandomLayer layer = small_layer(architecture.numerics, seed);
      CAPTURE(name);
      CAPTURE(seed);
      CAPTURE(layer.what);
      const auto predicted = compiled_cycles(architecture, layer.network, {});
      const auto measured = compiled_cycles(architecture, layer.network, measuring);
      CHECK(measured <= predicted);
      before += predicted;
      after += measured;
    }
  }
  CHECK(after < before);
}

TEST_CASE("are short programs that chains make slower left without, and do others keep them") {
  std::size_t kept = 0, refused = 0;
  using Case = std::pair<Architecture, std::int64_t>;
  for (const auto& [architecture, side] : {Case(machine("bf16npu"), 14), Case(machine("bf16npu"), 20),
                                           Case(machine("avx512_vnni"), 14), Case(described("started_sums"), 14)}) {
    const Network network = network_of(3, [side](NetworkBuilder& b) {
      TensorId x = b.input({1, 16, side, side});
      for (const auto& [wide, stride] : {std::pair<std::int64_t, std::int64_t>(32, 1), {32, 2}, {64, 1}}) {
        const std::int64_t deep = b.shape(x)[1];
        x = b.relu(b.conv(b.relu(b.conv(x, deep, 3, stride, 1, deep)), wide, 1));
      }
      return x;
    });
    const Network stored = to_numeric(architecture, network, seeded_inputs_of(network, 3));
    CAPTURE(architecture.name);
    CAPTURE(side);
    CompileOptions chained, apart;
    chained.measure = apart.measure = measure_cycles;
    apart.fuse = false;
    Compilation compilation(architecture, stored, chained);
    compile_layers(compilation);
    kept += compilation.chains.size();
    refused += static_cast<std::size_t>(std::ranges::count_if(compilation.refused_chains, [](const std::string& why) {
      return why.find("measured, all takes") != std::string::npos;
    }));
    CHECK(compiled_cycles(architecture, stored, chained) <= compiled_cycles(architecture, stored, apart));
  }
  CHECK(kept > 0);
  CHECK(refused > 0);
}

namespace {

/// What passes found for a program of many layers; what of the layouts says so.
struct Settled {
  std::int64_t cycles = 0;
  std::string said;
};

Settled settled(const Architecture& architecture, const Network& network, bool measures) {
  CompileOptions options;
  if (measures) options.measure = measure_cycles;
  Compilation compilation(architecture, network, options);
  const Program program = compile_layers(compilation);
  Settled result;
  result.cycles = simulate(architecture, program, seeded_inputs_of(network, 1)).total_cycles;
  for (const auto& layout : compilation.layouts) result.said += layout + "\n";
  return result;
}

}  // namespace

TEST_CASE("does the machine decide what holds for all layers of a short program") {
  const auto said = [](const std::string& name, const auto& build) {
    CAPTURE(name);
    const Architecture architecture = machine(name);
    const Network canonical = network_of(3, build);
    const Network network = to_numeric(architecture, canonical, seeded_inputs_of(canonical, 3));
    const Settled without = settled(architecture, network, false), with = settled(architecture, network, true);
    CHECK(with.cycles <= without.cycles);
    CHECK(without.said.find("measured") == std::string::npos);
    return with.said;
  };
  const auto deep = [](NetworkBuilder& b) {
    TensorId x = b.input({1, 16, 14, 14});
    for (int layer = 0; layer < 10; ++layer) x = b.relu(b.conv(x, 16, 3, 1, 1));
    return x;
  };
  CHECK(said("vta", deep).find("from the low end of memories: measured") != std::string::npos);
  const auto large = [](NetworkBuilder& b) { return b.conv(b.relu(b.conv(b.input({1, 64, 20, 20}), 50, 3)), 64, 3); };
  CHECK(said("dnnweaver64", large).find("stored in one go: measured") != std::string::npos);
}

TEST_CASE("is what was measured what the program takes") {
  for (const std::string name : {"gemmini16", "dnnweaver64", "nvdla_small"}) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const RandomLayer layer = small_layer(architecture.numerics, seed);
      std::vector<std::int64_t> measured;
      CompileOptions options;
      options.measure = [&](const Architecture& a, const Program& program) {
        measured.push_back(measure_cycles(a, program));
        return measured.back();
      };
      const auto cycles = compiled_cycles(architecture, layer.network, options);
      CAPTURE(name);
      CAPTURE(seed);
      REQUIRE_FALSE(measured.empty());
      CHECK(std::ranges::count(measured, cycles) > 0);
    }
  }
}

TEST_CASE("does time pass without values as it does with them") {
  for (const std::string& name : shipped_names()) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const RandomLayer layer = random_layer(architecture.numerics, seed);
      const Program program = compile(architecture, layer.network);
      CAPTURE(name);
      CAPTURE(layer.what);
      CHECK(measure_cycles(architecture, program) ==
            simulate(architecture, program, seeded_inputs_of(layer.network, 1)).total_cycles);
    }
  }
}

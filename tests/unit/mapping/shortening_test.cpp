// Does the time extrapolated from shortened layers agree with the whole layer's schedule?
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "compiler/explore.h"
#include "compiler/layer_search.h"
#include "compiler/mapping_schedule.h"
#include "compiler/shortening.h"
#include "tests/environment.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

constexpr double affordable = 60000;  ///< operations of a whole layer
constexpr double few = 1000;          ///< what a shortened one may have

/// A convolution or a product of sizes that tiles cut and do not divide.
TopologyLayer drawn_layer(std::mt19937_64& random) {
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  TopologyLayer layer;
  layer.name = "layer";
  if (random() % 4 == 0) {
    layer.kind = TopologyLayer::Kind::gemm;
    layer.m = within(1, 300);
    layer.k = within(60, 700);
    layer.n = within(60, 700);
    return layer;
  }
  layer.c = within(3, 150);
  layer.k = within(16, 150);
  layer.h = layer.w = within(14, 56);
  layer.r = layer.s = random() % 2 == 0 ? 1 : 3;
  layer.pad_h = layer.pad_w = layer.r / 2;
  layer.stride_h = layer.stride_w = within(1, 2);
  layer.groups = 1;
  return layer;
}

Network network_of(const TopologyLayer& layer, const Architecture& architecture) {
  const Network canonical = build_topology("drawn_layer", {layer}, 17);
  if (!architecture.numerics.integer) return convert_float(canonical, architecture.numerics);
  return quantise(canonical, architecture.numerics, {});
}

struct Agreement {
  int shortened = 0;
  double sum = 0, most = 0;  ///< |error|
};

/// All mappings that a layer's search leaves.
void compare(const Architecture& architecture, const TopologyLayer& layer, Agreement& agreement) {
  CompileOptions options;
  Compilation compilation(architecture, network_of(layer, architecture), options);
  group_pass(compilation);
  place_pass(compilation);
  map_pass(compilation);
  SharedMachines shared(compilation.machine);
  for (const auto& plan : compilation.layers) {
    if (plan.placement != Placement::machine) continue;
    for (const auto& mapping : plan.mappings) {
      constexpr double all = std::numeric_limits<double>::infinity();
      const MappingSchedule whole(compilation, shared, plan, mapping, all);
      const MappingSchedule shortened(compilation, shared, plan, mapping, few);
      if (whole.expected_operations() > affordable || shortened.layers() == 1) continue;
      const double error = std::abs(shortened.run().cycles / whole.run().cycles - 1);
      INFO(mapping_text(compilation.machine, plan.work, mapping));
      // Where factors have changed places more of the time goes to loading them, of which sums say less.
      if (main_way(mapping) > 0) {
        CHECK(error < 0.4);
        continue;
      }
      CHECK(error < 0.2);
      ++agreement.shortened;
      agreement.sum += error;
      agreement.most = std::max(agreement.most, error);
    }
  }
}

void check_shortened(const std::string& name, const std::map<std::string, std::string>& params = {}) {
  CAPTURE(name);
  const Architecture architecture = shipped(name, params);
  const std::uint64_t first = 4000, count = test::asked("ACCORD_RANDOM_LAYERS", 12);
  Agreement agreement;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    compare(architecture, drawn_layer(random), agreement);
  }
  MESSAGE(name, ": ", agreement.shortened, " mappings, mean error ", agreement.sum / std::max(agreement.shortened, 1),
          ", greatest ", agreement.most);
  REQUIRE(agreement.shortened > 0);
  CHECK(agreement.sum / agreement.shortened < 0.03);
}

}  // namespace

TEST_CASE("does the time of a shortened layer agree with the whole schedule's on one core") {
  check_shortened("gemmini16");
  check_shortened("nvdla_small");
  check_shortened("eyeriss");
  check_shortened("timeloop", {{"n", "32"}});
}

TEST_CASE("does the time of a shortened layer agree with the whole schedule's on several cores") {
  check_shortened("gemmini16x4");
  check_shortened("simba");
}

TEST_CASE("does the time of a shortened layer agree with the whole schedule's where the machine has loops") {
  check_shortened("hvx");
}

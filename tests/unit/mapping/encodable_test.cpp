// Can instructions express what any searcher may choose? Else a slower mapping would take its place unseen.
#include <doctest/doctest.h>

#include <limits>

#include "compiler/explore.h"
#include "compiler/layer_alone.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

/// Three channels, whose windows begin inside the words that addresses count.
Network few_channels(const Architecture& architecture) {
  TopologyLayer layer;
  layer.name = "first";
  layer.c = 3;
  layer.h = layer.w = 15;
  layer.k = 16;
  layer.r = layer.s = 3;
  layer.stride_h = layer.stride_w = 2;
  layer.groups = 1;
  return quantise(build_topology("few", {layer}, 17), architecture.numerics, {});
}

int check_all(const Architecture& architecture, std::uint64_t seed) {
  CompileOptions options;
  options.searcher = make_searcher("random", seed);
  Compilation compilation(architecture, few_channels(architecture), options);
  group_pass(compilation);
  place_pass(compilation);
  map_pass(compilation);
  int checked = 0;
  for (const auto& layer : compilation.layers) {
    if (layer.placement != Placement::machine) continue;
    LayerAlone alone(compilation, layer, [](const Architecture&, const Program&) { return std::int64_t{1}; });
    for (const auto& mapping : layer.mappings) {
      INFO(mapping_text(compilation.machine, layer.work, mapping));
      CHECK(alone.cycles(mapping) < std::numeric_limits<double>::infinity());
      ++checked;
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("can instructions express random mappings of a layer with three channels") {
  int checked = 0;
  for (const std::string name : {"gemmini16", "vta"}) {
    const Architecture architecture = shipped(name);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      CAPTURE(name);
      CAPTURE(seed);
      checked += check_all(architecture, seed);
    }
  }
  CHECK(checked > 20);
}

// Do results that are stored in one go take fewer transfers, and does the search look at both ways?
#include <doctest/doctest.h>

#include <limits>
#include <utility>

#include "compiler/explore.h"
#include "compiler/layer_search.h"
#include "compiler/mapping_schedule.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

struct Counted {
  int fewer = 0;   ///< mappings that have fewer operations with results stored in one go
  int chosen = 0;  ///< layers' first mappings that store so
};

Counted count(const Architecture& architecture, Network network) {
  CompileOptions options;
  Compilation compilation(architecture, std::move(network), options);
  group_pass(compilation);
  place_pass(compilation);
  map_pass(compilation);
  SharedMachines shared(compilation.machine);
  Counted counted;
  for (const auto& plan : compilation.layers) {
    if (plan.placement != Placement::machine) continue;
    counted.chosen += plan.mappings.front().stores_whole ? 1 : 0;
    for (Mapping mapping : plan.mappings) {
      INFO(mapping_text(compilation.machine, plan.work, mapping));
      const auto operations = [&](bool whole) {
        mapping.stores_whole = whole;
        constexpr double all = std::numeric_limits<double>::infinity();
        return MappingSchedule(compilation, shared, plan, mapping, all).run().operations;
      };
      const double in_parts = operations(false), in_one = operations(true);
      CHECK(in_one <= in_parts);
      counted.fewer += in_one < in_parts ? 1 : 0;
    }
  }
  return counted;
}

}  // namespace

TEST_CASE("are results stored in parts or in one go, as the schedule finds") {
  const Architecture architecture = shipped("dnnweaver64");
  const Counted small = count(architecture, small_layers(architecture));
  CHECK(small.fewer > 0);
  const TopologyLayer wide = product_layer("wide", 100, 64, 256);
  const Network network = quantise(build_topology("wide", {wide}, 17), architecture.numerics, {});
  const Counted counted = count(architecture, network);
  CHECK(counted.fewer > 0);
  CHECK(counted.chosen == 1);
}

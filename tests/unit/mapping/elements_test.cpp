#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/codelets/codelet.h"
#include "compiler/mapping/default_searcher.h"
#include "compiler/mapping/divisions.h"
#include "compiler/mapping/geometry.h"
#include "compiler/mapping/groups.h"
#include "compiler/mapping/shared_reads.h"
#include "compiler/mapping/split.h"
#include "compiler/mapping/verify.h"
#include "tests/bus_cores.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;
using test::Bus;

namespace {

/// A layer of `small_layers` as work with its candidate mappings.
struct Layer {
  Work work;
  std::vector<Mapping> mappings;
};

std::vector<Layer> layers_of(const Machine& machine, const Network& network) {
  std::vector<Layer> layers;
  const Homes homes = initial_homes(network);
  for (const auto& group : group_operators(network)) {
    Layer layer;
    layer.work = instantiate(network, group.operators, CodeletLibrary::shipped());
    std::vector<std::string> reasons;
    layer.mappings = candidates(machine, network, layer.work, homes, reasons);
    if (!layer.mappings.empty()) layers.push_back(std::move(layer));
  }
  return layers;
}

/// On-chip memories and units that a mapping uses.
std::set<int> places(const Machine& machine, const Mapping& mapping) {
  const auto& memories = machine.architecture.memories;
  std::set<int> result;
  for (const auto& step : mapping.steps) result.insert(step.match.unit);
  for (const auto& use : mapping.uses) {
    if (!memories[use.memory].off_chip) result.insert(1000 + use.memory);
    for (const auto& hop : use.hops) {
      const Route& route = machine.architecture.units[hop.unit].routes[hop.route];
      result.insert(hop.unit);
      if (!memories[route.source].off_chip) result.insert(1000 + route.source);
      if (!memories[route.target].off_chip) result.insert(1000 + route.target);
    }
  }
  return result;
}

std::set<int> targets_of(const Machine& machine, const Hop& hop) {
  const Route& route = machine.architecture.units[hop.unit].routes[hop.route];
  std::set<int> targets(route.also.begin(), route.also.end());
  targets.insert(route.target);
  return targets;
}

/// Whether each hop begins where the one before ends, and the last reaches the capability's memory.
bool connected(const Machine& machine, const Use& use) {
  std::set<int> at = {use.role == UseRole::output ? use.memory : use.home};
  for (const auto& hop : use.hops) {
    if (!at.contains(machine.architecture.units[hop.unit].routes[hop.route].source)) return false;
    at = targets_of(machine, hop);
  }
  return use.hops.empty() || at.contains(use.role == UseRole::output ? use.home : use.memory);
}

void check_images(const Machine& machine, const Mapping& mapping, std::size_t count) {
  const auto& sites = machine.elements.sites(mapping);
  REQUIRE(sites.size() == count);
  std::set<int> taken;
  for (const auto& site : sites) {
    const Mapping image = moved_to(site, mapping);
    for (const int place : places(machine, image)) CHECK_MESSAGE(taken.insert(place).second, place);
    for (const auto& use : image.uses) CHECK(connected(machine, use));
    for (const auto& use : image.uses) {
      const auto& step = image.steps[use.step];
      CHECK(machine.capability(step.match).operands[use.operand].memory == use.memory);
    }
  }
}

const Use& output_of(const Mapping& mapping) {
  const auto found = std::find_if(mapping.uses.begin(), mapping.uses.end(),
                                  [](const Use& use) { return use.role == UseRole::output; });
  REQUIRE(found != mapping.uses.end());
  return *found;
}

/// Counts, for every element of the result, the points of the part's output loops that write it.
void count_written(const Mapping& part, std::map<Extents, int>& written) {
  const Use& output = output_of(part);
  Extents at(part.extent.size(), 0);
  for (bool more = true; more;) {
    Extents element;
    for (const auto& index : output.access.indices) {
      element.push_back(index.offset);
      for (const auto& [it, coefficient] : index.terms) element.back() += coefficient * at[it];
    }
    ++written[element];
    more = false;
    for (std::size_t it = 0; it < at.size() && !more; ++it) {
      if (!depends(output.access, static_cast<int>(it))) continue;
      more = ++at[it] < part.extent[it];
      if (!more) at[it] = 0;
    }
  }
}

std::int64_t points_of(const Extents& extents) {
  std::int64_t points = 1;
  for (const auto extent : extents) points *= extent;
  return points;
}

/// A pointwise convolution of which a sixteenth of the weights fills an element's memory: whole, it needs no second
/// copy.
Network wide_layer(const Architecture& architecture) {
  TopologyLayer layer;
  layer.name = "wide";
  layer.c = 512;
  layer.k = 1024;
  layer.h = layer.w = 2;
  layer.r = layer.s = 1;
  return quantise(build_topology("wide", {layer}, 17), architecture.numerics, {});
}

void check_parts(const Machine& machine, const Work& work, const Mapping& mapping) {
  std::map<Extents, int> written;
  std::int64_t points = 0, results = 1;
  for (const auto& part : parts_of(machine, mapping)) {
    points += points_of(part.extent);
    count_written(part, written);
  }
  for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
    if (!is_reduction(work, mapping, static_cast<int>(it))) results *= mapping.extent[it];
  }
  CHECK(points == points_of(mapping.extent));
  CHECK(static_cast<std::int64_t>(written.size()) == results);
  CHECK(std::all_of(written.begin(), written.end(), [](const auto& entry) { return entry.second == 1; }));
}

/// Each part gets the use's first tile by one transfer, whose memories all are such parts' that begin at the same
/// elements, or nobody's.
void check_receivers(const Machine& machine, const std::vector<Mapping>& parts, std::size_t use) {
  const auto begins = [&](const Mapping& part) {
    std::vector<std::int64_t> at;
    for (const auto& index : part.uses[use].access.indices) at.push_back(index.offset);
    return at;
  };
  if (parts.front().uses[use].role == UseRole::output || parts.front().uses[use].hops.empty()) return;
  for (const auto& part : parts) {
    const auto targets = targets_of(machine, brought_by(part.uses[use], 0));
    CHECK(targets.contains(memory_at(machine.architecture, part.uses[use], 0)));
    if (targets.size() == 1) continue;
    for (const auto& other : parts) {
      for (const auto& used : other.uses) {
        const bool own = &used == &other.uses[use] && begins(other) == begins(part);
        if (!own) CHECK(!targets.contains(used.memory));
      }
    }
  }
}

}  // namespace

TEST_CASE("are elements of an array carried over whole, without sharing") {
  for (const auto& [name, count] : std::map<std::string, std::size_t>{{"simba", 16}, {"gemmini16x4", 4}}) {
    CAPTURE(name);
    const Architecture architecture = shipped(name);
    const Machine machine(architecture);
    const Network network = small_layers(architecture);
    for (const auto& layer : layers_of(machine, network)) {
      for (const auto& mapping : layer.mappings) check_images(machine, mapping, count);
    }
  }
}

TEST_CASE("has a machine of one core one element") {
  const Architecture architecture = shipped("gemmini16");
  const Machine machine(architecture);
  const Network network = small_layers(architecture);
  for (const auto& layer : layers_of(machine, network)) {
    for (const auto& mapping : layer.mappings) check_images(machine, mapping, 1);
  }
}

TEST_CASE("is a multicast a way to each element that it reaches") {
  for (const auto& cores : {test::BusCores{{Bus::all}, {Bus::own}, 2}, test::BusCores{{Bus::row}, {Bus::column}, 4}}) {
    const Architecture architecture = test::bus_cores(cores);
    const Machine machine(architecture);
    for (const auto& layer : layers_of(machine, small_layers(architecture))) {
      for (const auto& mapping : layer.mappings) {
        const auto& sites = machine.elements.sites(mapping);
        REQUIRE(sites.size() == static_cast<std::size_t>(cores.side * cores.side));
        std::set<int> memories;
        for (const auto& site : sites) {
          const Mapping image = moved_to(site, mapping);
          for (const auto& use : image.uses) {
            CHECK(connected(machine, use));
            CHECK(machine.capability(image.steps[use.step].match).operands[use.operand].memory == use.memory);
            if (use.role == UseRole::input) CHECK(memories.insert(use.memory).second);
          }
        }
      }
    }
  }
}

TEST_CASE("is it said why work stays on one of several elements that get both factors only together") {
  const Architecture architecture = test::bus_cores({{Bus::all}, {Bus::all}, 2});
  const Machine machine(architecture);
  for (const auto& layer : layers_of(machine, small_layers(architecture))) {
    for (const auto& mapping : layer.mappings) {
      CHECK(why_alone(machine, layer.work, mapping).find("only by a multicast") != std::string::npos);
    }
  }
}

TEST_CASE("do all parts that a multicast reaches want the same, and only they have what it writes") {
  int divided = 0;
  for (const auto& cores : {test::BusCores{{Bus::all}, {Bus::own}, 2}, test::BusCores{{Bus::own}, {Bus::all}, 3},
                            test::BusCores{{Bus::row}, {Bus::column}, 4},
                            test::BusCores{{Bus::row, Bus::column, Bus::all}, {Bus::own}, 3}}) {
    const Architecture architecture = test::bus_cores(cores);
    const Machine machine(architecture);
    SharedMachines shared(machine);
    const Network network = small_layers(architecture);
    const Homes homes = initial_homes(network);
    for (const auto& layer : layers_of(machine, network)) {
      Mapping undivided = layer.mappings.front();
      undivided.predicted_cycles = 1e18;
      const SearchProblem problem = {machine, network, layer.work, homes, layer.mappings, shipped_cost_model()};
      const Divided found = divide(problem, DefaultSearcher(), shared, undivided, false);
      if (!found.over_all.empty()) CHECK(found.least == found.over_all.front().predicted_cycles);
      for (const auto& mapping : found.over_all) {
        check_parts(machine, layer.work, mapping);
        CHECK(verify(machine, network, layer.work, homes, mapping) == "");
        const auto parts = parts_of(machine, mapping);
        for (std::size_t u = 0; u < mapping.uses.size(); ++u) check_receivers(machine, parts, u);
        ++divided;
      }
    }
  }
  CHECK(divided > 8);
}

TEST_CASE("is a division refused that would bring parts what others want") {
  const Architecture architecture = test::bus_cores({{Bus::all}, {Bus::own}, 2});
  const Machine machine(architecture);
  for (const auto& layer : layers_of(machine, small_layers(architecture))) {
    for (Mapping mapping : layer.mappings) {
      for (int it = 0; it < static_cast<int>(mapping.extent.size()); ++it) {
        if (mapping.extent[it] < 2 || is_reduction(layer.work, mapping, it)) continue;
        mapping.spatial = {{it, ceil_div(mapping.extent[it], std::int64_t{2}), 1}};
        bool counts = false;
        for (const auto& use : mapping.uses) {
          for (const auto& hop : use.hops)
            counts = counts || (targets_of(machine, hop).size() > 1 && depends(use.access, it));
        }
        CHECK(misled(machine, mapping).has_value() == counts);
      }
    }
  }
}

TEST_CASE("is nothing said where work may be divided, or there is one element") {
  for (const char* name : {"simba", "gemmini16"}) {
    const Architecture architecture = shipped(name);
    const Machine machine(architecture);
    for (const auto& layer : layers_of(machine, small_layers(architecture))) {
      for (const auto& mapping : layer.mappings) CHECK(why_alone(machine, layer.work, mapping) == "");
    }
  }
}

TEST_CASE("do the parts of divided work cover every element of the result once") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  SharedMachines shared(machine);
  int divided = 0;
  for (const Network& network : {small_layers(architecture), wide_layer(architecture)}) {
    const Homes homes = initial_homes(network);
    for (const auto& layer : layers_of(machine, network)) {
      Mapping undivided = layer.mappings.front();
      undivided.predicted_cycles = 1e18;  // any division is welcome
      const SearchProblem problem = {machine, network, layer.work, homes, layer.mappings, shipped_cost_model()};
      for (const auto& mapping : divide(problem, DefaultSearcher(), shared, undivided, false).over_all) {
        check_parts(machine, layer.work, mapping);
        CHECK(verify(machine, network, layer.work, homes, mapping) == "");
        ++divided;
      }
    }
  }
  CHECK(divided > 4);
}

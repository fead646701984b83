#pragma once

#include <memory>
#include <vector>

#include "archdsl/graph/rates.h"
#include "simulator/modules/link.h"

namespace accord::sim {

/// What a request competes for on the hop'th link of its way: a transfer's on `route`, or, where that is null, a
/// capability's, whose bytes pass the way of the mover's first route, those in the other direction against it.
/// `off_chip`: the memory at the request's side.
LinkModule::Way way_of(const Architecture& architecture, const Unit& unit, const Route* route, std::size_t hop,
                       bool write, int off_chip);

/// The links of each of a mover's routes, and last those that serve its capabilities. `make_wire(link, route)` adds a
/// private wire (`route` null: of the capabilities) to `links`, which holds the covenant's in their order.
template <class Module, class MakeWire>
std::vector<std::vector<Module*>> ways_of(const Architecture& architecture, const Unit& unit,
                                          const std::vector<std::unique_ptr<Module>>& links, MakeWire&& make_wire) {
  std::vector<std::vector<Module*>> result;
  for (const Route& route : unit.routes) {
    auto& way = result.emplace_back();
    if (route.links.empty()) way.push_back(make_wire(private_wire(architecture, route), &route));
    for (const int link : route.links) way.push_back(links[static_cast<std::size_t>(link)].get());
  }
  if (capability_route(unit)) {
    result.push_back(result.front());
  } else if (unit.link >= 0) {
    result.push_back({links[static_cast<std::size_t>(unit.link)].get()});
  } else if (!unit.routes.empty()) {
    result.push_back(result.front());
  } else {
    Link own;
    own.width = unit.request;
    own.period = unit.period;
    result.push_back({make_wire(own, nullptr)});
  }
  return result;
}

}  // namespace accord::sim

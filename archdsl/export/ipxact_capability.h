#pragma once

#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// A memory that a bus interface reaches, and the links on the way, nearest first.
struct BusWay {
  int memory = -1;
  std::vector<int> links;
};

/// By bus interface of a unit.
using BusWays = std::map<std::string, std::vector<BusWay>>;

/// Reads routes and capabilities of a unit from its `accord:unit` element. Throws accord::Error on anything that is no
/// route or capability.
void read_unit_extension(pugi::xml_node extension, const BusWays& ways, Unit& unit);

}  // namespace accord

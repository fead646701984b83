#pragma once

#include <string>

#include "archdsl/export/ipxact_netlist.h"

namespace accord {

/// The component document of a part under the given name.
std::string part_document(const Architecture& architecture, const Netlist& netlist, const Part& part,
                          const std::string& library, const std::string& name);

}  // namespace accord

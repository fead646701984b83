#pragma once

#include <optional>
#include <string>

#include "archdsl/check/elaborate.h"

namespace accord {

/// `pad` of a route: a byte, or an element with its type.
std::optional<Padding> read_padding(Scope& scope, const Node& node);

/// `gather` of a route whose walk has `dims` dimensions; `index` receives the index memory's name as it is written.
std::optional<Gather> read_gather(Elaboration& elaboration, const Node& node, std::size_t dims, std::string& index);

}  // namespace accord

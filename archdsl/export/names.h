#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace accord {

/// A component's name such as `core[2].mac` taken apart at its dots and indices.
struct NamePart {
  std::string name;                   ///< `core`
  std::vector<std::int64_t> indices;  ///< 2
  bool operator==(const NamePart&) const = default;
};

/// The parts of a name. A name that is not of the form `part.part[i][j]...` is one part without indices.
std::vector<NamePart> parts_of(std::string_view name);

/// True for a plain name of the covenant: letters, digits and `_`, not beginning with a digit.
bool is_identifier(std::string_view text);

/// True where the name has dots or indices and each of its parts is an identifier.
bool is_hierarchical(std::string_view name);

/// Only letters, digits and `_`: `core[2].mac` gives `core_2_mac`. Not unique; never empty, never begins with a digit.
std::string identifier_of(std::string_view name);

}  // namespace accord

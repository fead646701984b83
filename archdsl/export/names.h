#pragma once

#include <cstdint>
#include <span>
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

using NameParts = std::vector<NamePart>;

/// The parts of a name. A name that is not of the form `part.part[i][j]...` is one part without indices.
NameParts parts_of(std::string_view name);

/// `core[]` for `core[2]`: equal for parts that differ only in their indices.
std::string pattern_of(const NamePart& part);
std::vector<std::string> patterns_of(std::span<const NamePart> parts);

/// Names of one pattern as one: `core[0..63].mac[0..3,8]`; where they are not all that the ranges span, their number
/// follows: `pe[0..7][0..7] (12)`.
std::string folded_name(std::span<const NameParts> names);

/// True for a plain name of the covenant: letters, digits and `_`, not beginning with a digit.
bool is_identifier(std::string_view text);

/// True where the name has dots or indices and each of its parts is an identifier.
bool is_hierarchical(std::string_view name);

/// Only letters, digits and `_`: `core[2].mac` gives `core_2_mac`. Not unique; never empty, never begins with a digit.
std::string identifier_of(std::string_view name);

}  // namespace accord

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace accord {

/// Legal values of a number, both ends included.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Greatest byte count, extent or cycle count that a covenant may state: sums and products of two stay within int64.
constexpr std::int64_t greatest_quantity = std::int64_t{1} << 50;

/// What a key's value is.
enum class Form : std::uint8_t {
  name,        ///< letters, digits, `_`
  text,        ///< any single value
  word,        ///< one of KeyRule::words
  flag,        ///< true or false
  integer,     ///< a whole number
  bytes,       ///< with a unit
  cycles,      ///< a plain number, cycles, or a time
  rate,        ///< bytes per cycle, or a bandwidth
  frequency,   ///< with a unit
  energy,      ///< pJ
  area,        ///< um^2
  quantity,    ///< any number, with or without a unit, or a word
  type,        ///< element type
  formula,     ///< whole-number expression over variables
  statement,   ///< a tensor statement or a list of them
  expression,  ///< a scalar expression over values
  step,        ///< bytes, or `free`
  reference,   ///< a component's name
  arrow,       ///< `FROM -> TO`
  binding,     ///< field + register + number
  interval,    ///< `N`, `LOW..HIGH`
  path,        ///< of a file
  map,         ///< MapRule `map`, or its short form
  table,       ///< free keys, each value a `map` (or of its short form)
  list,        ///< a list of `map` (or of its short form); a single one may stand alone
};

/// One key of one map of the language.
struct KeyRule {
  std::string_view key;
  Form form = Form::text;
  std::string_view meaning;  ///< a sentence for the reference
  bool required = false;
  std::string_view fallback = "";  ///< the default, in the language's own words; empty: none
  Range range = {};                ///< of numbers, in the base unit
  std::string_view example = "";
  std::string_view map = "";    ///< the MapRule of a nested map, table or list
  std::string_view words = "";  ///< legal words, separated by blanks
};

/// One map of the language: the checker, `accord schema` and the reference in docs/ are made from these.
struct MapRule {
  std::string_view name;
  std::string_view meaning;
  std::span<const KeyRule> keys;
  Form short_form = Form::map;  ///< what may stand in the map's place; map: nothing
  std::string_view short_meaning = "";

  const KeyRule* find(std::string_view key) const;
};

/// All maps, the covenant itself first. The kinds of components are maps named after their `kind`.
std::span<const MapRule> grammar();

/// The map of that name, which must exist.
const MapRule& map_rule(std::string_view name);

}  // namespace accord

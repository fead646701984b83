#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  declarator,  ///< a component's name, or that of an array with its sizes
  text,        ///< any single value
  word,        ///< one of KeyRule::words
  flag,        ///< true or false
  integer,     ///< a whole number
  bytes,       ///< with a unit
  amount,      ///< a whole number, or bytes
  cycles,      ///< a plain number, cycles, or a time
  rate,        ///< bytes per cycle, or a bandwidth
  frequency,   ///< with a unit
  energy,      ///< pJ
  area,        ///< um^2
  quantity,    ///< any number, with or without a unit
  value,       ///< a quantity, a word, true or false
  pair,        ///< a list of two quantities
  type,        ///< element type
  formula,     ///< whole-number expression over variables
  statement,   ///< a tensor statement or a list of them
  expression,  ///< a scalar expression over values
  step,        ///< bytes, or `free`
  reference,   ///< dotted names with indices: a component, a capability, a register
  arrow,       ///< `FROM -> TO`
  binding,     ///< field + register + number
  interval,    ///< `N`, `LOW..HIGH`
  path,        ///< of a file
  map,         ///< MapRule `map`, or its short form
  table,       ///< free keys, each value a `map` (or of its short form)
  list,        ///< a list of `map` (or of its short form); a single one may stand alone
  sequence,    ///< the same, but always in brackets
};

/// One key of one map of the language.
struct KeyRule {
  std::string_view key;
  Form form = Form::text;
  std::string_view meaning;  ///< a sentence for the reference
  bool required = false;
  std::string_view fallback = "";  ///< the default, in the language's own words; empty: none
  Range range = {};                ///< of numbers, in the base unit; of lists and tables: how many entries
  std::string_view example = "";
  std::string_view map = "";    ///< the MapRule of a nested map, table or list
  std::string_view words = "";  ///< legal words, separated by blanks
  Form names = Form::name;      ///< what the keys of a table are: name, declarator or reference
};

/// One map of the language: the checker, `accord schema` and the reference in docs/ are made from these.
struct MapRule {
  std::string_view name;
  std::string_view meaning;
  std::span<const KeyRule> keys;
  Form short_form = Form::map;  ///< what may stand in the map's place; map: nothing
  std::string_view short_meaning = "";
  Range short_range = {};             ///< of a short form that is a number
  std::string_view short_words = "";  ///< of a short form that is a word, separated by blanks
  std::string_view exactly_one = "";  ///< keys of which one must stand, separated by blanks
  std::string_view choices = "";      ///< maps of which it is one (components), separated by blanks

  const KeyRule* find(std::string_view key) const;
};

/// All maps, the covenant itself first. The kinds of components are maps named after their `kind`.
std::span<const MapRule> grammar();

/// Without blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// The words of a text, which blanks separate.
std::vector<std::string> words_of(std::string_view text);

/// The map of that name, which must exist.
const MapRule& map_rule(std::string_view name);

}  // namespace accord

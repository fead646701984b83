#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "archdsl/source/grammar.h"

namespace accord {

/// Keeps the order of the grammar, so that editors offer keys in it.
using Schema = nlohmann::ordered_json;

/// Schema of a single value: its YAML types, pattern, range and words. Not of map, table, list and sequence.
Schema form_schema(Form form, Range range, std::string_view words);

/// A value of the language (an example, a default) as YAML 1.2 reads it: plain numbers and booleans become such.
Schema yaml_value(std::string_view text);

}  // namespace accord

#pragma once

#include <nlohmann/json.hpp>

#include "archdsl/isa/program.h"

namespace accord {

/// Layers, stages and symbols as JSON objects: the form they have in the program file and in assembly. What has its
/// default value is left out. Infinities are "inf" and "-inf".
nlohmann::json to_json(const Layer& layer);
nlohmann::json to_json(const Stage& stage);
nlohmann::json to_json(const Symbol& symbol);

/// Inverses. Throw Error on an unknown key, a wrong type or a value out of range.
Layer layer_from_json(const nlohmann::json& json);
Stage stage_from_json(const nlohmann::json& json);
Symbol symbol_from_json(const nlohmann::json& json);

/// Bounded in nesting; throws Error.
nlohmann::json parse_json(std::string_view text);

/// Adds to `values` what one text of a list holds; throws Error where that is more than `parse_json` takes.
void count_values(const nlohmann::json& json, std::size_t& values);

/// Throws Error where a string is not UTF-8.
std::string print_json(const nlohmann::json& json);

/// "input", "output", ...
std::string_view name(Symbol::Role role);
std::optional<Symbol::Role> parse_role(std::string_view text);

/// Whether `split` is `shape` with extents replaced by factors of theirs.
bool splits(const Shape& split, const Shape& shape);

/// Throws Error where indices, counts or shapes of the program make no sense: layers that do not exist, negative
/// counts, a map that does not ascend, strides that do not match the shape.
void check_consistency(const Program& program);

}  // namespace accord

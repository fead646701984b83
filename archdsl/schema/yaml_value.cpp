#include <yaml-cpp/yaml.h>

#include <cassert>
#include <cmath>
#include <string>

#include "archdsl/schema/form_schema.h"
#include "archdsl/source/quantity.h"

namespace accord {

namespace {

Schema scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (text == "true" || text == "false") return text == "true";
  const auto number = parse_quantity(text);
  if (!number || number->dimension != Dimension::none) return text;
  return number->integral ? Schema(number->integer) : Schema(number->real);
}

Schema value(const YAML::Node& node) {
  if (node.IsScalar()) return scalar(node);
  Schema result = node.IsMap() ? Schema::object() : Schema::array();
  for (const auto& entry : node) {
    if (node.IsMap()) {
      result[entry.first.Scalar()] = value(entry.second);
    } else {
      result.push_back(value(entry));
    }
  }
  return result;
}

}  // namespace

Schema yaml_value(std::string_view text) { return value(YAML::Load(std::string(text))); }

}  // namespace accord

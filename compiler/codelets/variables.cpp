#include "compiler/codelets/variables.h"

#include <fmt/format.h>

#include <variant>

#include "archdsl/source/error.h"
#include "archdsl/source/formula.h"

namespace accord {

void Variables::add(const std::string& name, std::int64_t value) {
  names_.push_back(name);
  values_.push_back(value);
}

void Variables::add_shape(const std::string& name, const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) add(fmt::format("{}_{}", name, i), shape[i]);
  if (!shape.empty()) add(name + "_last", shape.back());
  if (shape.size() > 1) add(name + "_second_last", shape[shape.size() - 2]);
}

std::int64_t Variables::evaluate(const std::string& text) const {
  const std::int64_t value = Formula(text, names_).evaluate(values_);
  if (value == INT64_MAX) throw Error(fmt::format("`{}` divides by zero, or is too large", text));
  return value;
}

std::int64_t Variables::extent(const std::string& iterator, const std::string& text) const {
  const std::int64_t extent = evaluate(text);
  if (extent >= 1 && extent <= max_elements) return extent;
  throw Error(fmt::format("iterator {} has the extent {}, which is `{}`", iterator, extent, text));
}

std::vector<double> attribute_numbers(const Attribute& attribute) {
  if (const auto* i = std::get_if<std::int64_t>(&attribute)) return {static_cast<double>(*i)};
  if (const auto* d = std::get_if<double>(&attribute)) return {*d};
  if (const auto* is = std::get_if<std::vector<std::int64_t>>(&attribute)) return {is->begin(), is->end()};
  if (const auto* ds = std::get_if<std::vector<double>>(&attribute)) return *ds;
  return {};
}

}  // namespace accord

#include "compiler/reference/requantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <sstream>

#include "archdsl/source/error.h"
#include "archdsl/tensor/parse.h"

namespace accord::reference {
namespace {

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::stringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) {
    std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::string number_text(double value) {
  if (std::isinf(value)) return value < 0 ? "(-inf)" : "inf";
  return value < 0 ? fmt::format("(-{})", -value) : fmt::format("{}", value);
}

/// Replaces whole names in an expression.
std::string substitute(const std::string& expression, const std::map<std::string, std::string>& replacements) {
  auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  std::string result;
  for (std::size_t i = 0; i < expression.size();) {
    std::size_t end = i;
    while (end < expression.size() && in_name(static_cast<unsigned char>(expression[end]))) ++end;
    if (end == i) {
      result += expression[i++];
      continue;
    }
    const std::string name = expression.substr(i, end - i);
    const auto found = replacements.find(name);
    result += found == replacements.end() ? name : found->second;
    i = end;
  }
  return result;
}

}  // namespace

RequantiseForm requantise_form(const Operator& op, const std::vector<TensorView>& inputs, ElementType y_type) {
  RequantiseForm form;
  form.expression = attribute(op, "expression", std::string());
  form.parameters = split_names(attribute(op, "parameters", std::string()));
  if (inputs.size() != form.parameters.size() + 1) {
    throw Error(fmt::format("{} parameters are named, {} given", form.parameters.size(),
                            static_cast<std::ptrdiff_t>(inputs.size()) - 1));
  }
  for (std::size_t i = 1; i < inputs.size(); ++i) form.parameter_types.push_back(inputs[i].type);
  form.x_type = inputs[0].type;
  form.y_type = y_type;
  form.lo = attribute(op, "lo", -INFINITY);
  form.hi = attribute(op, "hi", INFINITY);
  return form;
}

TensorProgram requantise_program(const RequantiseForm& form, bool varying) {
  StatementContext context;
  context.operand_types = {{"y", form.y_type}, {"x", form.x_type}};
  context.iterator_order = {"i"};
  std::map<std::string, std::string> replacements = {
      {"x", "x[i]"}, {"lo", number_text(form.lo)}, {"hi", number_text(form.hi)}};
  for (std::size_t i = 0; i < form.parameters.size(); ++i) {
    context.operand_types[form.parameters[i]] = form.parameter_types[i];
    if (varying) replacements[form.parameters[i]] = fmt::format("{}[i]", form.parameters[i]);
  }
  const std::string text = fmt::format("y[i] = {}", substitute(form.expression, replacements));
  auto parsed = parse_statements({text}, context);
  if (const auto* error = std::get_if<StatementError>(&parsed)) {
    throw Error(fmt::format("requantisation '{}': {} (in '{}')", form.expression, error->message, text));
  }
  return std::get<TensorProgram>(std::move(parsed));
}

}  // namespace accord::reference

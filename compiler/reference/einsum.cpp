#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

struct Equation {
  std::vector<std::string> terms;
  std::string result;
  std::string summed;  ///< letters that the result has not
  std::map<char, std::int64_t> extents;
};

Equation parse_equation(const OperatorCall& call) {
  std::string text = attribute(call.op, "equation", std::string());
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) throw Error("needs an equation with '->'");
  Equation equation{{""}, text.substr(arrow + 2), "", {}};
  for (char c : text.substr(0, arrow)) {
    if (c == ',') {
      equation.terms.emplace_back();
    } else {
      equation.terms.back() += c;
    }
  }
  if (equation.terms.size() != call.inputs.size()) throw Error("terms and inputs differ in number");
  for (std::size_t i = 0; i < equation.terms.size(); ++i) {
    if (equation.terms[i].size() != call.inputs[i].shape.size()) throw Error("a term does not fit its rank");
    for (std::size_t d = 0; d < equation.terms[i].size(); ++d) {
      if (equation.extents.emplace(equation.terms[i][d], call.inputs[i].shape[d]).second &&
          equation.result.find(equation.terms[i][d]) == std::string::npos) {
        equation.summed += equation.terms[i][d];
      }
    }
  }
  return equation;
}

/// Index into an operand for every point over `letters`.
std::vector<std::int64_t> term_indices(const Equation& equation, const std::string& letters, const std::string& term,
                                       const Shape& shape) {
  const auto strides = row_major_strides(shape);
  Shape extents;
  std::vector<std::int64_t> steps;
  for (char letter : letters) {
    extents.push_back(equation.extents.at(letter));
    std::int64_t step = 0;
    for (std::size_t d = 0; d < term.size(); ++d) step += term[d] == letter ? strides[d] : 0;
    steps.push_back(step);
  }
  return strided_indices(extents, steps);
}

void einsum(const OperatorCall& call) {
  const Equation equation = parse_equation(call);
  std::vector<std::vector<float>> operands;
  std::vector<std::vector<std::int64_t>> outer, inner;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    operands.push_back(load_as<float>(call.inputs[i]));
    outer.push_back(term_indices(equation, equation.result, equation.terms[i], call.inputs[i].shape));
    inner.push_back(term_indices(equation, equation.summed, equation.terms[i], call.inputs[i].shape));
  }
  std::vector<float> y(count_of(call.outputs[0].shape));
  for (std::size_t point = 0; point < y.size(); ++point) {
    for (std::size_t s = 0; s < inner[0].size(); ++s) {
      float product = 1;
      for (std::size_t i = 0; i < operands.size(); ++i)
        product *= operands[i][static_cast<std::size_t>(outer[i][point] + inner[i][s])];
      y[point] += product;
    }
  }
  store_all(call.outputs[0], y);
}

}  // namespace

void add_einsum(OperatorTable& table) { table["Einsum"] = einsum; }

}  // namespace accord::reference

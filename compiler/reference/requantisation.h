#pragma once

#include <string>
#include <vector>

#include "archdsl/tensor/statement.h"
#include "compiler/reference/operator_table.h"

namespace accord::reference {

/// A requantisation expression and what its names stand for.
struct RequantiseForm {
  std::string expression;  ///< over x, the parameters, lo and hi
  std::vector<std::string> parameters;
  std::vector<ElementType> parameter_types;
  ElementType x_type{};
  ElementType y_type{};
  double lo = 0;
  double hi = 0;
};

/// Form of a Requantize operator; `inputs` are x and the parameters. Throws Error where attributes and inputs disagree.
RequantiseForm requantise_form(const Operator& op, const std::vector<TensorView>& inputs, ElementType y_type);

/// "y[i] = expression" with x[i] for x, p or, if `varying`, p[i] for each parameter, numbers for lo and hi.
/// Operands are called y, x and as the parameters. Throws Error when the expression cannot be parsed.
TensorProgram requantise_program(const RequantiseForm& form, bool varying);

}  // namespace accord::reference

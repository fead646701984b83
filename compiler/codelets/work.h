#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archdsl/tensor/statement.h"
#include "compiler/codelets/codelet.h"
#include "compiler/network/network.h"

namespace accord {

/// An operand of a piece of work: a tensor of the network, or a temporary.
struct WorkOperand {
  TensorId tensor = no_tensor;
  Shape shape;
  double outside = 0;  ///< what reads beyond the shape yield
  bool constant = false;
  std::optional<double> number = std::nullopt;  ///< of a constant of one element, in the operand's type
};

/// One or several operators as tensor statements with bound iterators: what is mapped, lowered, or given to the host.
/// Iterators of extent 1 occur in no access, unless asked for.
struct Work {
  TensorProgram program;
  std::vector<WorkOperand> operands;  ///< same index as program.operands
  std::vector<int> operator_of;       ///< per statement: index into `operators`
  std::vector<int> operators;         ///< of the network
};

/// Whether the operator has a codelet, or statements that are made for it.
bool has_statements(const Network& network, const Operator& op, const CodeletLibrary& library);

/// Puts the codelets of consecutive operators together. The first one's output index names the iteration space that
/// the later (element-wise) ones share; an operator whose codelet works in place shares its input's memory.
/// `keeps_ones`: where iterators of extent 1 alone make up an index, the last one stays, for capabilities that count more.
/// Throws Error where an operator has no codelet.
Work instantiate(const Network& network, const std::vector<int>& operators, const CodeletLibrary& library,
                 bool keeps_ones = false);

/// The name, with underscores behind it where an iterator of the program has it already.
std::string unused_name(const TensorProgram& program, std::string name);

/// Adds an iterator called so, or by an unused name; its index.
int add_iterator(TensorProgram& program, std::string name, std::int64_t extent);

}  // namespace accord

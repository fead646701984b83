#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord {

enum class Keep { all, outputs };

struct ExecuteOptions {
  Keep keep =
      Keep::outputs;  ///< which tensors the result holds; `all` includes the network's inputs, not its constants
  int threads = 2;    ///< results do not depend on it

  /// Called after each operator with its outputs, one per entry of `op.outputs`, null where that is absent. What it
  /// changes in their elements is what later operators read.
  std::function<void(const Operator& op, const std::vector<Value*>& outputs)> observer;
};

/// Evaluates a network of any form of docs/operators.md, operator by operator, with plain loops of its own: neither
/// codelets nor kernels of the simulator take part (only Requantize's scalar expression is evaluated by
/// archdsl/tensor). Integers are exact. Floats compute in fp32, sums in index order, and round when stored in a
/// narrower type. `inputs` by tensor name. Throws Error for a missing or misshaped input and for an operator that is
/// not supported.
Values execute(const Network& network, Values inputs, const ExecuteOptions& options = {});

/// Whether `execute` has an implementation of this operator type.
bool can_execute(std::string_view operator_type);

}  // namespace accord

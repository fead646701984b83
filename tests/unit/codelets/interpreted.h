#pragma once

#include <map>
#include <string>
#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord {

/// A network of operators in sequence, the first of which reads `inputs` ("0", "1", ...); built operator by operator.
class OperatorCase {
 public:
  explicit OperatorCase(const std::vector<Value>& inputs);

  /// Appends an operator; inputs are tensor ids, no_tensor where absent. Returns its output's id.
  TensorId add(const std::string& type, std::vector<TensorId> from, ElementType result, Shape shape,
               std::map<std::string, Attribute> attributes = {});

  Network network;
  Values values;
};

/// The last operator's output: its codelets (those of all operators, instantiated as one piece of work) interpreted.
Value interpreted(const OperatorCase& test);

/// The same by the reference executor, which knows no codelets.
Value referenced(const OperatorCase& test);

/// Integers must be equal, floats within 1e-5 of the greatest magnitude.
void check_agrees(const OperatorCase& test);

/// One operator over inputs 0, 1, ...
void check_operator(const std::string& type, const std::vector<Value>& inputs, ElementType result, const Shape& shape,
                    const std::map<std::string, Attribute>& attributes = {});

}  // namespace accord

#pragma once

#include "archdsl/source/error.h"
#include "compiler/network/network.h"

namespace accord {

/// What is wrong with an operator of the user's model. Who knows the model's name puts it in front.
class OperatorError : public Error {
 public:
  OperatorError(const Operator& op, const std::string& what)
      : Error("node '" + op.name + "' (" + op.type + "): " + what) {}
};

}  // namespace accord

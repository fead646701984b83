#pragma once

#include <string>

#include "archdsl/tensor/value.h"
#include "cli/commands.h"
#include "compiler/network/network.h"
#include "compiler/network/operator_error.h"

namespace accord {

/// A model ready for the compiler, with what goes in and what should come out.
struct LoadedModel {
  std::string name;
  Network imported;  ///< as the model has it: what the fp32 reference evaluates
  Network network;   ///< canonical
  Values inputs;     ///< one per network input; seeded where none was given
  Values expected;   ///< by output name; may be empty
};

inline constexpr const char* default_model = "resnet50";

/// As the user names it; a file in a folder by its path.
std::string model_name(const ModelChoice& choice);

/// Reads and canonicalises the chosen model (default_model where none is). Throws Error for what cannot be read.
LoadedModel load_chosen(const ModelChoice& choice);

/// Calls `fn`; what is wrong with an operator is said with the model's name.
template <typename Fn>
auto of_model(const ModelChoice& choice, const Fn& fn) {
  try {
    return fn();
  } catch (const OperatorError& error) {
    throw Error(model_name(choice) + ": " + error.what());
  }
}

}  // namespace accord

#pragma once

#include <string>

#include "archdsl/tensor/value.h"
#include "cli/commands.h"
#include "compiler/network/network.h"

namespace accord {

/// A model ready for the compiler, with what goes in and what should come out.
struct LoadedModel {
  std::string name;
  Network network;  ///< canonical
  Values inputs;    ///< one per network input; seeded where none was given
  Values expected;  ///< by output name; may be empty
};

inline constexpr const char* default_model = "resnet50";

/// Reads and canonicalises the chosen model (default_model where none is). Throws Error for what cannot be read.
LoadedModel load_chosen(const ModelChoice& choice);

}  // namespace accord

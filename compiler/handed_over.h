#pragma once

#include "compiler/compilation.h"

namespace accord {

/// The layer that writes the tensor; null: the user does.
LayerPlan* writer_of(Compilation& compilation, TensorId tensor);

/// Readers of the tensor beside the host: layers' operators, and the user.
std::ptrdiff_t readers_of(const Compilation& compilation, TensorId tensor);

/// Whether the user or the host writes the tensor, and one layer of the machine reads it: it may lie as suits that.
bool is_handed_over(Compilation& compilation, TensorId tensor);

/// Whether only the user or the host read the tensor.
bool is_taken_back(const Compilation& compilation, TensorId tensor);

}  // namespace accord

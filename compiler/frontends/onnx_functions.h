#pragma once

#include <onnx/onnx_pb.h>

namespace accord {

/// Nodes that call the model's own functions (ModelProto.functions) become the functions' nodes, in graphs inside nodes
/// too. Throws Error where a function calls itself, or the whole grows beyond all measure.
void inline_functions(onnx::ModelProto& model);

}  // namespace accord

#pragma once

#include "compiler/frontends/onnx_file.h"

namespace accord {

/// Error where the node lacks an attribute that ONNX requires of its operator in this version of the operator set, or
/// has one that ONNX does not define: a misspelt one would leave its default in force. Versions younger than the ONNX
/// library's are not looked at.
void check_attributes(const onnx::NodeProto& node, int opset);

}  // namespace accord

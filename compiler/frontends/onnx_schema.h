#pragma once

#include "compiler/frontends/onnx_file.h"

namespace onnx {
class OpSchema;
}

namespace accord {

/// What ONNX says of the node's operator in this version of the operator set; nullptr where the library knows nothing:
/// of other domains, and of versions younger than itself.
const onnx::OpSchema* schema_of(const onnx::NodeProto& node, int opset);

/// The same, of younger versions what the newest known one says: good enough to learn from, not to judge by.
const onnx::OpSchema* nearest_schema_of(const onnx::NodeProto& node, int opset);

/// Error where the node lacks an attribute that ONNX requires of its operator in this version of the operator set, or
/// has one that ONNX does not define, of another type, or twice: its default would be in force, or one of both.
void check_attributes(const onnx::NodeProto& node, int opset);

}  // namespace accord

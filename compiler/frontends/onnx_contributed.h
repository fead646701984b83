#pragma once

#include <onnx/onnx_pb.h>

namespace accord {

/// onnxruntime's quantised operators (domain com.microsoft: QLinearAdd, QLinearMul, QLinearConcat, QLinearSigmoid,
/// QLinearLeakyRelu, QLinearSoftmax, QLinearAveragePool, QLinearGlobalAveragePool, QGemm) become DequantizeLinear,
/// ONNX's operator and QuantizeLinear, in graphs inside nodes too. Throws Error where one lacks an input, or wants its
/// channels last.
void expand_contributed(onnx::ModelProto& model);

}  // namespace accord

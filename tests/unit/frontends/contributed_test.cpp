// Do onnxruntime's quantised operators mean DequantizeLinear, ONNX's operator and QuantizeLinear?
#include <doctest/doctest.h>

#include <string>

#include "archdsl/source/error.h"
#include "compiler/reference/execute.h"
#include "models.h"
#include "tests/text_model.h"

using namespace accord;

namespace {

/// A graph whose tensors xq (2 x 4 x 3 x 3) and zq (2 x 4) are quantised, and that ends with rq, in u8. Nodes may be of
/// com.microsoft: the parser knows no domains, so that the test gives them theirs.
Network model_of(const std::string& nodes) {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 13, \"com.microsoft\" : 1]>\n"
      "g (float[2,4,3,3] x, float[2,4] z) => (r) <float xs = {0.02}, uint8 xz = {120}, float ys = {0.05}, uint8 yz = "
      "{7}, float rs = {0.03}, uint8 rz = {100}, int8[3,4] w = {1, -2, 3, -4, 5, 60, -70, 80, 9, 10, 11, -12}, float "
      "ws = "
      "{0.01}, int8 wz = {0}, int32[3] b = {100, -200, 300}, float bs = {0.0002}>\n"
      "{ xq = QuantizeLinear(x, xs, xz)  zq = QuantizeLinear(z, xs, xz) " +
      nodes + " r = DequantizeLinear(rq, rs, rz) }";
  onnx::ModelProto model = test::parsed_model(text);
  for (auto& node : *model.mutable_graph()->mutable_node()) {
    const std::string& type = node.op_type();
    if (type.starts_with("QLinear") || type == "QGemm") node.set_domain("com.microsoft");
  }
  return test::imported_model(model);
}

/// x, quantised and dequantised by operators of this domain and operator set.
Network quantised_by(const std::string& domain, int opset, const std::string& type) {
  const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                           "]>\ng (float[2,4] x) => (r) <float xs = {0.02}, " + type +
                           " xz = {20}> { xq = QuantizeLinear(x, xs, xz)  r = DequantizeLinear(xq, xs, xz) }";
  onnx::ModelProto model = test::parsed_model(text);
  for (auto& node : *model.mutable_graph()->mutable_node()) node.set_domain(domain);
  return test::imported_model(model);
}

/// The nodes, and ONNX's own that they stand for.
void check_same(const std::string& nodes, const std::string& spelt_out) {
  CAPTURE(nodes);
  const Network network = model_of(nodes), expected = model_of(spelt_out);
  const Values inputs = given_inputs(expected);
  CHECK(execute(network, inputs).at("r").data == execute(expected, inputs).at("r").data);
}

const std::string real = "xr = DequantizeLinear(xq, xs, xz) ";
const std::string stored = " rq = QuantizeLinear(rr, rs, rz)";

}  // namespace

TEST_CASE("do onnxruntime's quantised operators mean what ONNX's own, written out, mean") {
  check_same("rq = QLinearAdd(xq, xs, xz, xq, ys, yz, rs, rz)",
             real + "yr = DequantizeLinear(xq, ys, yz) rr = Add(xr, yr)" + stored);
  check_same("rq = QLinearMul(xq, xs, xz, xq, ys, yz, rs, rz)",
             real + "yr = DequantizeLinear(xq, ys, yz) rr = Mul(xr, yr)" + stored);
  check_same("rq = QLinearSigmoid(xq, xs, xz, rs, rz)", real + "rr = Sigmoid(xr)" + stored);
  check_same("rq = QLinearLeakyRelu <alpha = 0.3> (xq, xs, xz, rs, rz)",
             real + "rr = LeakyRelu <alpha = 0.3> (xr)" + stored);
  check_same("rq = QLinearSoftmax <axis = 1, opset = 13> (xq, xs, xz, rs, rz)",
             real + "rr = Softmax <axis = 1> (xr)" + stored);
  check_same("rq = QLinearAveragePool <kernel_shape = [2, 2], pads = [1, 0, 0, 1]> (xq, xs, xz, rs, rz)",
             real + "rr = AveragePool <kernel_shape = [2, 2], pads = [1, 0, 0, 1]> (xr)" + stored);
  check_same("rq = QLinearGlobalAveragePool <channels_last = 0> (xq, xs, xz, rs, rz)",
             real + "rr = GlobalAveragePool(xr)" + stored);
  check_same("rq = QLinearConcat <axis = 1> (rs, rz, xq, xs, xz, xq, ys, yz)",
             real + "yr = DequantizeLinear(xq, ys, yz) rr = Concat <axis = 1> (xr, yr)" + stored);
  check_same(
      "rq = QGemm <transB = 1> (zq, xs, xz, w, ws, wz, b, rs, rz)",
      "zr = DequantizeLinear(zq, xs, xz) wr = DequantizeLinear(w, ws, wz) br = DequantizeLinear(b, bs) rr = Gemm "
      "<transB = 1> (zr, wr, br)" +
          stored);
  // The bias is in units of alpha times both scales (onnxruntime's ContribOperators.md).
  check_same(
      "rq = QGemm <alpha = 0.5, transB = 1> (zq, xs, xz, w, ws, wz, b, rs, rz)",
      "zr = DequantizeLinear(zq, xs, xz) wr = DequantizeLinear(w, ws, wz) half = Constant <value = float {0.5}> () "
      "bs2 = Mul(bs, half) br = DequantizeLinear(b, bs2) rr = Gemm <alpha = 0.5, transB = 1> (zr, wr, br)" +
          stored);
}

TEST_CASE("are onnxruntime's own quantisers ONNX's, also of types that the operator set lacks") {
  for (const std::string type : {"int8", "uint8", "int16"}) {
    CAPTURE(type);
    const Network own = quantised_by("com.microsoft", 13, type),
                  expected = quantised_by("", type == "int16" ? 21 : 13, type);
    const Values inputs = given_inputs(expected);
    CHECK(execute(own, inputs).at("r").data == execute(expected, inputs).at("r").data);
  }
}

TEST_CASE("is a quantised operator of onnxruntime refused that lacks an input or wants its channels last") {
  const auto refusal = [](const std::string& nodes) -> std::string {
    try {
      model_of(nodes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("rq = QLinearAdd(xq, xs, xz, xq, ys, yz)").find("an input is missing") != std::string::npos);
  CHECK(refusal("rq = QLinearGlobalAveragePool <channels_last = 1> (xq, xs, xz, rs, rz)").find("channels_last") !=
        std::string::npos);
  CHECK(refusal("rq = QLinearReduceMean(xq, xs, xz, rs, rz)").find("com.microsoft") != std::string::npos);
}

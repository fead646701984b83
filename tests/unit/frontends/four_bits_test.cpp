// Are constants of 4 bits, and scales per block, what ONNX says they are?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/network/constants.h"
#include "tests/text_model.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr int uint4 = 21, int4 = 22;

onnx::TensorProto& add_initialiser(onnx::ModelProto& model, const std::string& name, int type,
                                   const std::vector<std::int64_t>& shape) {
  auto& constant = *model.mutable_graph()->add_initializer();
  constant.set_name(name);
  constant.set_data_type(type);
  for (const auto extent : shape) constant.add_dims(extent);
  return constant;
}

/// Pairs of elements, the first in the lower half of a byte, in either of the ways to write them.
void set_pairs(onnx::TensorProto& constant, const std::vector<std::uint8_t>& pairs, bool raw) {
  if (raw) return constant.set_raw_data(pairs.data(), pairs.size());
  for (const auto pair : pairs) constant.add_int32_data(pair);
}

onnx::ModelProto in_opset_21(const std::string& graph) {
  return parsed_model("<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph);
}

std::vector<double> constant_of(const Network& network, const std::string& name) {
  const auto found = std::ranges::find_if(
      network.tensors, [&](const Tensor& tensor) { return tensor.name == name && tensor.is_constant(); });
  REQUIRE(found != network.tensors.end());
  return numbers_of(*found);
}

}  // namespace

TEST_CASE("Are constants of 4 bits read as ONNX packs them, signed and unsigned, odd counts too?") {
  for (const bool raw : {false, true}) {
    CAPTURE(raw);
    auto model = in_opset_21("g (float[5] x) => (float[5] y) { d = DequantizeLinear (w, s)  y = Add (x, d) }");
    add_initialiser(model, "s", onnx::TensorProto::FLOAT, {}).add_float_data(0.5F);
    auto& weight = add_initialiser(model, "w", int4, {5});
    set_pairs(weight, {0x87, 0x0f, 0x03}, raw);
    CHECK(constant_of(imported_model(model), "w") == std::vector<double>{7, -8, -1, 0, 3});
    weight.set_data_type(uint4);
    CHECK(constant_of(imported_model(model), "w") == std::vector<double>{7, 8, 15, 0, 3});
    weight.set_dims(0, 7);
    CHECK_THROWS_WITH_AS(imported_model(model), doctest::Contains(raw ? "3 bytes" : "3 values"), Error);
  }
}

TEST_CASE("Does a constant with a scale and a zero point per block become the floats that these make?") {
  auto model = in_opset_21(
      "g (float[2,5] x) => (float[2,5] y) { d = DequantizeLinear <axis = 1, block_size = 2> (w, s, z)  y = Add (x, d) "
      "}");
  auto& weight = add_initialiser(model, "w", int4, {2, 5});
  set_pairs(weight, {0x21, 0x43, 0x65, 0xf7, 0xde}, true);  // 1 2 3 4 5, 6 7 -1 -2 -3
  auto& scales = add_initialiser(model, "s", onnx::TensorProto::FLOAT, {2, 3});
  for (const float scale : {1.F, 10.F, 100.F, 0.5F, 2.F, 4.F}) scales.add_float_data(scale);
  auto& zeros = add_initialiser(model, "z", int4, {2, 3});
  set_pairs(zeros, {0x10, 0x02, 0xf0}, true);  // 0 1 2, 0 0 -1
  CHECK(constant_of(imported_model(model), "d") == std::vector<double>{1, 2, 20, 30, 300, 3, 3.5, -2, -4, -8});
  weight.set_dims(0, 1);
  weight.set_dims(1, 10);
  CHECK_THROWS_WITH_AS(imported_model(model), doctest::Contains("blocks of 2 are to be [1,5]"), Error);
}

TEST_CASE("May a block be longer than what is quantised, and be of 4 bits what ONNX lets be, and no more?") {
  const auto with = [](const std::string& graph, int zero_type) {
    auto model = in_opset_21("g (float[4] x) => (float[4] y) {" + graph + "}");
    add_initialiser(model, "s", onnx::TensorProto::FLOAT, {1}).add_float_data(0.5F);
    set_pairs(add_initialiser(model, "w", int4, {4}), {0x21, 0x43}, true);
    set_pairs(add_initialiser(model, "z", zero_type, {1}), {1}, true);
    return model;
  };
  const auto whole =
      with("d = DequantizeLinear <axis = 0, block_size = 9223372036854775807> (w, s, z)  y = Add (x, d)", int4);
  CHECK(constant_of(imported_model(whole), "d") == std::vector<double>{0, 0.5, 1, 1.5});
  const auto mixed = with("d = DequantizeLinear (w, s, z)  y = Add (x, d)", onnx::TensorProto::UINT8);
  CHECK_THROWS_WITH_AS(imported_model(mixed), doctest::Contains("inputs 0 and 2 are int4 and uint8; they must be"),
                       Error);
  const auto unsigned_zero = with("d = DequantizeLinear (w, s, z)  y = Add (x, d)", uint4);
  CHECK_THROWS_WITH_AS(imported_model(unsigned_zero), doctest::Contains("are int4 and uint4; they must be"), Error);
  const auto added = with("a = Add (w, w)  d = DequantizeLinear (a, s, z)  y = Add (x, d)", int4);
  CHECK_THROWS_WITH_AS(imported_model(added), doctest::Contains("input 0 ('w') is of 4 bits, which it does not take"),
                       Error);
}

TEST_CASE("Is quantisation to 4 bits, and of what is no constant in blocks, refused?") {
  auto model =
      in_opset_21("g (float[4] x) => (float[4] y) { q = QuantizeLinear (x, s, z)  y = DequantizeLinear (q, s, z) }");
  add_initialiser(model, "s", onnx::TensorProto::FLOAT, {}).add_float_data(0.5F);
  set_pairs(add_initialiser(model, "z", int4, {}), {0}, true);
  CHECK_THROWS_WITH_AS(imported_model(model), doctest::Contains("quantisation to 4 bits is not supported"), Error);
  auto through = in_opset_21(
      "g (float[4] x) => (float[4] y) { z = Identity (z0)  q = QuantizeLinear (x, s, z)  y = DequantizeLinear (q, s, "
      "z) "
      "}");
  add_initialiser(through, "s", onnx::TensorProto::FLOAT, {}).add_float_data(0.5F);
  set_pairs(add_initialiser(through, "z0", int4, {}), {0}, true);
  CHECK_THROWS_WITH_AS(imported_model(through), doctest::Contains("quantisation to 4 bits is not supported"), Error);
  auto cast = in_opset_21("g (float[4] x) => (float[4] y) { c = CastLike (x, z)  y = CastLike (c, x) }");
  set_pairs(add_initialiser(cast, "z", int4, {}), {0}, true);
  CHECK_THROWS_WITH_AS(imported_model(cast), doctest::Contains("element type int4 is not supported"), Error);
  auto blocks = in_opset_21(
      "g (int8[4] x) => (float[4] y) { s = Constant <value = float[2] {1.0, 2.0}> ()\n"
      "  y = DequantizeLinear <axis = 0, block_size = 2> (x, s) }");
  CHECK_THROWS_WITH_AS(imported_model(blocks),
                       doctest::Contains("only constants that are dequantised may have scales per block"), Error);
}

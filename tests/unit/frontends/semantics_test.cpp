// Do operators mean what ONNX's text says where attributes, types or absent operands are unusual? By hand-made values.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "archdsl/tensor/scalar.h"
#include "compiler/network/canonicalise.h"
#include "compiler/reference/execute.h"
#include "models.h"
#include "tests/text_model.h"

using namespace accord;

namespace {

using Numbers = std::vector<double>;

/// A result that is called `none` has no name.
Network imported(const std::string& graph, int opset = 13) {
  onnx::ModelProto model =
      test::parsed_model("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
  for (auto& node : *model.mutable_graph()->mutable_node()) {
    for (std::string& output : *node.mutable_output()) {
      if (output == "none") output.clear();
    }
  }
  return test::imported_model(model);
}

Value value_of(const Tensor& tensor, const Numbers& numbers) {
  Value value{tensor.type, tensor.shape,
              std::vector<std::byte>(numbers.size() * static_cast<std::size_t>(bytes(tensor.type)))};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    store_element(value.data.data() + i * static_cast<std::size_t>(bytes(tensor.type)), tensor.type, numbers[i]);
  return value;
}

/// The only output, as imported and in canonical form, of the inputs in their order.
Numbers output_of(const std::string& graph, const std::vector<Numbers>& inputs, int opset = 13) {
  Network network = imported(graph, opset);
  Values given;
  REQUIRE(network.inputs.size() == inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = network.tensor(network.inputs[i]);
    given[tensor.name] = value_of(tensor, inputs[i]);
  }
  const auto numbers = [&] {
    const Value value = execute(network, given).begin()->second;
    Numbers result;
    const auto size = static_cast<std::size_t>(bytes(value.type));
    for (std::size_t at = 0; at < value.data.size(); at += size)
      result.push_back(load_element(value.data.data() + at, value.type));
    return result;
  };
  const Numbers first = numbers();
  canonicalise(network);
  const Numbers canonical = numbers();
  REQUIRE(canonical.size() == first.size());
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(canonical[i] == doctest::Approx(first[i]).epsilon(1e-5));
  return first;
}

void check_output(const std::string& graph, const std::vector<Numbers>& inputs, const Numbers& expected,
                  int opset = 13) {
  CAPTURE(graph);
  const Numbers given = output_of(graph, inputs, opset);
  REQUIRE(given.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(given[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

void check_refused(const std::string& graph, const std::string& why, int opset = 13) {
  CAPTURE(graph);
  std::string message;
  try {
    imported(graph, opset);
  } catch (const Error& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("does Gemm multiply as its attributes say, in whatever type, and add C as it broadcasts") {
  check_output("g (int32[1,2] a, int32[2,2] b) => (int32[1,2] y) { y = Gemm(a, b) }", {{1, 2}, {1, 2, 3, 4}}, {7, 10});
  check_output("g (int32[1,2] a, int32[2,2] b) => (int32[1,2] y) { y = Gemm <transB = 1> (a, b) }",
               {{1, 2}, {1, 2, 3, 4}}, {5, 11});
  check_output("g (int32[2,1] a, int32[2,2] b, int32 c) => (int32[1,2] y) { y = Gemm <transA = 1> (a, b, c) }",
               {{1, 2}, {1, 2, 3, 4}, {10}}, {17, 20});
  const std::string product = "g (float[2,2] a, float[2,2] b) => (float[2,2] y) <float[";
  const std::vector<Numbers> factors = {{1, 2, 3, 4}, {1, 0, 0, 1}};  // b is its own transpose
  check_output(product + "2,1] c = {10, 20}> { y = Gemm <transB = 1> (a, b, c) }", factors, {11, 12, 23, 24});
  check_output(product + "2,2] c = {10, 20, 30, 40}> { y = Gemm <transB = 1> (a, b, c) }", factors, {11, 22, 33, 44});
  check_output(product + "1] c = {10}> { y = Gemm <transB = 1> (a, b, c) }", factors, {11, 12, 13, 14});
  check_output(
      "g (float[2,2] x) => (float[2,2] y) <float[2,2] a = {1, 2, 3, 4}, float[2,2] b = {1, 0, 0, 1}, float[2,1] c "
      "= {10, 20}> { k = Gemm <transB = 1> (a, b, c) y = Add(x, k) }",
      {{0, 0, 0, 0}}, {11, 12, 23, 24});
  check_refused("g (int32[1,2] a, int32[2,2] b) => (int32[1,2] y) { y = Gemm <alpha = 0.5> (a, b) }", "alpha");
}

TEST_CASE("is a cast to a boolean 1 for all but 0") {
  check_output("g (float[5] x) => (float[5] y) { b = Cast <to = 9> (x) y = Cast <to = 1> (b) }", {{0, 0.5, -1, 2, 300}},
               {0, 1, 1, 1, 1});
  check_output("g (int64[4] x, bool[1] l) => (float[4] y) { b = CastLike(x, l) y = Cast <to = 1> (b) }",
               {{0, -5, 256, 1}, {0}}, {0, 1, 1, 1}, 15);
}

TEST_CASE("are indices that name nothing, or one thing twice, refused") {
  check_refused("g (float[2,3] x) => (float[3,2] y) { y = Transpose <perm = [-1, 0]> (x) }", "perm is no permutation");
  check_refused("g (float[3] x) => (float[3,3] y) { y = Einsum <equation = \"i->ii\"> (x) }", "twice in the result");
}

TEST_CASE("does a result reach what is around a body though nothing in the body reads it") {
  check_output(
      "g (float[4] x) => (float[2] y) <bool c = {1}> { y = If (c) <then_branch = t () => (float[2] b) { a, b = "
      "Split <axis = 0> (x) }, else_branch = e () => (float[2] d) { f, d = Split <axis = 0> (x) }> }",
      {{1, 2, 3, 4}}, {3, 4});
}

TEST_CASE("do normalisations take scales that broadcast") {
  const double deviation = std::sqrt(0.25 + 1e-5);
  check_output("g (float[1,2] x) => (float[1,2] y) <float[1] s = {2}> { y = LayerNormalization(x, s) }", {{1, 2}},
               {-0.5 / deviation * 2, 0.5 / deviation * 2}, 17);
}

TEST_CASE("does a Split skip the part that has no name") {
  check_output("g (float[4] x) => (float[1] y) <int64[2] s = {3, 1}> { none, y = Split <axis = 0> (x, s) }",
               {{1, 2, 3, 4}}, {4});
}

TEST_CASE("do bytes move like floats where elements are repeated or rearranged") {
  check_output(
      "g (uint8[1,1,2,2] x) => (uint8[1,1,2,4] y) <float[4] s = {1, 1, 1, 2}> { y = Resize <mode = \"nearest\", "
      "coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , s) }",
      {{1, 2, 3, 200}}, {1, 1, 2, 2, 3, 3, 200, 200});
  check_output("g (uint8[1,4,1,1] x) => (uint8[1,1,2,2] y) { y = DepthToSpace <blocksize = 2> (x) }", {{1, 2, 3, 200}},
               {1, 2, 3, 200});
  check_output("g (uint8[3] x) => (uint8[5] y) <int64[2] p = {1, 1}> { y = Pad <mode = \"reflect\"> (x, p) }",
               {{1, 2, 200}}, {2, 1, 2, 200, 2});
}

TEST_CASE("are quantisation parameters refused of which there are too many or too few, or that need 16 bits") {
  const std::string conv =
      "g (uint8[1,1,2,2] x) => (uint8[1,2,2,2] y) <float xs = {1}, uint8 xz = {0}, int8[2,1,1,1] w = "
      "{1, 2}, float[2] ws = {1, 1}, int8 wz = {0}, float[";
  check_refused(conv + "2] ys = {1, 1}, uint8 yz = {0}> { y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz) }",
                "input 6 has 2 elements; 1 expected");
  check_refused("g (float[3] x) => (uint16[3] y) <float s = {1}, uint16 z = {10}> { y = QuantizeLinear(x, s, z) }",
                "uint16", 21);
}

TEST_CASE("does a transposed convolution with SAME padding give its input's extent times the stride") {
  check_output(
      "g (float[1,1,1,2] x) => (float[1,1,1,4] y) <float[1,1,1,1] w = {3}> { y = ConvTranspose <auto_pad = "
      "\"SAME_UPPER\", strides = [1, 2]> (x, w) }",
      {{1, 2}}, {3, 0, 6, 0});
}

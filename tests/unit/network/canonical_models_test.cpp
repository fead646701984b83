// Does the canonical network of a model as ONNX has it compute what the model does?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "archdsl/tensor/convert.h"
#include "compiler/network/canonicalise.h"
#include "compiler/reference/execute.h"
#include "tests/text_model.h"

using namespace accord;

namespace {

Network model_of(const std::string& graph) {
  return test::imported_model(test::parsed_model("<ir_version: 8, opset_import: [\"\" : 13]>\n" + graph));
}

Values inputs_of(const Network& network) {
  Values inputs;
  for (const TensorId id : network.inputs) {
    const Tensor& tensor = network.tensor(id);
    Value value{tensor.type, tensor.shape, {}};
    value.data.resize(count_of(tensor.shape) * static_cast<std::size_t>(bytes(tensor.type)));
    for (std::int64_t i = 0; i < element_count(tensor.shape); ++i) {
      store_element(value.data.data() + i * bytes(tensor.type), tensor.type,
                    2 * std::sin(0.9 * static_cast<double>(i)));
    }
    inputs[tensor.name] = std::move(value);
  }
  return inputs;
}

/// The model's canonical network, whose results must be the model's: where that rounds, which canonical networks do not
/// (fold_quantisation), to so much.
Network canonical_of(const std::string& graph, double rounded = 0, Values inputs = {}) {
  CAPTURE(graph);
  const Network model = model_of(graph);
  if (inputs.empty()) inputs = inputs_of(model);
  Network canonical = model;
  canonicalise(canonical);
  const Values expected = execute(model, inputs), found = execute(canonical, inputs);
  for (const auto& [name, value] : expected) {
    const Value& other = found.at(name);
    REQUIRE(other.shape == value.shape);
    for (std::int64_t i = 0; i < element_count(value.shape); ++i) {
      const double a = load_element(value.data.data() + i * bytes(value.type), value.type);
      const double b = load_element(other.data.data() + i * bytes(other.type), other.type);
      CHECK(std::abs(a - b) <= rounded + 1e-5 * (1 + std::abs(a)));
    }
  }
  return canonical;
}

bool has(const Network& network, const std::string& type) {
  return std::ranges::any_of(network.operators, [&](const Operator& op) { return op.type == type; });
}

/// Every second row and column of `from`, up to `rows` and `columns`, as channels, convolved.
std::string phases(const std::string& crop, const std::string& from, int rows, int columns) {
  std::string nodes, parts;
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    nodes += "begin" + n + " = Constant<value_ints = [" + std::to_string(i / 2) + ", " + std::to_string(i % 2) + "]>()";
    nodes += " p" + n + " = Slice(" + from + ", begin" + n + ", ends, axes, steps) ";
    parts += (i == 0 ? "p" : ", p") + n;
  }
  return "g (float[1,1,6,6] x) => (y) <float[2,4,3,3] w = {" +
         [] {
           std::string values = "0.5";
           for (int i = 1; i < 72; ++i) values += ", " + std::to_string(i % 7 - 3);
           return values;
         }() +
         "}> { axes = Constant<value_ints = [2, 3]>() steps = Constant<value_ints = [2, 2]>() ends = "
         "Constant<value_ints = [" +
         std::to_string(rows) + ", " + std::to_string(columns) + "]>() " + crop + nodes + " c = Concat<axis = 1>(" +
         parts + ") y = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(c, w) }";
}

}  // namespace

TEST_CASE("Are phases of an image's part not those of the image?") {
  const std::string none;
  CHECK_FALSE(has(canonical_of(phases(none, "x", 6, 6)), "Concat"));
  CHECK(has(canonical_of(phases(none, "x", 4, 6)), "Concat"));
  const std::string crop =
      "first = Constant<value_ints = [0]>() last = Constant<value_ints = [4]>() rows = Constant<value_ints = [2]>() "
      "part = Slice(x, first, last, rows) ";
  CHECK(has(canonical_of(phases(crop, "part", 100, 100)), "Concat"));
}

TEST_CASE("Do movers of what has a scale per channel keep each channel's?") {
  canonical_of(R"(g (float[4,4] x) => (y) <float[4] s = {0.1, 0.2, 0.3, 0.4}, int8[4] z = {1, 2, 3, 4}> {
    q = QuantizeLinear<axis = 1>(x, s, z)  t = Transpose<perm = [1, 0]>(q)  y = DequantizeLinear<axis = 0>(t, s, z) })");
  canonical_of(R"(g (float[1,2,4,4] x) => (y) <float[2] s = {0.1, 0.2}, int8[2] z = {1, 2}> {
    q = QuantizeLinear<axis = 1>(x, s, z)  t = MaxPool<kernel_shape = [2, 2]>(q)
    y = DequantizeLinear<axis = 1>(t, s, z) })");
}

TEST_CASE("Does a quantised convolution take its scales from the model's inputs?") {
  const std::string graph =
      R"(g (float[1,1,4,4] x, float xs) => (y) <uint8 xz = {7}, int8[2,1,2,2] w = {1, -2, 3, 4, 5, -6, 7, 8},
      float[2] ws = {0.1, 0.02}, int8[2] wz = {0, 0}, float ys = {0.05}, uint8 yz = {9}, int32[2] b = {100, -50}> {
      q = QuantizeLinear(x, xs, xz)  r = QLinearConv<kernel_shape = [2, 2]>(q, xs, xz, w, ws, wz, ys, yz, b)
      y = DequantizeLinear(r, ys, yz) })";
  Values inputs = inputs_of(model_of(graph));
  store_element(inputs.at("xs").data.data(), ElementType::fp32, 0.03);
  canonical_of(graph, 0.1, inputs);
}

TEST_CASE("Are weights that the model quantises itself integers with their scales?") {
  const Network network = canonical_of(
      R"(g (float[1,1,4,4] x) => (y) <float[2,1,2,2] w = {0.11, -0.2, 0.3, 0.44, 0.5, -0.62, 0.7, 0.8}, float xs = {0.02},
      int8 xz = {0}, float[2] ws = {0.1, 0.02}, int8[2] wz = {0, 0}> {
      q = QuantizeLinear(x, xs, xz)  d = DequantizeLinear(q, xs, xz)
      v = QuantizeLinear<axis = 0>(w, ws, wz)  u = DequantizeLinear<axis = 0>(v, ws, wz)
      y = Conv<kernel_shape = [2, 2]>(d, u) })",
      0.02);
  const auto conv = std::ranges::find(network.operators, "Conv", &Operator::type);
  REQUIRE(conv != network.operators.end());
  const Tensor& weights = network.tensor(conv->inputs[1]);
  CHECK(weights.is_constant());
  REQUIRE(weights.quantisation);
  CHECK(weights.quantisation->scale == std::vector<float>{0.1F, 0.02F});
}

TEST_CASE("Does a transposed convolution of long strides end, and mean the same?") {
  canonical_of(R"(g (float[1,1,1,1] x) => (y) <float[1,1,1,1] w = {2}> {
    y = ConvTranspose<kernel_shape = [1, 1], strides = [65536, 65536]>(x, w) })");
  canonical_of(R"(g (float[1,1,1,3] x) => (y) <float[1,2,2,2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
    y = ConvTranspose<kernel_shape = [2, 2], strides = [5, 3], output_padding = [2, 1]>(x, w) })");
  canonical_of(R"(g (float[1,1,2,1] x) => (y) <float[1,1,1,1] w = {2}> {
    y = ConvTranspose<kernel_shape = [1, 1], strides = [1000, 1048576]>(x, w) })");
}

TEST_CASE("Is what is divided by a number whose inverse is infinite divided?") {
  Network network = model_of("g (float[2] x) => (y) <float d = {1}> { y = Div(x, d) }");
  const auto divisor = std::ranges::find(network.tensors, "d", &Tensor::name);
  REQUIRE(divisor != network.tensors.end());
  divisor->data = make_constant("d", {}, std::vector<float>{1e-39F}).data;
  Network canonical = network;
  canonicalise(canonical);
  Values inputs = inputs_of(network);  // begins with 0
  CHECK(execute(canonical, inputs).at("y").data == execute(network, inputs).at("y").data);
}

TEST_CASE("Are integers of constants what the network makes of the same integers?") {
  for (const char* sum : {"Add", "Mul", "Sub"}) {
    const std::string node = std::string(sum) + "(a, b) ";
    const Network constant = model_of(
        "g (int32[2] x) => (y) <int32[2] a = {2147483647, -2147483648}, int32[2] b = "
        "{3, 2147483647}> { c = " +
        node + " y = Add(x, c) }");
    const Network computed =
        model_of("g (int32[2] x, int32[2] a, int32[2] b) => (y) { c = " + node + " y = Add(x, c) }");
    Values inputs = inputs_of(computed);
    const std::int32_t a[] = {INT32_MAX, INT32_MIN}, b[] = {3, INT32_MAX};
    std::memcpy(inputs.at("a").data.data(), a, sizeof a);
    std::memcpy(inputs.at("b").data.data(), b, sizeof b);
    const Values expected = execute(computed, inputs);
    CHECK(execute(constant, {{"x", inputs.at("x")}}).at("y").data == expected.at("y").data);
  }
}

TEST_CASE("Is any number but 0 true, of constants too?") {
  const Network network = model_of(
      "g (float[4] x) => (y) <int64[4] a = {-1, 2, 0, 7}> { t = Cast<to = 9>(a) f = Cast<to = 1>(t) y = Mul(x, f) }");
  const Values inputs = inputs_of(network);
  const Value y = execute(network, inputs).at("y");
  const float expected[] = {1, 1, 0, 1};
  for (int i = 0; i < 4; ++i) {
    const double x = load_element(inputs.at("x").data.data() + 4 * i, ElementType::fp32);
    CHECK(load_element(y.data.data() + 4 * i, ElementType::fp32) == doctest::Approx(x * expected[i]));
  }
}

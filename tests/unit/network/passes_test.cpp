#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "archdsl/tensor/convert.h"
#include "compiler/network/canonicalise.h"
#include "compiler/network/text.h"
#include "compiler/reference/execute.h"

using namespace accord;

namespace {

using Integers = std::vector<std::int64_t>;

/// Builds networks in form 1 with random constants.
class Sketch {
 public:
  explicit Sketch(std::uint64_t seed) : random_(seed) {}

  TensorId input(Shape shape) {
    const auto id = network.add({"x", ElementType::fp32, std::move(shape), nullptr, std::nullopt});
    network.inputs.push_back(id);
    return id;
  }

  TensorId constant(const Shape& shape, float low = -1, float high = 1) {
    std::vector<float> values(count_of(shape));
    for (auto& v : values) v = low + (high - low) * static_cast<float>(random_() % 1000) / 999.0F;
    return network.add(make_constant("c", shape, values));
  }

  TensorId op(const std::string& type, std::vector<TensorId> inputs, Shape shape,
              std::map<std::string, Attribute> attributes = {}) {
    const auto y = network.add({"t", ElementType::fp32, std::move(shape), nullptr, std::nullopt});
    const auto name = type + std::to_string(network.operators.size());
    network.operators.push_back({name, type, std::move(inputs), {y}, std::move(attributes)});
    return y;
  }

  TensorId window(const std::string& type, std::vector<TensorId> inputs, Shape shape, Integers kernel, Integers pads,
                  std::map<std::string, Attribute> attributes = {}) {
    attributes["kernel_shape"] = kernel;
    attributes["pads"] = pads;
    attributes.try_emplace("strides", Integers(kernel.size(), 1));
    attributes["dilations"] = Integers(kernel.size(), 1);
    if (type == "Conv") attributes.try_emplace("group", std::int64_t{1});
    return op(type, std::move(inputs), std::move(shape), std::move(attributes));
  }

  TensorId batch_norm(TensorId x) {
    const auto shape = network.tensor(x).shape;
    const Shape c = {shape[1]};
    return op("BatchNormalization", {x, constant(c), constant(c), constant(c), constant(c, 0.5F, 2)}, shape);
  }

  Network network;

 private:
  std::mt19937_64 random_;
};

std::vector<float> run(const Network& network) {
  Values inputs;
  for (const auto id : network.inputs) {
    const auto& tensor = network.tensor(id);
    Value value{tensor.type, tensor.shape, std::vector<std::byte>(count_of(tensor.shape) * 4)};
    for (std::size_t i = 0; i < value.data.size(); i += 4) {
      store_element(value.data.data() + i, ElementType::fp32, std::sin(static_cast<double>(i) * 0.37));
    }
    inputs[tensor.name] = value;
  }
  std::vector<float> results;
  const auto values = execute(network, inputs);
  for (const auto id : network.outputs) {
    const auto& value = values.at(network.tensor(id).name);
    for (std::size_t i = 0; i < value.data.size(); i += 4) {
      results.push_back(static_cast<float>(load_element(value.data.data() + i, ElementType::fp32)));
    }
  }
  return results;
}

std::vector<std::string> types(const Network& network) {
  std::vector<std::string> result;
  for (const auto& op : network.operators) result.push_back(op.type);
  return result;
}

/// Canonicalises, and checks that values stay, that every shape is still there and that a second time changes nothing.
Network canonical(Sketch& sketch, TensorId output) {
  auto network = sketch.network;
  network.outputs = {output};
  const auto before = run(network);
  const auto name = network.tensor(output).name;
  canonicalise(network);
  const auto after = run(network);
  CHECK(network.tensor(network.outputs[0]).name == name);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i] == doctest::Approx(before[i]).epsilon(1e-4));
  auto again = network;
  canonicalise(again);
  CHECK(to_text(again) == to_text(network));
  return network;
}

using Types = std::vector<std::string>;

}  // namespace

TEST_CASE("Does normalisation after a convolution go into its weights?") {
  Sketch s(1);
  auto x = s.input({1, 4, 5, 5});
  auto y =
      s.window("Conv", {x, s.constant({6, 2, 3, 3})}, {1, 6, 5, 5}, {3, 3}, {1, 1, 1, 1}, {{"group", std::int64_t{2}}});
  y = s.batch_norm(y);
  y = s.op("Mul", {y, s.constant({6, 1, 1})}, {1, 6, 5, 5});
  y = s.op("Add", {s.constant({1, 6, 1, 1}), y}, {1, 6, 5, 5});
  y = s.op("Relu", {y}, {1, 6, 5, 5});
  CHECK(types(canonical(s, y)) == Types{"Conv", "Clip"});
}

TEST_CASE("Does a Gemm of any form keep its values where constants per channel follow it?") {
  for (const std::int64_t transposed : {0, 1}) {
    for (const double alpha : {1.0, 0.5}) {
      CAPTURE(transposed);
      CAPTURE(alpha);
      Sketch s(22);
      auto y = s.op("Gemm", {s.input({3, 6}), s.constant({6, 6}), s.constant({6})}, {3, 6},
                    {{"transB", transposed}, {"alpha", alpha}, {"beta", 2.0}});
      y = s.op("Mul", {s.batch_norm(y), s.constant({6})}, {3, 6});
      CHECK(types(canonical(s, y)) == Types{"Gemm"});
    }
  }
}

TEST_CASE("Does normalisation that has no weights to go into become one Mul and one Add?") {
  Sketch s(2);
  auto y = s.input({1, 4, 5, 5});
  y = s.batch_norm(s.op("Relu", {y}, {1, 4, 5, 5}));
  y = s.op("Div", {y, s.constant({4, 1, 1}, 1, 2)}, {1, 4, 5, 5});
  y = s.op("Sub", {y, s.constant({})}, {1, 4, 5, 5});
  CHECK(types(canonical(s, y)) == Types{"Clip", "Mul", "Add"});
}

TEST_CASE("Does a convolution that others read keep its own values?") {
  Sketch s(3);
  auto x = s.input({1, 2, 4, 4});
  auto conv = s.window("Conv", {x, s.constant({3, 2, 1, 1})}, {1, 3, 4, 4}, {1, 1}, {0, 0, 0, 0});
  auto y = s.op("Add", {conv, s.batch_norm(conv)}, {1, 3, 4, 4});
  CHECK(types(canonical(s, y)) == Types{"Conv", "Mul", "Add", "Add"});
}

TEST_CASE("Do all forms of Gemm and MatMul by constants become one?") {
  for (int variant = 0; variant < 16; ++variant) {
    CAPTURE(variant);
    Sketch s(static_cast<std::uint64_t>(variant));
    const bool a = variant & 1, b = variant & 2;
    auto x = s.input(a ? Shape{5, 3} : Shape{3, 5});
    auto w = s.constant(b ? Shape{4, 5} : Shape{5, 4});
    std::vector<TensorId> inputs = {x, w};
    const int bias = variant >> 2;
    if (bias > 0) inputs.push_back(s.constant(bias == 1 ? Shape{4} : bias == 2 ? Shape{1} : Shape{3, 4}));
    auto y = s.op("Gemm", inputs, {3, 4},
                  {{"transA", std::int64_t{a}}, {"transB", std::int64_t{b}}, {"alpha", 0.5}, {"beta", 3.0}});
    const auto network = canonical(s, y);
    const auto& gemm = network.operators[a ? 1 : 0];
    CHECK(gemm.type == "Gemm");
    CHECK(network.tensor(gemm.inputs[1]).shape == Shape{4, 5});
    CHECK(gemm.attributes == std::map<std::string, Attribute>{{"transB", std::int64_t{1}}});
  }
}

TEST_CASE("Does a MatMul with its bias become a Gemm that keeps leading dimensions?") {
  Sketch s(4);
  auto x = s.input({2, 3, 5});
  auto y = s.op("Add", {s.constant({4}), s.op("MatMul", {x, s.constant({5, 4})}, {2, 3, 4})}, {2, 3, 4});
  const auto network = canonical(s, y);
  CHECK(types(network) == Types{"Gemm"});
  CHECK(network.operators[0].inputs.size() == 3);
}

TEST_CASE("Is a convolution's bias that is computed added behind it?") {
  Sketch s(25);
  const auto x = s.input({2, 3, 5, 5}), bias = s.input({4});
  s.network.tensor(bias).name = "bias";
  auto y = s.window("Conv", {x, s.constant({4, 3, 3, 3}), bias}, {2, 4, 5, 5}, {3, 3}, {1, 1, 1, 1});
  y = s.op("Relu", {y}, {2, 4, 5, 5});
  CHECK(types(canonical(s, y)) == Types{"Conv", "Reshape", "Add", "Clip"});
}

TEST_CASE("Does a Gemm of variables stay a product?") {
  Sketch s(5);
  auto x = s.input({3, 5});
  auto y = s.op("Gemm", {x, x, s.constant({3})}, {3, 3}, {{"transB", std::int64_t{1}}, {"alpha", 2.0}, {"beta", 0.5}});
  CHECK(types(canonical(s, y)) == Types{"Transpose", "MatMul", "Mul", "Add"});
}

TEST_CASE("Does a dense layer over a plane become a convolution, and not over one point?") {
  for (const std::int64_t side : {1, 3}) {
    Sketch s(6);
    auto x = s.input({2, 4, side, side});
    auto flat =
        s.op("Flatten", {s.op("Relu", {x}, {2, 4, side, side})}, {2, 4 * side * side}, {{"axis", std::int64_t{1}}});
    auto y = s.op("Gemm", {flat, s.constant({4 * side * side, 7})}, {2, 7});
    const auto found = types(canonical(s, y));
    CHECK(found == (side == 1 ? Types{"Clip", "Reshape", "Gemm"} : Types{"Clip", "Conv", "Reshape"}));
  }
}

TEST_CASE("Are one-dimensional windows widened?") {
  Sketch s(7);
  auto x = s.input({1, 3, 9});
  auto y = s.window("Conv", {x, s.constant({4, 3, 3})}, {1, 4, 5}, {3}, {1, 1}, {{"strides", Integers{2}}});
  y = s.window("MaxPool", {y}, {1, 4, 4}, {2}, {0, 0});
  CHECK(types(canonical(s, y)) == Types{"Reshape", "Conv", "MaxPool", "Reshape"});
}

TEST_CASE("Does normalisation after a one-dimensional convolution go into its weights?") {
  Sketch s(23);
  auto y = s.window("Conv", {s.input({1, 3, 9}), s.constant({4, 3, 3})}, {1, 4, 9}, {3}, {1, 1});
  y = s.op("Add", {s.batch_norm(y), s.constant({1, 4, 1})}, {1, 4, 9});
  y = s.op("Relu", {y}, {1, 4, 9});
  CHECK(types(canonical(s, y)) == Types{"Reshape", "Conv", "Clip", "Reshape"});
}

TEST_CASE("Do integers that the model shows and goes on with have one that makes them?") {
  Sketch s(24);
  const auto x = s.op(
      "Relu", {s.window("Conv", {s.input({1, 3, 6, 6}), s.constant({4, 3, 1, 1})}, {1, 4, 6, 6}, {1, 1}, {0, 0, 0, 0})},
      {1, 4, 6, 6});
  const auto scale = s.network.add(make_constant("scale", {}, std::vector<float>{0.03F}));
  const auto zero = s.network.add(make_constant("zero", {}, std::vector<std::int8_t>{0}));
  const auto shown = s.op("QuantizeLinear", {x, scale, zero}, {1, 4, 6, 6});
  s.network.tensor(shown).type = ElementType::i8;
  const auto y = s.op("DequantizeLinear", {shown, scale, zero}, {1, 4, 6, 6});
  s.network.outputs = {shown, y};
  canonicalise(s.network);
  CHECK(types(s.network) == Types{"Conv", "Clip", "QuantizeLinear"});
  CHECK(s.network.operators.back().inputs[0] == s.network.outputs[1]);
}

TEST_CASE("Do ceil_mode, global and mean forms become plain pools?") {
  Sketch s(8);
  auto x = s.input({1, 3, 8, 8});
  auto y = s.window("MaxPool", {x}, {1, 3, 4, 4}, {3, 3}, {0, 0, 0, 0},
                    {{"strides", Integers{2, 2}}, {"ceil_mode", std::int64_t{1}}});
  y = s.window("AveragePool", {y}, {1, 3, 3, 3}, {3, 3}, {1, 1, 1, 1},
               {{"strides", Integers{2, 2}}, {"ceil_mode", std::int64_t{1}}, {"count_include_pad", std::int64_t{1}}});
  y = s.op("ReduceMean", {y}, {1, 3}, {{"axes", Integers{2, 3}}, {"keepdims", std::int64_t{0}}});
  CHECK(types(canonical(s, y)) == Types{"MaxPool", "Pad", "AveragePool", "AveragePool", "Reshape"});
}

TEST_CASE("Do means of a plane as a row, and of rows and then columns, become pools?") {
  Sketch rows(18);
  auto x = rows.input({2, 3, 4, 5});
  auto y = rows.op("Reshape", {x}, {2, 3, 20});
  y = rows.op("ReduceMean", {y}, {2, 3, 1}, {{"axes", Integers{2}}, {"keepdims", std::int64_t{1}}});
  CHECK(types(canonical(rows, y)) == Types{"AveragePool", "Reshape"});
  for (const bool keeps : {true, false}) {
    CAPTURE(keeps);
    Sketch s(19);
    x = s.input({2, 3, 4, 5});
    const std::int64_t kept = keeps ? 1 : 0;
    y = s.op("ReduceMax", {x}, keeps ? Shape{2, 3, 4, 1} : Shape{2, 3, 4}, {{"axes", Integers{3}}, {"keepdims", kept}});
    y = s.op("ReduceMax", {y}, keeps ? Shape{2, 3, 1, 1} : Shape{2, 3}, {{"axes", Integers{2}}, {"keepdims", kept}});
    CHECK(types(canonical(s, y)) == (keeps ? Types{"MaxPool"} : Types{"MaxPool", "Reshape"}));
  }
  for (const bool image : {true, false}) {  // [N,C,L] of a convolution along L, and a batch of matrices
    CAPTURE(image);
    Sketch s(24);
    x = s.input({1, 3, 12});
    y = image ? s.window("Conv", {x, s.constant({4, 3, 3})}, {1, 4, 12}, {3}, {1, 1})
              : s.op("Sqrt", {s.op("Abs", {x}, {1, 3, 12})}, {1, 3, 12});
    const std::int64_t channels = image ? 4 : 3;
    y = s.op("ReduceMean", {y}, {1, channels}, {{"axes", Integers{2}}, {"keepdims", std::int64_t{0}}});
    CHECK(std::ranges::count(types(canonical(s, y)), "AveragePool") == (image ? 1 : 0));
  }
  Sketch other(20);  // of another shape than a plane's
  x = other.input({2, 3, 4, 5});
  y = other.op("Reshape", {x}, {2, 4, 15});
  y = other.op("ReduceMean", {y}, {2, 4, 1}, {{"axes", Integers{2}}, {"keepdims", std::int64_t{1}}});
  CHECK(types(canonical(other, y)) == Types{"Reshape", "Reshape", "ReduceMean"});
}

TEST_CASE("Do Transposes that undo each other go, with what works element by element between them?") {
  const Integers there = {0, 2, 3, 1}, back = {0, 3, 1, 2};
  Sketch s(21);
  auto y = s.window("Conv", {s.input({1, 3, 4, 5}), s.constant({6, 3, 1, 1})}, {1, 6, 4, 5}, {1, 1}, {0, 0, 0, 0});
  y = s.op("Transpose", {y}, {1, 4, 5, 6}, {{"perm", there}});
  y = s.op("Add", {y, s.constant({6})}, {1, 4, 5, 6});     // by channel
  y = s.op("Mul", {s.constant({5, 1}), y}, {1, 4, 5, 6});  // by column
  y = s.op("Sub", {s.constant({}), y}, {1, 4, 5, 6});
  y = s.op("Sigmoid", {s.op("Relu", {y}, {1, 4, 5, 6})}, {1, 4, 5, 6});
  y = s.op("Transpose", {y}, {1, 6, 4, 5}, {{"perm", back}});
  const auto network = canonical(s, y);
  CHECK(std::ranges::count(types(network), "Transpose") == 0);
  CHECK(network.operators.front().type == "Conv");

  for (const bool along : {true, false}) {  // what knows of a dimension stays between
    CAPTURE(along);
    Sketch read(22);
    auto x = read.op("Transpose", {read.input({1, 3, 4, 5})}, {1, 4, 5, 3}, {{"perm", there}});
    y = along ? read.op("Softmax", {x}, {1, 4, 5, 3}, {{"axis", std::int64_t{3}}}) : read.op("Relu", {x}, {1, 4, 5, 3});
    y = read.op("Transpose", {y}, {1, 3, 4, 5}, {{"perm", back}});
    y = read.op("Add", {y, read.op("Transpose", {x}, {1, 3, 4, 5}, {{"perm", back}})}, {1, 3, 4, 5});
    CHECK(std::ranges::count(types(canonical(read, y)), "Transpose") == (along ? 2 : 0));
  }

  for (const std::string between : {"Identity", "Reshape"}) {  // in the way of none
    CAPTURE(between);
    Sketch apart(24);
    const Shape moved = {1, 4, 5, 3};
    y = apart.op("Transpose", {apart.op("Abs", {apart.input({1, 3, 4, 5})}, {1, 3, 4, 5})}, moved, {{"perm", there}});
    y = apart.op(between, {y}, moved);
    y = apart.op("Transpose", {apart.op("Relu", {y}, moved)}, {1, 3, 4, 5}, {{"perm", back}});
    CHECK(std::ranges::count(types(canonical(apart, y)), "Transpose") == 0);
  }

  Sketch turned(23);  // two that do not undo each other become one
  auto x = turned.op("Transpose", {turned.input({2, 3, 4})}, {3, 2, 4}, {{"perm", Integers{1, 0, 2}}});
  y = turned.op("Transpose", {turned.op("Abs", {x}, {3, 2, 4})}, {4, 3, 2}, {{"perm", Integers{2, 0, 1}}});
  const auto one = canonical(turned, y);
  CHECK(std::ranges::count(types(one), "Transpose") == 1);
}

TEST_CASE("Does padding with zeros go into what follows?") {
  Sketch s(9);
  auto x = s.input({1, 2, 4, 4});
  auto y = s.op("Pad", {x}, {1, 2, 5, 6},
                {{"pads", Integers{0, 0, 1, 0, 0, 0, 0, 2}}, {"value", 0.0}, {"mode", std::string("constant")}});
  y = s.window("Conv", {y, s.constant({3, 2, 3, 3})}, {1, 3, 5, 6}, {3, 3}, {1, 1, 1, 1});
  const auto network = canonical(s, y);
  REQUIRE(types(network) == Types{"Conv"});
  CHECK(attribute(network.operators[0], "pads", Integers{}) == Integers{2, 1, 1, 3});
}

TEST_CASE("Do operators that change nothing go, while outputs keep their names?") {
  Sketch s(10);
  auto x = s.input({2, 3});
  auto y = s.op("Identity", {x}, {2, 3});
  y = s.op("Sum", {y, s.op("Dropout", {y}, {2, 3}), y}, {2, 3});
  y = s.op("Max", {s.op("Min", {y, s.constant({}, 6, 6)}, {2, 3}), s.constant({}, 0, 0)}, {2, 3});
  y = s.op("Unsqueeze", {y}, {2, 1, 3}, {{"axes", Integers{1}}});
  y = s.op("Squeeze", {y}, {2, 3}, {{"axes", Integers{1}}});
  const auto slice = [&](Integers start, Integers end, Integers step) {
    y = s.op("Slice", {y}, {2, 3}, {{"starts", start}, {"ends", end}, {"axes", Integers{1}}, {"steps", step}});
  };
  slice({0}, {3}, {1});
  slice({2}, {-4}, {-1});
  y = s.op("Reshape", {y}, {1, 1, 2, 3});
  y = s.window("MaxPool", {y}, {1, 1, 2, 3}, {1, 1}, {0, 0, 0, 0});
  y = s.window("AveragePool", {y}, {1, 1, 2, 3}, {1, 1}, {0, 0, 0, 0});
  y = s.op("Reshape", {y}, {2, 3});
  y = s.op("Identity", {s.op("Identity", {y}, {2, 3})}, {2, 3});
  CHECK(types(canonical(s, y)) == Types{"Add", "Add", "Clip", "Slice"});
}

TEST_CASE("Does an output that is an input survive?") {
  Sketch s(11);
  auto x = s.input({2, 3});
  const auto network = canonical(s, s.op("Identity", {x}, {2, 3}));
  CHECK(types(network) == Types{"Reshape"});
}

TEST_CASE("Does a transposed convolution become a convolution, whatever its strides, pads and groups?") {
  struct Case {
    std::int64_t groups;
    Integers kernel, strides, dilations, pads, extra;
  };
  const std::vector<Case> cases = {
      {1, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, {2, {4, 4}, {2, 2}, {1, 1}, {1, 1, 1, 1}, {0, 0}},
      {1, {2, 3}, {2, 3}, {1, 1}, {0, 0, 0, 0}, {0, 0}}, {1, {3, 2}, {1, 1}, {1, 1}, {0, 1, 2, 0}, {0, 0}},
      {4, {3, 3}, {3, 2}, {2, 1}, {0, 0, 1, 1}, {2, 0}}, {1, {2, 2}, {3, 3}, {1, 1}, {0, 0, 0, 0}, {0, 0}},
      {1, {5, 5}, {2, 2}, {1, 1}, {2, 2, 2, 2}, {1, 1}}, {2, {3, 3}, {2, 2}, {1, 1}, {3, 3, 3, 3}, {1, 1}},
      {1, {3, 3}, {1, 1}, {2, 1}, {2, 1, 2, 1}, {0, 0}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    CAPTURE(i);
    Sketch s(i);
    Shape y = {2, 2 * c.groups};
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t in = d == 0 ? 4 : 5, reach = (c.kernel[d] - 1) * c.dilations[d] + 1;
      y.push_back((in - 1) * c.strides[d] + reach + c.extra[d] - c.pads[d] - c.pads[d + 2]);
    }
    const auto x = s.input({2, 4, 4, 5});
    const auto w = s.constant({4, 2, c.kernel[0], c.kernel[1]});
    const auto network = canonical(s, s.op("ConvTranspose", {x, w, s.constant({2 * c.groups})}, y,
                                           {{"kernel_shape", c.kernel},
                                            {"strides", c.strides},
                                            {"dilations", c.dilations},
                                            {"pads", c.pads},
                                            {"output_padding", c.extra},
                                            {"group", c.groups}}));
    CHECK(types(network).front() == "Conv");
    const Shape& all = network.tensor(network.operators.front().outputs[0]).shape;
    for (std::size_t d = 0; d < 2; ++d) {  // no more positions than the result or the input spans, and one cut by pads
      const std::int64_t inputs = d == 0 ? 4 : 5, results = (y[d + 2] + c.strides[d] - 1) / c.strides[d];
      CHECK(all[d + 2] <= std::max(inputs, results + (c.pads[d] % c.strides[d] == 0 ? 0 : 1)));
    }
  }
}

TEST_CASE("Are windows of any rank and their weights two-dimensional ones where the weights are computed?") {
  struct Case {
    const char* type;
    Shape x, w, y;
    std::int64_t groups, stride, pad;
  };
  const std::vector<Case> cases = {{"Conv", {2, 4, 9}, {6, 2, 3}, {2, 6, 5}, 2, 2, 1},
                                   {"Conv", {2, 2, 5, 4, 4}, {3, 2, 2, 2, 2}, {2, 3, 4, 3, 3}, 1, 1, 0},
                                   {"ConvTranspose", {2, 4, 5}, {4, 2, 3}, {2, 2, 9}, 1, 2, 1},
                                   {"ConvTranspose", {1, 4, 3, 5}, {4, 3, 3, 2}, {1, 6, 7, 10}, 2, 2, 0},
                                   {"ConvTranspose", {1, 2, 2, 3, 2}, {2, 3, 2, 2, 2}, {1, 3, 3, 4, 3}, 1, 1, 0}};
  for (const auto& c : cases) {
    CAPTURE(c.type);
    CAPTURE(c.x.size());
    Sketch s(23);
    const std::size_t planes = c.x.size() - 2;
    const auto x = s.input(c.x), w = s.input(c.w), bias = s.input({c.y[1]});
    s.network.tensor(w).name = "w";
    s.network.tensor(bias).name = "bias";
    const auto network = canonical(s, s.op(c.type, {x, w, bias}, c.y,
                                           {{"kernel_shape", Integers(c.w.begin() + 2, c.w.end())},
                                            {"strides", Integers(planes, c.stride)},
                                            {"dilations", Integers(planes, 1)},
                                            {"pads", Integers(2 * planes, c.pad)},
                                            {"group", c.groups}}));
    const auto conv = std::ranges::find(network.operators, "Conv", &Operator::type);
    REQUIRE(conv != network.operators.end());
    CHECK(network.tensor(conv->outputs[0]).shape.size() == 4);
  }
}

TEST_CASE("Is a normalisation across channels one of a plane, whatever its rank?") {
  for (const Shape& shape : {Shape{2, 7}, Shape{2, 7, 5}, Shape{1, 7, 2, 3, 2}}) {
    CAPTURE(shape.size());
    Sketch s(24);
    const auto network =
        canonical(s, s.op("LRN", {s.input(shape)}, shape, {{"size", std::int64_t{3}}, {"alpha", 0.5}}));
    CHECK(types(network) == Types{"Reshape", "LRN", "Reshape"});
  }
}

TEST_CASE("Do Resize, Pad and blocks of depth move the elements that ONNX says?") {
  for (const char* nearest : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
    for (const char* mode : {"asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"}) {
      Sketch s(1);
      canonical(s, s.op("Resize", {s.input({1, 2, 4, 3})}, {1, 2, 8, 5},
                        {{"scales", std::vector<double>{1, 1, 2, 5.0 / 3}},
                         {"mode", std::string("nearest")},
                         {"nearest_mode", std::string(nearest)},
                         {"coordinate_transformation_mode", std::string(mode)}}));
    }
  }
  for (const char* mode : {"reflect", "edge"}) {
    Sketch s(2);
    canonical(s, s.op("Pad", {s.input({1, 2, 4, 3})}, {1, 2, 7, 6},
                      {{"pads", Integers{0, 0, 2, 1, 0, 0, 1, 2}}, {"mode", std::string(mode)}, {"value", 0.0}}));
  }
  for (const char* mode : {"DCR", "CRD"}) {
    Sketch s(3);
    canonical(s, s.op("DepthToSpace", {s.input({1, 8, 2, 3})}, {1, 2, 4, 6},
                      {{"blocksize", std::int64_t{2}}, {"mode", std::string(mode)}}));
  }
  Sketch s(4);
  canonical(s, s.op("SpaceToDepth", {s.input({1, 2, 4, 6})}, {1, 8, 2, 3}, {{"blocksize", std::int64_t{2}}}));
}

namespace {

/// Every step-th row and column from the first ones on, one Slice each.
TensorId phase(Sketch& s, TensorId x, std::array<std::int64_t, 2> first, std::array<std::int64_t, 2> step) {
  for (std::size_t d = 0; d < 2; ++d) {
    Shape shape = s.network.tensor(x).shape;
    shape[d + 2] = (shape[d + 2] - first[d] + step[d] - 1) / step[d];
    x = s.op("Slice", {x}, shape,
             {{"starts", Integers{first[d]}},
              {"ends", Integers{1000}},
              {"axes", Integers{static_cast<std::int64_t>(d) + 2}},
              {"steps", Integers{step[d]}}});
  }
  return x;
}

}  // namespace

TEST_CASE("Is a convolution of all phases of an image one of the image, whatever their order, windows and pads?") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const std::array<std::int64_t, 2> step = {draw(1, 3), draw(2, 3)};
    const std::int64_t channels = draw(1, 3), filters = draw(1, 3), rows = draw(4, 6), columns = draw(4, 6);
    Sketch s(seed);
    const auto x = s.input({2, channels, rows * step[0], columns * step[1]});
    std::vector<TensorId> parts;
    for (std::int64_t i = 0; i < step[0] * step[1]; ++i) parts.push_back(phase(s, x, {i / step[1], i % step[1]}, step));
    std::ranges::shuffle(parts, random);
    const bool all = draw(0, 3) > 0;
    if (!all) parts.back() = parts.front();
    const std::int64_t depth = channels * std::ssize(parts);
    const auto y = s.op("Concat", parts, {2, depth, rows, columns}, {{"axis", std::int64_t{1}}});
    const Integers kernel = {draw(1, 3), draw(1, 3)}, pads = {draw(0, 2), draw(0, 2), draw(0, 2), draw(0, 2)};
    const Integers strides = {draw(1, 2), draw(1, 2)};
    const std::int64_t height = (rows + pads[0] + pads[2] - kernel[0]) / strides[0] + 1;
    const std::int64_t width = (columns + pads[1] + pads[3] - kernel[1]) / strides[1] + 1;
    const auto w = s.constant({filters, depth, kernel[0], kernel[1]});
    const auto conv = s.window("Conv", {y, w}, {2, filters, height, width}, kernel, pads, {{"strides", strides}});
    CHECK((types(canonical(s, conv)) == Types{"Conv"}) == all);
  }
}

TEST_CASE("Is a convolution of blocks of depth one of the image, but where others read the blocks?") {
  for (const bool alone : {true, false}) {
    Sketch s(5);
    const auto blocks = s.op("SpaceToDepth", {s.input({1, 3, 8, 6})}, {1, 12, 4, 3}, {{"blocksize", std::int64_t{2}}});
    auto y = s.window("Conv", {blocks, s.constant({12, 12, 3, 3})}, {1, 12, 4, 3}, {3, 3}, {1, 1, 1, 1});
    if (!alone) y = s.op("Add", {y, blocks}, {1, 12, 4, 3});
    CHECK((types(canonical(s, y)) == Types{"Conv"}) == alone);
  }
}

TEST_CASE("Are Sum, Mean, Min and Max of several that broadcast chains of two?") {
  for (const char* type : {"Sum", "Mean", "Min", "Max"}) {
    CAPTURE(type);
    Sketch s(23);
    const auto x = s.input({3, 4}), row = s.input({4}), column = s.input({2, 3, 1});
    s.network.tensor(row).name = "row";
    s.network.tensor(column).name = "column";
    const auto network = canonical(s, s.op(type, {row, x, column}, {2, 3, 4}));
    for (const auto& op : network.operators) CHECK(op.inputs.size() == 2);
  }
}

TEST_CASE("Do LayerNormalization and Gelu keep their values as chains?") {
  for (const std::int64_t axis : {1, 2}) {
    Sketch s(5);
    const Shape line = axis == 1 ? Shape{4, 6} : Shape{6};
    const auto x = s.input({3, 4, 6});
    canonical(s, s.op("LayerNormalization", {x, s.constant(line), s.constant(line)}, {3, 4, 6}, {{"axis", axis}}));
  }
  Sketch s(6);
  canonical(s, s.op("Gelu", {s.input({3, 4})}, {3, 4}));
}

TEST_CASE("Does a Gather by equally spaced constants become a Slice?") {
  const auto gather = [](const Integers& indices, Shape index_shape, Shape y) {
    Sketch s(7);
    const auto x = s.input({5, 3});
    const auto by = s.network.add(make_constant("i", std::move(index_shape), indices));
    return types(canonical(s, s.op("Gather", {x, by}, std::move(y), {{"axis", std::int64_t{0}}})));
  };
  CHECK(gather({1, 2, 3}, {3}, {3, 3}) == Types{"Slice"});
  CHECK(gather({4, 2, 0}, {3}, {3, 3}) == Types{"Slice"});
  CHECK(gather({-1}, {}, {3}) == Types{"Slice", "Reshape"});
  CHECK(gather({0, 1, 3}, {3}, {3, 3}) == Types{"Gather"});
}

TEST_CASE("Do products that are not in fp32, or whose parts outgrow a tensor, stay as they are?") {
  const auto after = [](const std::vector<Shape>& shapes, const std::string& type, const Shape& result,
                        ElementType element, std::map<std::string, Attribute> attributes) {
    Sketch s(7);
    std::vector<TensorId> inputs;
    for (const auto& shape : shapes) inputs.push_back(s.input(shape));
    s.network.outputs = {s.op(type, inputs, result, std::move(attributes))};
    for (auto& tensor : s.network.tensors) tensor.type = element;
    canonicalise(s.network);
    return types(s.network);
  };
  const auto einsum = [](const char* equation) {
    return std::map<std::string, Attribute>{{"equation", std::string(equation)}};
  };
  for (const auto& [element, stays] : {std::pair(ElementType::fp32, false), {ElementType::i64, true}}) {
    CHECK((after({{2, 3}, {4, 3}}, "Einsum", {2, 4}, element, einsum("ij,kj->ik")) == Types{"Einsum"}) == stays);
    CHECK((after({{2, 3}, {3}}, "MatMul", {2}, element, {}) == Types{"MatMul"}) == stays);
  }
  const Shape big = {300, 300};
  CHECK(after({big, big, big}, "Einsum", big, ElementType::fp32, einsum("ab,cd,ac->bd")) == Types{"Einsum"});
}

TEST_CASE("Does a Concat of another one's parts read that, where nothing else tells them apart?") {
  const std::map<std::string, Attribute> axis = {{"axis", std::int64_t{1}}};
  for (const bool other_scale : {false, true}) {
    CAPTURE(other_scale);
    Sketch s(12);
    const auto a = s.input({1, 2, 3});
    const auto b = s.op("Tanh", {a}, {1, 2, 3}), c = s.op("Exp", {a}, {1, 2, 3}), d = s.op("Exp", {c}, {1, 2, 3});
    const auto two = s.op("Concat", {b, c}, {1, 4, 3}, axis);
    const auto along = s.op("Concat", {b, c}, {1, 2, 6}, {{"axis", std::int64_t{2}}});
    const auto three = s.op("Concat", {b, c, d}, {1, 6, 3}, {{"axis", std::int64_t{-2}}});
    if (other_scale) s.network.tensor(two).quantisation = Quantisation{{0.5F}};
    const auto all = s.op("Concat", {a, b, c, d, c, b}, {1, 12, 3}, axis);
    const auto pairs =
        s.op("Concat", {s.op("Exp", {two}, {1, 4, 3}), s.op("Exp", {three}, {1, 6, 3}), all}, {1, 22, 3}, axis);
    const auto y = s.op("Add", {pairs, s.op("ReduceMax", {along}, {1, 1, 1}, {{"axes", Integers{1, 2}}})}, {1, 22, 3});
    const auto network = canonical(s, y);
    std::map<TensorId, std::vector<TensorId>> parts;
    for (const auto& op : network.operators) {
      if (op.type == "Concat") parts[op.outputs[0]] = op.inputs;
    }
    using Ids = std::vector<TensorId>;
    CHECK(parts.at(along) == Ids{b, c});
    CHECK(parts.at(three) == (other_scale ? Ids{b, c, d} : Ids{two, d}));
    CHECK(parts.at(all) == Ids{a, three, c, b});
  }
}

TEST_CASE("Do products of grouped queries read keys and values where they are, whatever repeats and masks them?") {
  for (const char* repeats : {"Expand", "Tile"}) {
    for (const bool key_turned_first : {false, true}) {
      for (const Shape& mask : {Shape{7, 5}, Shape{2, 1, 7, 5}, Shape{6, 7, 5}}) {
        CAPTURE(repeats);
        CAPTURE(key_turned_first);
        CAPTURE(mask.size());
        Sketch s(19);  // 2 samples, 6 heads on 3, 7 queries, 5 keys of width 4
        const auto repeated = [&](TensorId x, std::int64_t rows, std::int64_t columns) {
          x = s.op("Reshape", {x}, {2, 3, 1, rows, columns});
          return s.op("Reshape", {s.op(repeats, {x}, {2, 3, 2, rows, columns})}, {2, 6, rows, columns});
        };
        const auto turned = [&](TensorId x, Shape shape) {
          return s.op("Transpose", {x}, std::move(shape), {{"perm", Integers{0, 1, 3, 2}}});
        };
        const auto q = s.input({2, 6, 7, 4}), k = s.input({2, 3, 5, 4}), v = s.input({2, 3, 5, 4});
        s.network.tensor(k).name = "k";
        s.network.tensor(v).name = "v";
        const auto keys =
            key_turned_first ? repeated(turned(k, {2, 3, 4, 5}), 4, 5) : turned(repeated(k, 5, 4), {2, 6, 4, 5});
        auto y = s.op("MatMul", {q, keys}, {2, 6, 7, 5});
        y = s.op("Mul", {y, s.constant({})}, {2, 6, 7, 5});
        y = s.op("Clip", {y}, {2, 6, 7, 5}, {{"min", -0.5}, {"max", 0.5}});  // as of a quantiser
        y = s.op("Add", {s.constant(mask), y}, {2, 6, 7, 5});
        y = s.op("Softmax", {y}, {2, 6, 7, 5}, {{"axis", std::int64_t{-1}}});
        y = s.op("MatMul", {y, repeated(v, 5, 4)}, {2, 6, 7, 4});
        const auto all = types(canonical(s, y));
        CHECK(std::ranges::count(all, repeats) == 0);
        CHECK(std::ranges::find(all, "Softmax") - std::ranges::find(all, "MatMul") == 4);  // no Reshape between
      }
    }
  }
}

TEST_CASE("Is what is repeated otherwise than for groups of a product's matrices still repeated?") {
  Sketch s(20);
  const auto x = s.op("Reshape", {s.input({2, 3, 5, 4})}, {2, 1, 3, 5, 4});
  const auto heads =
      s.op("Reshape", {s.op("Expand", {x}, {2, 2, 3, 5, 4})}, {2, 6, 5, 4});  // 0 1 2 0 1 2, not 0 0 1 1 2 2
  const auto all = types(canonical(s, s.op("MatMul", {s.constant({2, 6, 7, 5}), heads}, {2, 6, 7, 4})));
  CHECK(std::ranges::count(all, "Expand") == 1);
}

TEST_CASE("Is an Einsum a chain of products, and a product by a vector one by a matrix?") {
  struct Case {
    std::string equation;
    std::vector<Shape> terms;
    Shape result;
  };
  const std::vector<Case> cases = {
      {"bhid,bhjd->bhij", {{2, 3, 4, 5}, {2, 3, 6, 5}}, {2, 3, 4, 6}},
      {"bi,ijk,bk->bj", {{2, 3}, {3, 4, 5}, {2, 5}}, {2, 4}},
      {"i,j->ij", {{3}, {4}}, {3, 4}},
      {"ij,ij->ji", {{3, 4}, {3, 4}}, {4, 3}},
      {"ijk->k", {{2, 3, 4}}, {4}},
      {"ab,cd->bd", {{2, 3}, {4, 5}}, {3, 5}},
      {"i,i->", {{7}, {7}}, {}},
  };
  for (const auto& c : cases) {
    for (const bool constant : {false, true}) {  // the first operand
      CAPTURE(c.equation);
      Sketch s(8);
      std::vector<TensorId> inputs;
      for (const auto& shape : c.terms) {
        inputs.push_back(constant && inputs.empty() && c.terms.size() > 1 ? s.constant(shape) : s.input(shape));
      }
      const auto after = types(canonical(s, s.op("Einsum", inputs, c.result, {{"equation", c.equation}})));
      CHECK(std::ranges::count(after, "Einsum") == 0);
    }
  }
  for (const auto& [a, b, y] : std::vector<std::array<Shape, 3>>{
           {Shape{2, 3, 5}, {5}, {2, 3}}, {Shape{5}, {2, 5, 4}, {2, 4}}, {Shape{5}, {5}, {}}}) {
    Sketch s(9);
    const auto x = s.input(a);
    const auto network = canonical(s, s.op("MatMul", {x, s.input(b)}, y));
    for (const auto& op : network.operators) {
      if (op.type == "MatMul") CHECK(network.tensor(op.inputs[1]).shape.size() >= 2);
    }
  }
}

TEST_CASE("Does a Reshape across dimensions that do not divide go over one dimension?") {
  Sketch s(10);
  const auto x = s.input({6, 4});
  const auto network = canonical(s, s.op("Flatten", {s.op("Reshape", {x}, {4, 3, 2})}, {4, 6}));
  REQUIRE(types(network) == Types{"Reshape", "Reshape"});
  CHECK(network.tensor(network.operators[0].outputs[0]).shape == Shape{24});
}

TEST_CASE("Are three-dimensional windows two-dimensional ones?") {
  const std::map<std::string, Attribute> steps = {{"strides", Integers{2, 1, 2}}, {"dilations", Integers{2, 1, 1}}};
  for (const std::int64_t group : {1, 2, 4}) {
    Sketch s(11);
    const auto x = s.input({2, 4, 7, 5, 6});
    auto attributes = steps;
    attributes["kernel_shape"] = Integers{3, 2, 3};
    attributes["pads"] = Integers{1, 0, 1, 2, 1, 0};
    attributes["group"] = group;
    // depth (7 + 3 - 5) / 2 + 1, height (5 + 1 - 2) + 1, width (6 + 1 - 3) / 2 + 1
    const auto y = s.op("Conv", {x, s.constant({8, 4 / group, 3, 2, 3}), s.constant({8})}, {2, 8, 3, 5, 3}, attributes);
    const auto network = canonical(s, y);
    for (const auto& op : network.operators) {
      if (op.type == "Conv") CHECK(network.tensor(op.inputs[0]).shape.size() == 4);
    }
  }
  for (const char* type : {"MaxPool", "AveragePool"}) {
    for (const std::int64_t include : {0, 1}) {
      Sketch s(12);
      auto attributes = std::map<std::string, Attribute>{{"kernel_shape", Integers{3, 2, 3}},
                                                         {"strides", Integers{2, 1, 2}},
                                                         {"dilations", Integers{1, 1, 1}},
                                                         {"pads", Integers{1, 0, 1, 1, 1, 0}}};
      if (type == std::string("AveragePool")) attributes["count_include_pad"] = include;
      canonical(s, s.op(type, {s.input({1, 3, 7, 5, 6})}, {1, 3, 4, 5, 3}, attributes));
    }
  }
}

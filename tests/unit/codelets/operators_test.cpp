#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>

#include "archdsl/source/error.h"
#include "compiler/codelets/work.h"
#include "compiler/network/operator_error.h"
#include "tests/scratch.h"
#include "tests/unit/codelets/interpreted.h"
#include "tests/unit/reference/single.h"

using namespace accord;

namespace {

using Sizes = std::vector<std::int64_t>;
constexpr unsigned seed = 71;

Value random_i32(Shape shape, std::mt19937& engine, int greatest = 5000) {
  std::vector<std::int32_t> elements(count_of(shape));
  std::uniform_int_distribution<std::int32_t> distribution(-greatest, greatest);
  for (auto& element : elements) element = distribution(engine);
  return make_value(ElementType::i32, std::move(shape), elements);
}

Value positive_floats(Shape shape, std::mt19937& engine) {
  std::vector<float> elements(count_of(shape));
  std::uniform_real_distribution<float> distribution(0.1f, 2.0f);
  for (float& element : elements) element = distribution(engine);
  return make_value(ElementType::fp32, std::move(shape), elements);
}

std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pads,
                     std::int64_t dilation) {
  return (size + pads - dilation * (kernel - 1) - 1) / stride + 1;
}

struct ConvCase {
  Shape x;
  std::int64_t filters, r, s, group;
  Sizes strides, dilations, pads;
  bool bias;
};

void check_conv(const ConvCase& c, bool floats) {
  std::mt19937 engine(seed);
  const auto value = [&](Shape shape) { return floats ? random_floats(shape, engine) : random_i8(shape, engine); };
  std::vector<Value> inputs = {value(c.x), value({c.filters, c.x[1] / c.group, c.r, c.s})};
  if (c.bias) inputs.push_back(floats ? random_floats({c.filters}, engine) : random_i32({c.filters}, engine));
  const Shape y = {c.x[0], c.filters, windows(c.x[2], c.r, c.strides[0], c.pads[0] + c.pads[2], c.dilations[0]),
                   windows(c.x[3], c.s, c.strides[1], c.pads[1] + c.pads[3], c.dilations[1])};
  check_operator("Conv", inputs, floats ? ElementType::fp32 : ElementType::i32, y,
                 {{"kernel_shape", Sizes{c.r, c.s}},
                  {"strides", c.strides},
                  {"dilations", c.dilations},
                  {"pads", c.pads},
                  {"group", c.group}});
}

std::map<std::string, Attribute> window(Sizes kernel, Sizes strides, Sizes pads, Sizes dilations = {1, 1}) {
  return {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"dilations", dilations}};
}

const std::map<std::string, Attribute> float_requantise = {{"expression", "i8(clamp(round(fp32(x) * scale), lo, hi))"},
                                                           {"parameters", "scale"},
                                                           {"axis", std::int64_t{1}},
                                                           {"lo", -100.0},
                                                           {"hi", 90.0}};

}  // namespace

TEST_CASE("does Conv's codelet mean convolution for every window, group and pad") {
  const std::vector<ConvCase> cases = {{{1, 3, 5, 6}, 4, 3, 3, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
                                       {{2, 4, 7, 5}, 6, 3, 2, 2, {2, 1}, {1, 1}, {0, 1, 2, 0}, false},
                                       {{1, 4, 8, 8}, 4, 3, 3, 4, {1, 1}, {2, 2}, {2, 2, 2, 2}, true},
                                       {{1, 4, 8, 9}, 8, 2, 3, 4, {3, 2}, {2, 1}, {1, 0, 0, 3}, true},
                                       {{3, 5, 1, 1}, 7, 1, 1, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, true},
                                       {{1, 1, 4, 4}, 1, 4, 4, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, false},
                                       {{1, 2, 3, 3}, 2, 3, 3, 1, {1, 1}, {1, 1}, {4, 4, 4, 4}, true}};
  for (const auto& c : cases) {
    check_conv(c, false);
    check_conv(c, true);
  }
}

TEST_CASE("does Gemm's codelet mean x times w transposed, with any leading dimensions") {
  std::mt19937 engine(seed);
  for (const Shape& outer : {Shape{1}, Shape{5}, Shape{2, 3}, Shape{2, 1, 4}}) {
    Shape x = outer, y = outer;
    x.push_back(7);
    y.push_back(3);
    check_operator("Gemm", {random_i8(x, engine), random_i8({3, 7}, engine), random_i32({3}, engine)}, ElementType::i32,
                   y, {{"transB", std::int64_t{1}}});
    check_operator("Gemm", {random_floats(x, engine), random_floats({3, 7}, engine)}, ElementType::fp32, y,
                   {{"transB", std::int64_t{1}}});
  }
}

TEST_CASE("does MatMul's codelet broadcast the leading dimensions") {
  std::mt19937 engine(seed);
  check_operator("MatMul", {random_i8({4, 5}, engine), random_i8({5, 3}, engine)}, ElementType::i32, {4, 3});
  check_operator("MatMul", {random_i8({2, 4, 5}, engine), random_i8({5, 3}, engine)}, ElementType::i32, {2, 4, 3});
  check_operator("MatMul", {random_i8({4, 5}, engine), random_i8({2, 6, 5, 3}, engine)}, ElementType::i32,
                 {2, 6, 4, 3});
  check_operator("MatMul", {random_i8({2, 1, 4, 5}, engine), random_i8({6, 5, 3}, engine)}, ElementType::i32,
                 {2, 6, 4, 3});
  check_operator("MatMul", {random_floats({2, 1, 5}, engine), random_floats({2, 5, 1}, engine)}, ElementType::fp32,
                 {2, 1, 1});
}

TEST_CASE("do the pools' codelets mean sum, maximum and mean, borders included") {
  std::mt19937 engine(seed);
  struct Case {
    Sizes kernel, strides, pads;
    Shape y;
  };
  const std::vector<Case> cases = {{{2, 3}, {2, 1}, {0, 0, 0, 0}, {2, 3, 3, 4}},
                                   {{3, 3}, {2, 2}, {1, 1, 1, 1}, {2, 3, 3, 3}},
                                   {{3, 2}, {3, 2}, {1, 0, 2, 1}, {2, 3, 3, 3}},
                                   {{6, 6}, {1, 1}, {0, 0, 0, 0}, {2, 3, 1, 1}}};
  const Shape x = {2, 3, 6, 6};
  for (const auto& c : cases) {
    const auto attributes = window(c.kernel, c.strides, c.pads);
    check_operator("SumPool", {random_i8(x, engine)}, ElementType::i32, c.y, attributes);
    check_operator("MaxPool", {random_i8(x, engine)}, ElementType::i8, c.y, attributes);
    check_operator("MaxPool", {random_floats(x, engine)}, ElementType::fp32, c.y, attributes);
    for (const std::int64_t include : {0, 1}) {
      auto with = attributes;
      with["count_include_pad"] = include;
      check_operator("AveragePool", {random_floats(x, engine)}, ElementType::fp32, c.y, with);
    }
  }
  check_operator("MaxPool", {random_i8(x, engine)}, ElementType::i8, {2, 3, 4, 2},
                 window({2, 2}, {1, 1}, {0, 0, 0, 0}, {2, 4}));
}

TEST_CASE("is padding below every value in MaxPool of a machine's float type") {
  const Value x = make_value(ElementType::fp32, {1, 1, 2, 2}, std::vector<float>{-5, -6, -7, -8});
  OperatorCase test({x});
  test.add("MaxPool", {0}, ElementType::fp32, {1, 1, 3, 3}, window({2, 2}, {1, 1}, {1, 1, 1, 1}));
  check_agrees(test);
  CHECK(elements_of<float>(interpreted(test))[8] == -8);
}

TEST_CASE("does Softmax's codelet normalise along any axis") {
  std::mt19937 engine(seed);
  const Shape shape = {2, 3, 4, 5};
  for (const std::int64_t axis : {-1, 0, 1, 2, 3}) {
    check_operator("Softmax", {random_floats(shape, engine)}, ElementType::fp32, shape, {{"axis", axis}});
  }
  check_operator("Softmax", {random_floats({7}, engine)}, ElementType::fp32, {7}, {{"axis", std::int64_t{0}}});
  check_operator("Softmax", {random_floats({4, 1}, engine)}, ElementType::fp32, {4, 1}, {{"axis", std::int64_t{-1}}});
}

TEST_CASE("does LRN's codelet sum over odd and even numbers of channels") {
  std::mt19937 engine(seed);
  const Shape shape = {2, 6, 2, 3};
  for (const std::int64_t size : {1, 2, 3, 4, 5, 9}) {
    check_operator("LRN", {random_floats(shape, engine)}, ElementType::fp32, shape,
                   {{"size", size}, {"alpha", 0.3}, {"beta", 0.6}, {"bias", 2.0}});
  }
  check_operator("LRN", {random_floats(shape, engine)}, ElementType::fp32, shape, {{"size", std::int64_t{3}}});
}

TEST_CASE("does Concat put its parts one after another along any axis") {
  std::mt19937 engine(seed);
  check_operator("Concat", {random_i8({2, 3, 2}, engine), random_i8({2, 1, 2}, engine), random_i8({2, 4, 2}, engine)},
                 ElementType::i8, {2, 8, 2}, {{"axis", std::int64_t{1}}});
  check_operator("Concat", {random_i8({3, 2}, engine), random_i8({1, 2}, engine)}, ElementType::i8, {4, 2},
                 {{"axis", std::int64_t{0}}});
  check_operator("Concat", {random_floats({1, 2, 3, 4}, engine), random_floats({1, 2, 3, 1}, engine)},
                 ElementType::fp32, {1, 2, 3, 5}, {{"axis", std::int64_t{3}}});
  OperatorCase twice({random_i8({2, 2}, engine)});
  twice.add("Concat", {0, 0}, ElementType::i8, {2, 4}, {{"axis", std::int64_t{1}}});
  check_agrees(twice);
}

TEST_CASE("does Transpose move every element where perm says") {
  std::mt19937 engine(seed);
  check_operator("Transpose", {random_i8({2, 3, 4}, engine)}, ElementType::i8, {4, 2, 3}, {{"perm", Sizes{2, 0, 1}}});
  check_operator("Transpose", {random_i8({2, 3, 4, 5}, engine)}, ElementType::i8, {2, 4, 5, 3},
                 {{"perm", Sizes{0, 2, 3, 1}}});
  check_operator("Transpose", {random_i8({1, 3, 1, 5}, engine)}, ElementType::i8, {5, 1, 3, 1},
                 {{"perm", Sizes{3, 2, 1, 0}}});
}

TEST_CASE("does Reshape keep the order of elements") {
  std::mt19937 engine(seed);
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{2, 3, 4}, {2, 12}},   {{2, 12}, {2, 3, 4}},    {{24}, {2, 3, 2, 2}},
      {{1, 6, 1, 1}, {1, 6}}, {{6, 4}, {3, 2, 4}},     {{2, 1, 3}, {1, 2, 3, 1}},
      {{4, 6}, {2, 2, 6}},    {{1, 8, 2, 2}, {1, 32}}, {{5}, {5}},
      {{1, 1}, {1}},          {{2, 3, 4, 5}, {6, 20}}, {{8, 3}, {2, 12}}};
  for (const auto& [from, to] : cases) {
    CAPTURE(from.size());
    CAPTURE(to.size());
    check_operator("Reshape", {random_i8(from, engine)}, ElementType::i8, to);
  }
}

TEST_CASE("is a Reshape whose dimensions share no factors right, or refused with its shapes") {
  std::mt19937 engine(seed);
  OperatorCase test({random_i8({4, 6}, engine)});
  test.add("Reshape", {0}, ElementType::i8, {3, 8});
  try {
    check_agrees(test);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("[4,6] to [3,8]") != std::string::npos);
  }
}

TEST_CASE("does Slice take the elements that starts, ends and steps name") {
  std::mt19937 engine(seed);
  const Value x = random_i8({5, 7}, engine);
  const auto slice = [](Sizes starts, Sizes ends, Sizes axes, Sizes steps) {
    return std::map<std::string, Attribute>{{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}};
  };
  check_operator("Slice", {x}, ElementType::i8, {3, 7}, slice({1}, {4}, {0}, {1}));
  check_operator("Slice", {x}, ElementType::i8, {2, 3}, slice({0, 1}, {4, 7}, {0, 1}, {2, 2}));
  check_operator("Slice", {x}, ElementType::i8, {5, 7}, slice({6}, {-1}, {1}, {-1}));
  check_operator("Slice", {x}, ElementType::i8, {5, 2}, slice({5}, {0}, {1}, {-3}));
}

TEST_CASE("does Gather take the slices that its indices name, from the end where negative") {
  std::mt19937 engine(seed);
  const Value table = random_i8({6, 3, 4}, engine);
  const auto indices = [](Shape shape, std::vector<std::int64_t> values) {
    return make_value(ElementType::i64, std::move(shape), values);
  };
  const auto along = [](std::int64_t axis) { return std::map<std::string, Attribute>{{"axis", axis}}; };
  check_operator("Gather", {table, indices({5}, {5, 0, -1, 3, 3})}, ElementType::i8, {5, 3, 4}, along(0));
  check_operator("Gather", {table, indices({2, 2}, {2, 1, 0, -3})}, ElementType::i8, {6, 2, 2, 4}, along(1));
  check_operator("Gather", {table, indices({2}, {3, -4})}, ElementType::i8, {6, 3, 2}, along(2));
  check_operator("Gather", {table, indices({}, {-6})}, ElementType::i8, {3, 4}, along(0));
  OperatorCase beyond({table, indices({1}, {6})});
  beyond.add("Gather", {0, 1}, ElementType::i8, {1, 3, 4}, along(0));
  CHECK_THROWS_WITH_AS(interpreted(beyond), doctest::Contains("index 6 is beyond an extent of 6"), Error);
}

TEST_CASE("do codelets take and put the elements that indices name") {
  std::mt19937 engine(seed);
  const auto indices = [](Shape shape, std::vector<std::int64_t> values) {
    return make_value(ElementType::i64, std::move(shape), values);
  };
  const Value x = random_i8({4, 5}, engine);
  for (const std::int64_t axis : {0, 1}) {
    const Value at = indices({2, 3}, {3, -1, 0, 2, 1, -4});
    check_operator("GatherElements", {x, at}, ElementType::i8, {2, 3}, {{"axis", axis}});
    for (const char* reduction : {"add", "max", "min", "none"}) {
      check_operator("ScatterElements", {random_i32({4, 5}, engine), at, random_i32({2, 3}, engine)}, ElementType::i32,
                     {4, 5}, {{"axis", axis}, {"reduction", std::string(axis == 1 ? reduction : "max")}});
    }
  }
  check_operator("GatherND", {x, indices({3, 2}, {3, -1, 0, 2, 1, 4})}, ElementType::i8, {3});
  check_operator("GatherND", {x, indices({2, 1}, {-1, 2})}, ElementType::i8, {2, 5});
  check_operator("GatherND", {random_floats({2, 3, 4}, engine), indices({2, 1}, {2, 0})}, ElementType::fp32, {2, 4},
                 {{"batch_dims", std::int64_t{1}}});
  check_operator("ScatterND", {x, indices({2, 1}, {-1, 2}), random_i8({2, 5}, engine)}, ElementType::i8, {4, 5});
  check_operator("ScatterND",
                 {random_floats({4, 5}, engine), indices({3, 2}, {0, 1, 3, 2, 0, 1}), random_floats({3}, engine)},
                 ElementType::fp32, {4, 5}, {{"reduction", std::string("add")}});
}

TEST_CASE("do codelets that compare positions find the greatest, the marked and the sums so far") {
  std::mt19937 engine(seed);
  const auto counted = [](std::int64_t count) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return make_value(ElementType::i64, {count}, values);
  };
  for (const std::int64_t largest : {0, 1}) {
    check_operator("TopPositions", {random_i32({3, 6, 2}, engine, 3), counted(6)}, ElementType::i64, {3, 4, 2},
                   {{"axis", std::int64_t{1}}, {"largest", largest}});
  }
  for (const int bits : {0, 1, 2, 3}) {
    const std::map<std::string, Attribute> with = {
        {"axis", std::int64_t{1}}, {"reverse", std::int64_t{bits & 1}}, {"exclusive", std::int64_t{bits >> 1}}};
    check_operator("CumSum", {random_floats({3, 6, 2}, engine), counted(6)}, ElementType::fp32, {3, 6, 2}, with);
    check_operator("CumSum", {random_i32({3, 6}, engine), counted(6)}, ElementType::i32, {3, 6}, with);
  }
  const Value classes = make_value(ElementType::i64, {4}, std::vector<std::int64_t>{2, -1, 0, 9});
  const Value values = make_value(ElementType::fp32, {2}, std::vector<float>{-1, 5});
  for (const std::int64_t axis : {0, 1}) {
    check_operator("OneHot", {classes, values, counted(3)}, ElementType::fp32, axis == 0 ? Shape{3, 4} : Shape{4, 3},
                   {{"axis", axis}, {"depth", std::int64_t{3}}});
  }
}

TEST_CASE("do element-wise codelets broadcast as ONNX does") {
  std::mt19937 engine(seed);
  const std::vector<std::pair<Shape, Shape>> cases = {{{2, 3, 4}, {2, 3, 4}}, {{2, 3, 4}, {4}}, {{2, 3, 4}, {3, 1}},
                                                      {{3, 1}, {2, 3, 4}},    {{2, 3, 4}, {}},  {{}, {2, 3, 4}},
                                                      {{2, 1, 4}, {3, 1}},    {{1, 1}, {1, 1}}};
  for (const auto& [a, b] : cases) {
    const Shape y = a == Shape{1, 1} ? Shape{1, 1} : Shape{2, 3, 4};
    for (const char* type : {"Add", "Sub", "Mul", "Div", "Pow"}) {
      CAPTURE(a.size());
      CAPTURE(b.size());
      check_operator(type, {positive_floats(a, engine), positive_floats(b, engine)}, ElementType::fp32, y);
    }
  }
}

TEST_CASE("do one-argument codelets mean their functions") {
  std::mt19937 engine(seed);
  const Shape shape = {3, 5};
  for (const char* type : {"Sigmoid", "Tanh", "Exp", "Erf", "Neg", "Abs"}) {
    check_operator(type, {random_floats(shape, engine)}, ElementType::fp32, shape);
  }
  check_operator("Sqrt", {positive_floats(shape, engine)}, ElementType::fp32, shape);
  check_operator("Sigmoid", {random_floats({}, engine)}, ElementType::fp32, {});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_operator("Clip", {random_floats(shape, engine)}, ElementType::fp32, shape, {{"min", 0.0}, {"max", infinity}});
  check_operator("Clip", {random_floats(shape, engine)}, ElementType::fp32, shape, {{"min", -infinity}, {"max", 0.25}});
}

TEST_CASE("do the codelets of trigonometric and hyperbolic functions, remainders and Shrink mean their functions") {
  std::mt19937 engine(seed);
  const Shape shape = {3, 5};
  for (const char* type : {"Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Atanh", "Shrink"}) {
    check_operator(type, {random_floats(shape, engine)}, ElementType::fp32, shape);
  }
  check_operator("Acosh", {make_value(ElementType::fp32, {3}, std::vector<float>{1, 1.5f, 70})}, ElementType::fp32,
                 {3});
  check_operator("Shrink", {random_floats(shape, engine)}, ElementType::fp32, shape, {{"bias", 0.2}, {"lambd", 0.1}});
  check_operator("Remainder", {random_floats(shape, engine), positive_floats({5}, engine)}, ElementType::fp32, shape);
  const Value dividends = make_value(ElementType::i8, {6}, std::vector<std::int8_t>{-128, 127, -7, 7, 0, 126});
  for (const char* type : {"Mod", "Remainder"}) {
    for (const std::int8_t divisor : {-128, -3, -1, 2, 127}) {
      check_operator(type, {dividends, make_value(ElementType::i8, {}, std::vector{divisor})}, ElementType::i8, {6});
    }
  }
}

TEST_CASE("is infinity found on the sides that IsInf asks for") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Value x = make_value(ElementType::fp32, {4}, std::vector<float>{infinity, -infinity, 1, 0});
  check_operator("IsInf", {x}, ElementType::u8, {4});
  for (const char* side : {"detect_positive", "detect_negative"}) {
    check_operator("IsInf", {x}, ElementType::u8, {4}, {{side, std::int64_t{0}}});
  }
}

TEST_CASE("do activations' codelets mean their functions, with and without their parameters") {
  std::mt19937 engine(seed);
  const Shape shape = {3, 5};
  for (const char* type : {"LeakyRelu", "ThresholdedRelu", "Elu", "Celu", "Selu", "HardSigmoid", "HardSwish",
                           "Softplus", "Softsign", "Floor", "Ceil", "Round", "Sign", "Relu", "LogSoftmax"}) {
    check_operator(type, {random_floats(shape, engine)}, ElementType::fp32, shape);
  }
  for (const char* type : {"LeakyRelu", "ThresholdedRelu", "Elu", "Celu", "HardSigmoid"}) {
    check_operator(type, {random_floats(shape, engine)}, ElementType::fp32, shape, {{"alpha", 0.37}});
  }
  check_operator("PRelu", {random_floats({2, 3, 5}, engine), random_floats({3, 1}, engine)}, ElementType::fp32,
                 {2, 3, 5});
  for (const char* type : {"Log", "Reciprocal"}) {
    check_operator(type, {positive_floats(shape, engine)}, ElementType::fp32, shape);
  }
}

TEST_CASE("do activations of narrow floats round no attribute and the result once") {
  std::vector<std::uint8_t> patterns(0x7C);  // zero to the greatest finite value, and their negatives
  std::iota(patterns.begin(), patterns.end(), std::uint8_t{0});
  for (std::uint8_t pattern = 0; pattern < 0x7C; ++pattern) patterns.push_back(pattern | 0x80);
  const Shape shape = {static_cast<std::int64_t>(patterns.size())};
  for (const ElementType storage : {ElementType::fp8e5m2, ElementType::fp8e4m3}) {
    const Value x = make_value(storage, shape, patterns);
    for (const char* type : {"LeakyRelu", "ThresholdedRelu", "Elu", "Celu", "HardSigmoid"}) {
      check_operator(type, {x}, storage, shape, {{"alpha", 0.1}});
    }
    for (const char* type : {"Selu", "HardSwish", "Softplus", "Softsign", "Sigmoid"}) {
      check_operator(type, {x}, storage, shape);
    }
    check_operator("Clip", {x}, storage, shape, {{"min", 0.1}, {"max", 0.7}});
  }
}

TEST_CASE("do bounds mean the same for NaN as the reference") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const auto same = [](const std::string& type, const std::vector<Value>& inputs,
                       std::map<std::string, Attribute> with) {
    OperatorCase test(inputs);
    test.add(type, inputs.size() == 1 ? std::vector{0} : std::vector{0, 1}, ElementType::fp32, {4}, std::move(with));
    CAPTURE(type);
    CHECK(interpreted(test).data == referenced(test).data);
  };
  const Value x = make_value(ElementType::fp32, {4}, std::vector<float>{nan, -infinity, 0.25f, infinity});
  const Value y = make_value(ElementType::fp32, {4}, std::vector<float>{1.0f, nan, nan, 2.0f});
  same("Relu", {x}, {});
  same("Clip", {x}, {{"min", 0.0}, {"max", 6.0}});
  same("Clip", {x}, {{"min", 0.5}, {"max", double{infinity}}});
  same("HardSigmoid", {x}, {});
  for (const char* type : {"Max", "Min"}) {
    same(type, {x, y}, {});
    same(type, {y, x}, {});
  }
}

TEST_CASE("do comparisons, choices and logic give 0 and 1 as ONNX does") {
  std::mt19937 engine(seed);
  const Value a = random_i32({4, 6}, engine, 3), b = random_i32({6}, engine, 3);
  for (const char* type : {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}) {
    check_operator(type, {a, b}, ElementType::u8, {4, 6});
  }
  for (const char* type : {"Min", "Max"}) {
    check_operator(type, {random_floats({4, 6}, engine), random_floats({6}, engine)}, ElementType::fp32, {4, 6});
  }
  const auto bools = [](Shape shape, std::vector<std::uint8_t> values) {
    return make_value(ElementType::u8, std::move(shape), values);
  };
  const Value p = bools({4}, {0, 0, 1, 1}), q = bools({4}, {0, 1, 0, 1});
  for (const char* type : {"And", "Or", "Xor"}) check_operator(type, {p, q}, ElementType::u8, {4});
  check_operator("Not", {p}, ElementType::u8, {4});
  check_operator("Where", {p, random_floats({3, 4}, engine), random_floats({}, engine)}, ElementType::fp32, {3, 4});
}

TEST_CASE("do reductions' codelets mean their functions over any axes") {
  std::mt19937 engine(seed);
  for (const char* type : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                           "ReduceSumSquare", "ReduceLogSum"}) {
    for (const std::int64_t keep : {0, 1}) {
      const Shape y = keep ? Shape{2, 1, 4, 1} : Shape{2, 4};
      check_operator(type, {positive_floats({2, 3, 4, 5}, engine)}, ElementType::fp32, y,
                     {{"axes", Sizes{1, 3}}, {"keepdims", keep}});
    }
  }
  for (const char* type : {"ReduceSum", "ReduceMax", "ReduceMin"}) {
    check_operator(type, {random_i32({3, 4}, engine)}, ElementType::i32, {3},
                   {{"axes", Sizes{1}}, {"keepdims", std::int64_t{0}}});
  }
  const Value positions = make_value(ElementType::i64, {4}, std::vector<std::int64_t>{0, 1, 2, 3});
  for (const char* type : {"ArgMax", "ArgMin"}) {
    for (const std::int64_t last : {0, 1}) {
      check_operator(type, {random_i32({3, 4, 2}, engine, 2), positions}, ElementType::i64, {3, 2},
                     {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}, {"select_last_index", last}});
    }
    const Value close =
        make_value(ElementType::i64, {4}, std::vector<std::int64_t>{16777216, 16777217, 16777216, 16777217});
    const std::int64_t far = std::numeric_limits<std::int64_t>::min();
    const Value least = make_value(ElementType::i64, {4}, std::vector<std::int64_t>{far, far + 4096, far, far});
    check_operator(type, {least, positions}, ElementType::i64, {1}, {{"axis", std::int64_t{0}}});
    check_operator(type, {close, positions}, ElementType::i64, {1}, {{"axis", std::int64_t{0}}});
  }
}

TEST_CASE("do Pad, Tile and Expand put elements where ONNX does") {
  std::mt19937 engine(seed);
  check_operator("Pad", {random_floats({2, 3}, engine)}, ElementType::fp32, {5, 4},
                 {{"pads", Sizes{1, 0, 2, 1}}, {"value", -2.5}, {"mode", std::string("constant")}});
  check_operator("Pad", {random_floats({4, 3}, engine)}, ElementType::fp32, {2, 4},
                 {{"pads", Sizes{-1, 1, -1, 0}}, {"value", 0.0}, {"mode", std::string("constant")}});
  check_operator("Tile", {random_i8({2, 3}, engine)}, ElementType::i8, {4, 9}, {{"repeats", Sizes{2, 3}}});
  check_operator("Expand", {random_i8({3, 1}, engine)}, ElementType::i8, {2, 3, 4});
}

TEST_CASE("do QuantizeLinear and DequantizeLinear round, saturate and shift as ONNX does") {
  std::mt19937 engine(seed);
  const auto number = [](float v) { return make_value(ElementType::fp32, {}, std::vector<float>{v}); };
  const Value zero = make_value(ElementType::u8, {}, std::vector<std::uint8_t>{131});
  const Value x = random_floats({3, 5}, engine);
  check_operator("QuantizeLinear", {x, number(0.004F), zero}, ElementType::u8, {3, 5});
  check_operator("QuantizeLinear", {x, number(0.01F)}, ElementType::i8, {3, 5});
  check_operator("DequantizeLinear", {random_i8({3, 5}, engine), number(0.3F)}, ElementType::fp32, {3, 5});
  check_operator("DequantizeLinear", {random_i8({3, 5}, engine), positive_floats({3}, engine)}, ElementType::fp32,
                 {3, 5}, {{"axis", std::int64_t{0}}});
}

TEST_CASE("do Quantize, Dequantize and Cast convert as the network says") {
  std::mt19937 engine(seed);
  const Shape shape = {3, 5};
  check_operator("Quantize", {random_floats(shape, engine)}, ElementType::i8, shape, {{"scale", 0.0061}});
  check_operator("Dequantize", {random_i8(shape, engine)}, ElementType::fp32, shape, {{"scale", 0.0061}});
  check_operator("Cast", {random_floats(shape, engine)}, ElementType::bf16, shape);
}

TEST_CASE("do Scale and Accumulate multiply along their axis, or by one number") {
  std::mt19937 engine(seed);
  const Shape shape = {2, 3, 2, 2};
  const Value x = random_i8(shape, engine);
  check_operator("Scale", {x, random_i32({3}, engine)}, ElementType::i32, shape, {{"axis", std::int64_t{1}}});
  check_operator("Scale", {x, random_i32({}, engine)}, ElementType::i32, shape, {{"axis", std::int64_t{1}}});
  check_operator("Scale", {random_i8({4, 3}, engine), random_i32({3}, engine)}, ElementType::i32, {4, 3},
                 {{"axis", std::int64_t{1}}});
  check_operator("Accumulate", {random_i32(shape, engine), x}, ElementType::i32, shape, {{"axis", std::int64_t{1}}});
  check_operator("Accumulate", {random_i32(shape, engine), x, random_i32({3}, engine)}, ElementType::i32, shape,
                 {{"axis", std::int64_t{1}}});
  check_operator("Accumulate", {random_i32(shape, engine), x, random_i32({}, engine)}, ElementType::i32, shape,
                 {{"axis", std::int64_t{1}}});
}

TEST_CASE("does Requantize evaluate the covenant's expression, per channel or not") {
  std::mt19937 engine(seed);
  const Shape shape = {2, 3, 4};
  check_operator("Requantize", {random_i32(shape, engine), positive_floats({3}, engine)}, ElementType::i8, shape,
                 float_requantise);
  check_operator("Requantize", {random_i32(shape, engine), positive_floats({}, engine)}, ElementType::i8, shape,
                 float_requantise);
  auto shifted = float_requantise;
  shifted["expression"] = "i8(clamp((i64(x) * i64(mult) + (i64(1) << (i64(shift) - 1))) >> i64(shift), lo, hi))";
  shifted["parameters"] = "mult,shift";
  const Value shift = make_value(ElementType::i32, {3}, std::vector<std::int32_t>{9, 3, 12});
  check_operator("Requantize", {random_i32(shape, engine), random_i32({3}, engine), shift}, ElementType::i8, shape,
                 shifted);
}

TEST_CASE("do operators of a group compute together what they compute one by one") {
  std::mt19937 engine(seed);
  const std::map<std::string, Attribute> conv = {{"kernel_shape", Sizes{3, 3}},
                                                 {"strides", Sizes{1, 1}},
                                                 {"dilations", Sizes{1, 1}},
                                                 {"pads", Sizes{1, 1, 1, 1}},
                                                 {"group", std::int64_t{2}}};
  const Shape y = {1, 6, 5, 4};
  OperatorCase test({random_i8({1, 4, 5, 4}, engine), random_i8({6, 2, 3, 3}, engine), random_i32({6}, engine),
                     random_i8(y, engine), random_i32({}, engine, 40), positive_floats({6}, engine)});
  const auto acc = test.add("Conv", {0, 1, 2}, ElementType::i32, y, conv);
  const auto sum = test.add("Accumulate", {acc, 3, 4}, ElementType::i32, y, {{"axis", std::int64_t{1}}});
  auto requantise = float_requantise;
  requantise["expression"] = "i8(clamp(round(fp32(x) * scale * 0.001), lo, hi))";
  test.add("Requantize", {sum, 5}, ElementType::i8, y, requantise);
  check_agrees(test);
}

TEST_CASE("do sums that nothing follows have the result's own name") {
  std::mt19937 engine(seed);
  OperatorCase test({random_i8({3, 8}, engine), random_i8({5, 8}, engine), random_i8({3, 5}, engine)});
  const auto acc = test.add("Gemm", {0, 1}, ElementType::i32, {3, 5}, {{"transB", std::int64_t{1}}});
  const auto sum = test.add("Accumulate", {acc, 2}, ElementType::i32, {3, 5}, {{"axis", std::int64_t{1}}});
  const Work work = instantiate(test.network, {0, 1}, CodeletLibrary::shipped());
  const int target = work.program.statements.back().target.operand;
  CHECK(work.operands[static_cast<std::size_t>(target)].tensor == sum);
  check_agrees(test);
}

TEST_CASE("is an operator with an input that its codelet does not read refused") {
  std::mt19937 engine(seed);
  OperatorCase test({random_floats({2}, engine), random_floats({2}, engine), random_floats({2}, engine)});
  test.add("Max", {0, 1, 2}, ElementType::fp32, {2});
  CHECK_THROWS_WITH_AS(interpreted(test), doctest::Contains("3 inputs"), Error);
}

TEST_CASE("is an operator without a codelet refused by name") {
  std::mt19937 engine(seed);
  OperatorCase test({random_floats({2}, engine)});
  test.add("LSTM", {0}, ElementType::fp32, {2});
  CHECK_THROWS_WITH_AS(interpreted(test), doctest::Contains("(LSTM): it has no codelet"), OperatorError);
}

TEST_CASE("is a codelet that cannot be read told with its file") {
  const Scratch folder("codelets");
  std::filesystem::create_directories(folder.path);
  const auto complaint = [&](const std::string& outside) -> std::string {
    std::ofstream(folder.path / "mine.yaml")
        << "Mine: {inputs: [x], outputs: [y], outside: " << outside << ", statements: [\"y[@] = x[@]\"]}\n";
    try {
      CodeletLibrary library(folder.path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(complaint("{x: lowest}") == "");
  CHECK(complaint("{x: -1.5}") == "");
  CHECK(complaint("{x: pad_value}") == "");
  CHECK(complaint("{x: 1 + 1}").find("mine.yaml") != std::string::npos);
  CHECK(complaint("{x: 1 + 1}").find("neither a number") != std::string::npos);
  CHECK(complaint("{z: 0}").find("none of its inputs") != std::string::npos);
}

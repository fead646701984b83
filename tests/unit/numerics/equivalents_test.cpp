// Do operators that are written in terms of others stay the same functions, and are they where a machine gains by it?
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "archdsl/tensor/convert.h"
#include "compiler/numerics/equivalents.h"
#include "compiler/numerics/quantise.h"
#include "compiler/numerics/write_out.h"
#include "compiler/reference/execute.h"
#include "tests/unit/numerics/machines.h"
#include "tests/unit/numerics/network_builder.h"

using namespace accord;

namespace {

using Attributes = std::map<std::string, Attribute>;

constexpr float inf = std::numeric_limits<float>::infinity();

struct Subject {
  std::string type;
  Attributes attributes{};
  std::vector<float> second{};  ///< another input, a constant of four columns or one number
};

Network network_of(const Subject& subject) {
  Builder b;
  std::vector<TensorId> inputs = {b.input({32, 4})};
  const auto count = static_cast<std::int64_t>(subject.second.size());
  if (count > 0) inputs.push_back(b.constant(count == 1 ? Shape{} : Shape{count}, subject.second));
  return b.finish(b.add(subject.type, inputs, {32, 4}, subject.attributes));
}

/// Numbers of -4 .. 4, or above 0, for the input.
Values numbers(const Network& network, bool positive) {
  const Tensor& input = network.tensor(network.inputs[0]);
  const auto count = static_cast<int>(element_count(input.shape));
  Value x{ElementType::fp32, input.shape, std::vector<std::byte>(4 * static_cast<std::size_t>(count))};
  for (int i = 0; i < count; ++i) {
    const float number = positive ? 0.05F + 0.06F * static_cast<float>(i) : 0.0625F * static_cast<float>(i - 64);
    std::memcpy(x.data.data() + 4 * i, &number, 4);
  }
  return {{input.name, x}};
}

float at(const Values& values, int i) {
  const Value& y = values.begin()->second;
  return static_cast<float>(load_element(y.data.data() + 4 * i, y.type));
}

void check_equal(const Network& network, const Network& other, const Values& inputs) {
  const Values expected = execute(network, inputs), given = execute(other, inputs);
  const auto count = static_cast<int>(element_count(expected.begin()->second.shape));
  for (int i = 0; i < count; ++i) {
    if (std::isinf(at(expected, i)))
      CHECK(at(given, i) == at(expected, i));
    else
      CHECK(at(given, i) == doctest::Approx(at(expected, i)).epsilon(1e-5).scale(1));
  }
}

/// A mask over [32, 4] of columns, and where it holds.
Network chosen_by_mask(bool tensor_first, const std::vector<float>& numbers) {
  Builder b;
  const TensorId x = b.input({32, 4}), c = b.constant({4}, numbers);
  Network network = b.finish(b.add("Where", {x, tensor_first ? x : c, tensor_first ? c : x}, {32, 4}));
  const std::vector<std::int8_t> mask = {1, 0, 1, 0};
  const TensorId chosen = network.add(make_constant("mask", {1, 4}, mask));
  network.operators.front().inputs[0] = chosen;
  return network;
}

std::vector<std::string> written_with(Network network, const std::set<std::string>& capabilities) {
  const std::string type = network.operators.front().type;
  numerics::write_out(network,
                      [&](const Network& alone) { return capabilities.contains(alone.operators.front().type); });
  return types_of(network);
}

}  // namespace

TEST_CASE("does each way to write an operator give its values") {
  const std::vector<Subject> subjects = {{"Neg"},
                                         {"Abs"},
                                         {"Sigmoid"},
                                         {"Tanh"},
                                         {"Softsign"},
                                         {"Softplus"},
                                         {"Softmax", {{"axis", std::int64_t{-1}}}},
                                         {"HardSwish"},
                                         {"HardSigmoid"},
                                         {"HardSigmoid", {{"alpha", 0.3}, {"beta", 0.4}}},
                                         {"LeakyRelu"},
                                         {"LeakyRelu", {{"alpha", 0.3}}},
                                         {"LeakyRelu", {{"alpha", 1.5}}},
                                         {"LeakyRelu", {{"alpha", -0.5}}},
                                         {"Elu"},
                                         {"Elu", {{"alpha", 0.7}}},
                                         {"Celu"},
                                         {"Celu", {{"alpha", 1.7}}},
                                         {"Selu"},
                                         {"Selu", {{"alpha", 1.2}, {"gamma", 0.9}}},
                                         {"PRelu", {}, {0.1F, 0.2F, 1.5F, -0.5F}},
                                         {"Sub", {}, {1, 2, 3, 4}},
                                         {"Div", {}, {1, 2, -3, 4}},
                                         {"Pow", {}, {2}},
                                         {"Pow", {}, {3}}};
  const std::vector<Subject> of_positive = {{"Reciprocal"}, {"Sqrt"}, {"Pow", {}, {0.5F}}};
  int ways = 0;
  const auto check = [&](const Subject& subject, bool positive) {
    CAPTURE(subject.type);
    const Network network = network_of(subject);
    for (const numerics::Equivalent way : numerics::equivalents(subject.type)) {
      Network other = network;
      std::vector<Operator> steps;
      if (!way(other, network.operators.front(), steps)) continue;
      other.operators = steps;
      check_equal(network, other, numbers(network, positive));
      ++ways;
    }
  };
  for (const Subject& subject : subjects) check(subject, false);
  for (const Subject& subject : of_positive) check(subject, true);
  CHECK(ways == 31);
}

TEST_CASE("is an average of what windows hold one over all, times a constant") {
  Builder b;
  const TensorId x = b.input({1, 2, 5, 6});
  const std::vector<std::int64_t> kernel = {3, 2}, strides = {2, 1}, pads = {1, 0, 1, 1}, dilations = {1, 2};
  const Network network =
      b.finish(b.add("AveragePool", {x}, {1, 2, 3, 5},
                     {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"dilations", dilations}}));
  Network other = network;
  numerics::write_out(other, [&](const Network& alone) {
    const Operator& op = alone.operators.front();
    return op.type != "AveragePool" || attribute(op, "count_include_pad", std::int64_t{0}) != 0;
  });
  CHECK(types_of(other) == std::vector<std::string>{"AveragePool", "Mul"});
  check_equal(network, other, numbers(network, false));
}

TEST_CASE("is a choice by a constant mask a product and a sum") {
  for (const bool tensor_first : {true, false}) {
    const Network network = chosen_by_mask(tensor_first, {-inf, 7, -3, -inf});
    Network other = network;
    numerics::write_out(other, [](const Network& alone) { return alone.operators.front().type != "Where"; });
    CHECK(types_of(other) == std::vector<std::string>{"Mul", "Add"});
    check_equal(network, other, numbers(network, false));
  }
}

TEST_CASE("is an operator written out where the machine does all that it becomes, and nowhere else") {
  using Types = std::vector<std::string>;
  const Network swish = network_of({"HardSwish"});
  CHECK(written_with(swish, {"Mul", "Add", "Clip"}) == Types{"Mul", "Add", "Clip", "Mul"});
  CHECK(written_with(swish, {"Mul", "Add", "Clip", "HardSwish"}) == Types{"HardSwish"});
  CHECK(written_with(swish, {"Mul", "Add"}) == Types{"HardSwish"});

  const Network leaky = network_of({"LeakyRelu"});
  CHECK(written_with(leaky, {"Mul", "Add", "Clip", "Max"}) == Types{"Mul", "Max"});
  CHECK(written_with(leaky, {"Mul", "Add", "Clip"}) == Types{"Clip", "Clip", "Mul", "Add"});
  CHECK(written_with(network_of({"LeakyRelu", {{"alpha", 2.0}}}), {"Mul", "Max"}) == Types{"LeakyRelu"});

  // What an operator becomes may have to be written out in turn.
  const Network soft = network_of({"Softsign"});
  CHECK(written_with(soft, {"Mul", "Add", "Sub", "Clip", "Pow"}) == Types{"Clip", "Clip", "Sub", "Add", "Pow", "Mul"});

  // Two operators that are ways to compute each other end.
  CHECK(written_with(network_of({"Sigmoid"}), {"Mul", "Add"}) == Types{"Sigmoid"});
  CHECK(written_with(network_of({"Tanh"}), {"Mul", "Add"}) == Types{"Tanh"});
}

TEST_CASE("does an integer machine's float unit do the parts of what stays in float, and nothing else in float") {
  Builder b;
  const TensorId x = b.input({4, 8});
  const TensorId y = b.add("Softmax", {b.gemm(x, 8, 1, 0)}, {4, 8}, {{"axis", std::int64_t{-1}}});
  const Network network = b.finish(b.gemm(y, 8, 1, 0));
  const Values inputs = seeded_inputs(network, 5);
  const auto types_with = [&](const std::set<std::string>& capabilities) {
    const Network numeric =
        quantise(network, float_scale_machine(), {inputs}, nullptr, AddedSums::per_channel,
                 [&](const Network& alone) { return capabilities.contains(alone.operators.front().type); });
    for (const Operator& op : numeric.operators) {
      const bool product = op.type == "Gemm" || op.type == "Requantize";
      for (const TensorId result : op.outputs)
        CHECK((numeric.tensor(result).type == ElementType::fp32) == (!product && op.type != "Quantize"));
    }
    return types_of(numeric);
  };
  using Types = std::vector<std::string>;
  const std::set<std::string> all = {"ReduceMax", "Sub", "Exp", "ReduceSum", "Div"};
  CHECK(types_with(all) == Types{"Quantize", "Gemm", "Requantize", "Dequantize", "ReduceMax", "Sub", "Exp", "ReduceSum",
                                 "Div", "Quantize", "Gemm", "Requantize", "Dequantize"});
  CHECK(types_with({"ReduceMax", "Sub", "Exp", "ReduceSum"}) == Types{"Quantize", "Gemm", "Requantize", "Dequantize",
                                                                      "Softmax", "Quantize", "Gemm", "Requantize",
                                                                      "Dequantize"});
}

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "compiler/network/canonicalise.h"
#include "compiler/numerics/compare.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "tests/unit/numerics/machines.h"

using namespace accord;

namespace {

constexpr unsigned seed = 11;

/// A quantised model: x, quantised; a convolution by integer weights; its result, quantised and dequantised.
class QuantisedModel {
 public:
  explicit QuantisedModel(std::uint8_t middle) : middle_(middle) {}

  Network network;
  TensorId y = no_tensor;
  std::vector<std::int8_t> integers;
  std::vector<float> weight_scales;

  void build(bool linear) {
    const auto x = add("x", ElementType::fp32, {1, 3, 6, 6});
    network.inputs = {x};
    const auto x_scale = number(0.03F), y_scale = number(0.11F), zero = middle();
    const auto q = op("QuantizeLinear", {x, x_scale, zero}, ElementType::u8, {1, 3, 6, 6});
    for (int i = 0; i < 4 * 3 * 9; ++i) integers.push_back(static_cast<std::int8_t>(random_() % 255 - 127));
    const auto w = network.add(make_constant("w", {4, 3, 3, 3}, integers));
    weight_scales = {0.01F, 0.02F, 0.005F, 0.013F};
    const auto w_scale = network.add(make_constant("w_scale", {4}, weight_scales));
    const std::map<std::string, Attribute> window = {{"kernel_shape", Sizes{3, 3}},
                                                     {"strides", Sizes{1, 1}},
                                                     {"dilations", Sizes{1, 1}},
                                                     {"pads", Sizes{1, 1, 1, 1}},
                                                     {"group", std::int64_t{1}}};
    const Shape shape = {1, 4, 6, 6};
    TensorId quantised;
    if (linear) {
      const auto none = network.add(make_constant("w_zero", {4}, std::vector<std::int8_t>(4)));
      quantised =
          op("QLinearConv", {q, x_scale, zero, w, w_scale, none, y_scale, zero}, ElementType::u8, shape, window);
    } else {
      const auto real = op("DequantizeLinear", {q, x_scale, zero}, ElementType::fp32, {1, 3, 6, 6});
      const auto weights =
          op("DequantizeLinear", {w, w_scale}, ElementType::fp32, {4, 3, 3, 3}, {{"axis", std::int64_t{0}}});
      const auto conv = op("Conv", {real, weights}, ElementType::fp32, shape, window);
      quantised = op("QuantizeLinear", {conv, y_scale, zero}, ElementType::u8, shape);
    }
    y = op("DequantizeLinear", {quantised, y_scale, zero}, ElementType::fp32, shape);
    network.outputs = {y};
  }

  /// A quantiser and its inverse alone.
  void build_pair() {
    const Shape shape = {1, 3, 6, 6};
    const auto x = add("x", ElementType::fp32, shape);
    network.inputs = {x};
    const auto scale = number(0.03F), zero = middle();
    y = op("DequantizeLinear", {op("QuantizeLinear", {x, scale, zero}, ElementType::u8, shape), scale, zero},
           ElementType::fp32, shape);
    network.outputs = {y};
  }

  /// Scores: a product of two quantised tensors, quantised in steps of `step`, times a number, quantised anew.
  void build_scores(float step) {
    const Shape shape = {1, 8, 8};
    for (const char* name : {"a", "b"}) network.inputs.push_back(add(name, ElementType::fp32, shape));
    const auto product =
        op("MatMul", {rounded(network.inputs[0], 0.03F), rounded(network.inputs[1], 0.03F)}, ElementType::fp32, shape);
    y = rounded(op("Mul", {rounded(product, step), number(0.353F)}, ElementType::fp32, shape), scores_step);
    network.outputs = {y};
  }

  /// One number, without dimensions, quantised before and behind a product by another.
  void build_number() {
    network.inputs = {add("a", ElementType::fp32, {})};
    y = rounded(op("Mul", {rounded(network.inputs[0], 0.03F), number(0.353F)}, ElementType::fp32, {}), scores_step);
    network.outputs = {y};
  }
  static constexpr float scores_step = 0.03F;

 private:
  using Sizes = std::vector<std::int64_t>;

  TensorId add(const char* name, ElementType type, Shape shape) {
    return network.add({name, type, std::move(shape), nullptr, std::nullopt});
  }
  TensorId rounded(TensorId x, float step) {
    const Shape shape = network.tensor(x).shape;
    const auto scale = number(step), zero = middle();
    return op("DequantizeLinear", {op("QuantizeLinear", {x, scale, zero}, ElementType::u8, shape), scale, zero},
              ElementType::fp32, shape);
  }
  TensorId number(float value) { return network.add(make_constant("s", {}, std::vector{value})); }
  TensorId middle() {
    Tensor tensor{"zero", ElementType::u8, {}, nullptr, std::nullopt};
    tensor.data = owned({std::byte{middle_}});
    return network.add(tensor);
  }
  TensorId op(const char* type, std::vector<TensorId> inputs, ElementType result, Shape shape,
              std::map<std::string, Attribute> attributes = {}) {
    const auto id = add("t", result, std::move(shape));
    network.operators.push_back({std::string(type) + std::to_string(id), type, std::move(inputs), {id}, attributes});
    return id;
  }

  std::uint8_t middle_;
  std::mt19937 random_{seed};
};

double greatest_difference(const Value& a, const Value& b) {
  double difference = 0;
  for (std::size_t i = 0; i < a.data.size(); i += sizeof(float)) {
    float x, y;
    std::memcpy(&x, &a.data[i], sizeof x);
    std::memcpy(&y, &b.data[i], sizeof y);
    difference = std::max(difference, std::abs(static_cast<double>(x) - static_cast<double>(y)));
  }
  return difference;
}

void scale_up(Value& value, float by) {
  for (std::size_t i = 0; i < value.data.size(); i += sizeof(float)) {
    float x;
    std::memcpy(&x, &value.data[i], sizeof x);
    x *= by;
    std::memcpy(&value.data[i], &x, sizeof x);
  }
}

const Operator* find(const Network& network, const std::string& type) {
  for (const auto& op : network.operators) {
    if (op.type == type) return &op;
  }
  return nullptr;
}

/// What a model reads, and gives as it stands.
struct Run {
  Values inputs;
  Value expected;
};

/// Builds the model, runs it, and leaves its network canonical.
Run canonical(QuantisedModel& model, bool linear) {
  model.build(linear);
  Values inputs = seeded_inputs(model.network, seed);
  Value expected = execute(model.network, inputs).begin()->second;
  canonicalise(model.network);
  return {std::move(inputs), std::move(expected)};
}

}  // namespace

TEST_CASE("does a quantised model keep its own integers and scales") {
  for (const bool linear : {false, true}) {
    CAPTURE(linear);
    QuantisedModel model(128);
    model.build(linear);
    const Values inputs = seeded_inputs(model.network, seed);
    const Values expected = execute(model.network, inputs);
    canonicalise(model.network);
    const Network numeric = quantise(model.network, float_scale_machine(), {inputs});
    const Operator* conv = find(numeric, "Conv");
    REQUIRE(conv != nullptr);
    CHECK(find(numeric, "QuantizeLinear") == nullptr);
    const Tensor& weights = numeric.tensor(conv->inputs[1]);
    const auto* stored = constant_data<std::int8_t>(weights);
    CHECK(std::vector<std::int8_t>(stored, stored + model.integers.size()) == model.integers);
    CHECK(weights.quantisation->scale == model.weight_scales);
    CHECK(numeric.tensor(conv->inputs[0]).quantisation->scale == std::vector<float>{0.03F});
    const auto name = expected.begin()->first;
    // One step where the sum lies between two integers: the model rounds a float sum, the machine an integer one.
    CHECK(greatest_difference(execute(numeric, inputs).at(name), expected.at(name)) <= 0.11 * 1.001);
  }
}

TEST_CASE(
    "does a model keep its own weights' integers whatever their zero point, where the machine has as great ones") {
  Network network;
  const auto add = [&](const char* name, ElementType type, Shape shape) {
    return network.add({name, type, std::move(shape), nullptr, std::nullopt});
  };
  const auto bytes = [&](const char* name, Shape shape, const std::vector<std::uint8_t>& values) {
    Tensor tensor{name, ElementType::u8, std::move(shape), nullptr, std::nullopt};
    tensor.data = owned({reinterpret_cast<const std::byte*>(values.data()),
                         reinterpret_cast<const std::byte*>(values.data() + values.size())});
    return network.add(tensor);
  };
  const auto build = [&](std::uint8_t greatest) {
    network = {};
    const auto x = add("x", ElementType::fp32, {2, 4}), real = add("r", ElementType::fp32, {3, 4});
    const auto y = add("y", ElementType::fp32, {2, 3});
    const auto w = bytes("w", {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, greatest});
    const auto scale = network.add(make_constant("s", {}, std::vector{0.25F}));
    network.inputs = {x};
    network.outputs = {y};
    network.operators = {{"d", "DequantizeLinear", {w, scale, bytes("z", {}, {8})}, {real}, {}},
                         {"m", "Gemm", {x, real}, {y}, {{"transB", std::int64_t{1}}}}};
  };
  const auto stored = [&](QuantiseReport& report) {
    canonicalise(network);
    const Network numeric = quantise(network, float_scale_machine(), {}, &report);
    const Operator* product = find(numeric, "Gemm");
    if (product == nullptr) product = find(numeric, "Conv");
    REQUIRE(product != nullptr);
    const auto* weights = constant_data<std::int8_t>(numeric.tensor(product->inputs[1]));
    return std::vector<std::int8_t>(weights, weights + 12);
  };
  QuantiseReport report;
  build(15);
  CHECK(stored(report) == std::vector<std::int8_t>{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 7});
  build(255);  // less 8, more than 127: its row is rounded anew, in steps of 247 / 127
  const auto anew = stored(report);
  CHECK(anew.back() == 127);
  CHECK(anew[10] == 1);  // 2 of 247
}

TEST_CASE("are values beyond what a model's quantisers hold saturated, in floats and in integers") {
  for (const bool bare : {false, true}) {
    CAPTURE(bare);
    QuantisedModel model(128);
    if (bare) {
      model.build_pair();
    } else {
      model.build(false);
    }
    Values inputs = seeded_inputs(model.network, seed);
    scale_up(inputs.begin()->second, 50);  // scales of 0.03 hold up to 3.84
    const Value expected = execute(model.network, inputs).begin()->second;
    canonicalise(model.network);
    CHECK(find(model.network, "Clip") != nullptr);
    // Integers are the model's own but for one step; floats are not rounded.
    const Network numeric = quantise(model.network, float_scale_machine(), {inputs});
    CHECK(greatest_difference(execute(numeric, inputs).begin()->second, expected) <= (bare ? 0.03 : 0.11) * 1.001);
    CHECK(compare(expected, execute(model.network, inputs).begin()->second).signal_to_noise_db > 25);
  }
}

TEST_CASE("are a product's integers rounded and saturated before a number multiplies them") {
  for (const float step : {0.005F, 0.4F, 0.03F}) {  // most saturate; few are left; neither
    CAPTURE(step);
    QuantisedModel model(128);
    model.build_scores(step);
    const Values inputs = seeded_inputs(model.network, seed);
    const Value expected = execute(model.network, inputs).begin()->second;
    canonicalise(model.network);
    const Network numeric = quantise(model.network, float_scale_machine(), {inputs});
    CHECK(find(numeric, "Mul") == nullptr);
    CHECK(std::ranges::count(numeric.operators, "Requantize", &Operator::type) == 2);
    CHECK(greatest_difference(execute(numeric, inputs).begin()->second, expected) <= 1.001 * model.scores_step);
  }
}

TEST_CASE("is a number without dimensions multiplied in float between a model's integers") {
  QuantisedModel model(128);
  model.build_number();
  const Values inputs = seeded_inputs(model.network, seed);
  const Value expected = execute(model.network, inputs).begin()->second;
  canonicalise(model.network);
  const Network numeric = quantise(model.network, float_scale_machine(), {inputs});
  CHECK(find(numeric, "Mul") != nullptr);
  CHECK(greatest_difference(execute(numeric, inputs).begin()->second, expected) <= 1.001 * model.scores_step);
}

TEST_CASE("are integers too great for the machine's weights scaled anew, not cut") {
  QuantisedModel model(128);
  const auto [inputs, expected] = canonical(model, false);
  Numerics narrow = float_scale_machine();
  narrow.weight = ElementType::i4;
  const Network numeric = quantise(model.network, narrow, {inputs});
  const Operator* conv = find(numeric, "Conv");
  REQUIRE(conv != nullptr);
  const auto& scales = numeric.tensor(conv->inputs[1]).quantisation->scale;
  for (std::size_t k = 0; k < scales.size(); ++k) CHECK(scales[k] > 10 * model.weight_scales[k]);
  CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 15);
}

TEST_CASE("are integers too great for the machine's activations scaled by the values seen, not cut") {
  for (const int zero : {128, 100}) {
    CAPTURE(zero);
    QuantisedModel model(static_cast<std::uint8_t>(zero));
    const auto [inputs, expected] = canonical(model, false);
    Numerics narrow = float_scale_machine();
    narrow.storage = ElementType::i4;
    narrow.requantise = "i4(clamp(round(fp32(x) * scale), lo, hi))";
    const Network numeric = quantise(model.network, narrow, {inputs});
    REQUIRE(numeric.warnings.size() == 1);
    CHECK(numeric.warnings[0].find("are of more than i4's integers in the model") != std::string::npos);
    CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 10);
  }
}

TEST_CASE("do wide integers of few values keep the model's own steps") {
  QuantisedModel model(128);
  Values inputs = canonical(model, false).inputs;
  for (auto& [name, value] : inputs) scale_up(value, 0.01F);
  for (Tensor& tensor : model.network.tensors) {
    if (tensor.quantisation && !tensor.is_constant()) tensor.quantisation->reach = 1 << 15;
  }
  const Network numeric = quantise(model.network, float_scale_machine(), {inputs});
  REQUIRE(numeric.warnings.size() == 1);
  const Operator* conv = find(numeric, "Conv");
  REQUIRE(conv != nullptr);
  CHECK(numeric.tensor(conv->inputs[0]).quantisation->scale == std::vector<float>{0.03F});
}

TEST_CASE("does a model with zero points keep its own integers, scales and zero points") {
  for (const int zero : {0, 100, 255}) {
    for (const bool linear : {false, true}) {
      CAPTURE(zero);
      CAPTURE(linear);
      QuantisedModel model(static_cast<std::uint8_t>(zero));
      const auto [inputs, expected] = canonical(model, linear);
      const Network numeric = quantise(model.network, float_scale_machine(), {inputs});
      CHECK(numeric.warnings.empty());
      CHECK(find(numeric, "QuantizeLinear") == nullptr);
      const Operator* conv = find(numeric, "Conv");
      REQUIRE(conv != nullptr);
      const auto& x = numeric.tensor(conv->inputs[0]).quantisation;
      CHECK(x->scale == std::vector<float>{0.03F});
      CHECK(x->zero == zero - 128);
      CHECK(attribute(*conv, "outside", 0.0) == zero - 128);  // padding stands for 0
      CHECK(greatest_difference(execute(numeric, inputs).begin()->second, expected) <= 0.11 * 1.001);
    }
  }
}

TEST_CASE("do scales that are powers of two cover the range of a tensor with a zero point, around 0") {
  QuantisedModel model(0);
  const auto [inputs, expected] = canonical(model, false);
  Numerics shifts = float_scale_machine();
  shifts.requantise = "i8(clamp((x + (i32(1) << (shift - 1))) >> shift, lo, hi))";
  shifts.parameters = {{"shift", ElementType::i32, true}};
  const Network numeric = quantise(model.network, shifts, {inputs});
  CHECK(numeric.warnings.size() == 2);  // the tensor's zero point, and the weights' own integers
  const Operator* conv = find(numeric, "Conv");
  REQUIRE(conv != nullptr);
  const auto& x = numeric.tensor(conv->inputs[0]).quantisation;
  CHECK(x->scale.at(0) >= 0.03F * 255 / 127);
  CHECK(x->zero == 0);
  CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 20);
}

// Do machines whose integers are wider than a model's keep its weights?
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compiler/network/canonicalise.h"
#include "compiler/numerics/compare.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "tests/unit/numerics/rounded_model.h"

using namespace accord;

namespace {

constexpr unsigned wide_seed = 23;
constexpr std::int64_t filters = 4, terms = 4096;  // 4096 * 127 * 32768 is far beyond i32, 4096 * 127 * 128 is not
constexpr float x_step = 0.02F, w_step = 0.001F;

Numerics sixteen_bits() {
  Numerics numerics;
  numerics.storage = numerics.weight = ElementType::i16;
  numerics.requantise = "i16(clamp((i64(x) * i64(mult) + (i64(1) << i64(shift - 1))) >> i64(shift), lo, hi))";
  numerics.parameters = {{"mult", ElementType::i32, true}, {"shift", ElementType::i32, false}};
  return numerics;
}

std::vector<std::int8_t> random_bytes() {
  std::mt19937 random(wide_seed);
  std::vector<std::int8_t> integers(filters * terms);
  for (auto& integer : integers) integer = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
  return integers;
}

/// Of the first channel's signs, and so great that a quantiser saturates all.
Values adverse(const Network& model, const std::vector<std::int8_t>& weights) {
  Values inputs = seeded_inputs(model, wide_seed);
  auto* x = reinterpret_cast<float*>(inputs.begin()->second.data.data());
  for (std::int64_t i = 0; i < terms; ++i) x[i] = weights[static_cast<std::size_t>(i)] < 0 ? -1000.0F : 1000.0F;
  return inputs;
}

}  // namespace

TEST_CASE("are a model's weights kept where its own integers, not the machine's, bound their sums") {
  for (const std::string mover : {"none", "Reshape", "Concat"}) {
    CAPTURE(mover);
    const auto integers = random_bytes();
    RoundedModel m;
    const Shape shape = {1, terms};
    TensorId x = m.rounded(m.b.input(shape), shape, x_step);
    if (mover == "Reshape") x = m.b.add("Reshape", {m.b.add("Reshape", {x}, {terms, 1})}, shape);
    if (mover == "Concat") {
      const TensorId half = m.b.add("Slice", {x}, {1, terms / 2},
                                    {{"axes", std::vector<std::int64_t>{1}},
                                     {"starts", std::vector<std::int64_t>{0}},
                                     {"ends", std::vector<std::int64_t>{terms / 2}},
                                     {"steps", std::vector<std::int64_t>{1}}});
      x = m.b.add("Concat", {half, half}, shape, {{"axis", std::int64_t{1}}});
    }
    const TensorId y = m.b.add("Gemm", {x, m.weights({filters, terms}, integers, w_step)}, {1, filters},
                               {{"transB", std::int64_t{1}}});
    Network model = m.b.finish(m.rounded(y, {1, filters}, 0.5F));
    for (const bool worst : {false, true}) {
      CAPTURE(worst);
      Network canonical = model;
      const Values inputs = worst ? adverse(model, integers) : seeded_inputs(model, wide_seed);
      const Value expected = execute(model, inputs).begin()->second;
      canonicalise(canonical);
      const Network numeric = quantise(canonical, sixteen_bits(), {inputs});
      CHECK(numeric.warnings.empty());
      const Operator& product = find_operator(numeric, "Gemm");
      const auto* stored = constant_data<std::int16_t>(numeric.tensor(product.inputs[1]));
      CHECK(std::equal(integers.begin(), integers.end(), stored));
      CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 60);
    }
  }
}

TEST_CASE("do weights get greater steps where no quantiser bounds what they multiply") {
  RoundedModel m;
  const TensorId y = m.b.add("Gemm", {m.b.input({1, terms}), m.weights({filters, terms}, random_bytes(), w_step)},
                             {1, filters}, {{"transB", std::int64_t{1}}});
  Network model = m.b.finish(y);
  const Values inputs = adverse(model, random_bytes());
  const Value expected = execute(model, inputs).begin()->second;
  canonicalise(model);
  const Network numeric = quantise(model, sixteen_bits(), {inputs});
  REQUIRE(numeric.warnings.size() == 1);
  CHECK(numeric.warnings[0].find("greater steps") != std::string::npos);
  CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 25);
}

TEST_CASE("are products of activations integers where the model's bound their sums") {
  for (const bool quantised : {false, true}) {
    CAPTURE(quantised);
    RoundedModel m;
    const Shape shape = {2, 64, 64};
    TensorId a = m.b.input(shape), b = m.b.input(shape);
    if (quantised) {
      a = m.rounded(a, shape, x_step);
      b = m.rounded(b, shape, x_step);
    }
    Network model = m.b.finish(m.rounded(m.b.add("MatMul", {a, b}, shape), shape, 0.1F));
    const Values inputs = seeded_inputs(model, wide_seed);
    const Value expected = execute(model, inputs).begin()->second;
    canonicalise(model);
    const Network numeric = quantise(model, sixteen_bits(), {inputs});
    CHECK(numeric.tensor(find_operator(numeric, "MatMul").outputs[0]).type ==
          (quantised ? ElementType::i32 : ElementType::fp32));
    CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 40);
  }
}

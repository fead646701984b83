// Does each reader of a tensor that a model's quantiser reads, too, get what the model gives it?
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/network/canonicalise.h"
#include "compiler/numerics/compare.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "tests/unit/numerics/machines.h"
#include "tests/unit/numerics/rounded_model.h"

using namespace accord;

namespace {

struct Compared {
  Network numeric;
  std::map<std::string, double> decibels;  ///< by result
};

Compared compared(Network model, const Numerics& numerics) {
  const Values inputs = seeded_inputs(model, 7);
  const Values expected = execute(model, inputs);
  canonicalise(model);
  Compared result{quantise(model, numerics, {inputs}), {}};
  for (const auto& [name, value] : execute(result.numeric, inputs))
    result.decibels[name] = compare(expected.at(name), value).signal_to_noise_db;
  return result;
}

/// That all results are there, and nearer to the model's than that.
void check_results(const Network& model, double least_decibels) {
  const Compared run = compared(model, float_scale_machine());
  REQUIRE(run.decibels.size() == model.outputs.size());
  for (const auto& [name, decibels] : run.decibels) {
    CAPTURE(name);
    CHECK(decibels > least_decibels);
  }
}

/// Products have values of up to about 3.
constexpr float far_too_small = 0.004F, large_enough = 0.05F, coarse = 0.6F;

}  // namespace

TEST_CASE("Do others that read what a quantiser saturates get it as it was?") {
  for (const float step : {far_too_small, large_enough}) {
    for (const bool scaled : {true, false}) {
      CAPTURE(step);
      CAPTURE(scaled);
      RoundedModel m;
      const Shape shape = {4, 8}, shape3 = {2, 2, 8};
      const std::vector<std::int64_t> swapped = {1, 0, 2};
      TensorId y = m.b.gemm(m.rounded(m.b.input({4, 6}), {4, 6}, 0.02F), 8, 0.5F, 0.1F);
      if (scaled) y = m.b.add("Mul", {m.rounded(y, shape, 0.04F), m.number(0.7F)}, shape);
      if (!scaled) y = m.b.add("Transpose", {m.b.add("Reshape", {y}, {2, 2, 8})}, shape3, {{"perm", swapped}});
      Network model = m.b.finish(m.rounded(y, scaled ? shape : shape3, step));
      model.outputs.push_back(y);
      check_results(model, 24);
    }
  }
}

TEST_CASE("Do others get what a Clip or movers bring to a quantiser that saturates as it was?") {
  const Shape shape = {1, 8, 6, 6}, flat = {8, 36}, pooled = {1, 8, 3, 3}, joined = {1, 16, 6, 6};
  const std::vector<std::int64_t> one = {1, 1}, two = {2, 2}, none(4, 0), swapped = {1, 0};
  for (const std::string mover : {"none", "Reshape", "Transpose", "MaxPool", "Concat"}) {
    for (const bool clipped : {false, true}) {
      for (const bool is_result : {false, true}) {
        CAPTURE(mover);
        CAPTURE(clipped);
        CAPTURE(is_result);
        RoundedModel m;
        const TensorId x = m.rounded(m.b.input({1, 4, 6, 6}), {1, 4, 6, 6}, 0.02F);
        TensorId y = m.b.conv(x, 8, 3, 0.5F), moved = y;
        if (clipped) moved = y = m.b.add("Relu", {y}, shape);
        Shape of_moved = mover == "MaxPool" ? pooled : mover == "Concat" ? joined : mover == "none" ? shape : flat;
        if (mover == "MaxPool")
          moved = m.b.add(mover, {y}, pooled,
                          {{"kernel_shape", two}, {"strides", two}, {"pads", none}, {"dilations", one}});
        if (mover == "Concat")
          moved = m.b.add(mover, {m.b.conv(x, 8, 1, 0.01F), y}, joined, {{"axis", std::int64_t{1}}});
        if (mover == "Reshape" || mover == "Transpose") moved = m.b.add("Reshape", {y}, flat);
        if (mover == "Transpose") {
          of_moved = {36, 8};
          moved = m.b.add(mover, {moved}, of_moved, {{"perm", swapped}});
        }
        Network model = m.b.finish(m.rounded(moved, of_moved, far_too_small));
        const TensorId other = is_result ? y : m.b.conv(y, 4, 1, 0.5F);
        if (!is_result) model = m.b.finish(model.outputs[0]);
        model.outputs.push_back(other);
        check_results(model, 24);
      }
    }
  }
}

TEST_CASE("Does a second quantiser behind a mover get what the first one saturates as it was?") {
  const Shape shape = {1, 8, 6, 6}, flat = {8, 36};
  for (const float second : {0.006F, large_enough}) {
    for (const bool is_result : {false, true}) {
      CAPTURE(second);
      CAPTURE(is_result);
      RoundedModel m;
      const TensorId x = m.rounded(m.b.input({1, 4, 6, 6}), {1, 4, 6, 6}, 0.02F);
      const TensorId y = m.b.conv(x, 8, 3, 0.5F);
      const TensorId a = m.rounded(y, shape, far_too_small);
      const TensorId b = m.rounded(m.b.add("Reshape", {y}, flat), flat, second);
      Network model = m.b.finish(a);
      model.outputs.push_back(b);
      if (is_result) model.outputs.push_back(y);
      check_results(model, 24);
    }
  }
}

TEST_CASE("Do others that read what a quantiser rounds to a few steps get it as it was?") {
  RoundedModel m;
  const Shape shape = {1, 8, 6, 6};
  const TensorId y = m.b.conv(m.rounded(m.b.input({1, 4, 6, 6}), {1, 4, 6, 6}, 0.02F), 8, 3, 0.5F);
  Network model = m.b.finish(m.rounded(y, shape, coarse));
  model.outputs.push_back(y);
  for (const auto& [name, decibels] : compared(model, float_scale_machine()).decibels) {
    CAPTURE(name);
    CHECK(decibels > (name == model.tensor(y).name ? 35 : 15));  // few steps, now and then the next one
  }
}

TEST_CASE("Does a part that comes from a quantiser leave other parts as they were?") {
  const Shape shape = {1, 8, 6, 6}, joined = {1, 16, 6, 6};
  for (const bool moved : {false, true}) {
    CAPTURE(moved);
    RoundedModel m;
    const TensorId x = m.rounded(m.b.input({1, 4, 6, 6}), {1, 4, 6, 6}, 0.02F);
    TensorId small = m.rounded(m.b.conv(x, 8, 3, 0.1F), shape, far_too_small);
    const TensorId great = m.b.conv(x, 8, 3, 0.5F);
    if (moved) small = m.b.add("Reshape", {m.b.add("Reshape", {small}, {8, 36})}, shape);
    const TensorId both = m.b.add("Concat", {small, great}, joined, {{"axis", std::int64_t{1}}});
    Network model = m.b.finish(m.b.conv(both, 8, 1, 0.5F));
    model.outputs.push_back(small);
    check_results(model, 30);
  }
}

TEST_CASE("Does what a quantiser saturates stay so behind a mover and a Relu?") {
  for (const bool moved : {false, true}) {
    CAPTURE(moved);
    RoundedModel m;
    const Shape shape = {1, 8, 6, 6}, other = {1, 6, 6, 8};
    TensorId y = m.rounded(m.b.conv(m.rounded(m.b.input({1, 4, 6, 6}), {1, 4, 6, 6}, 0.02F), 8, 3, 0.3F), shape, 0.01F);
    if (moved) y = m.b.add("Transpose", {y}, other, {{"perm", std::vector<std::int64_t>{0, 2, 3, 1}}});
    const Network model = m.b.finish(m.b.add("Relu", {y}, moved ? other : shape));
    CHECK(compared(model, float_scale_machine()).decibels.begin()->second > 30);
  }
}

TEST_CASE("Is a product of a number and the model's integers right on average where multipliers have few bits?") {
  Numerics numerics;  // 32 bits hold the product of a sum and its multiplier
  numerics.requantise = "i8(clamp((x * mult + (i32(1) << (shift - 1))) >> shift, lo, hi))";
  numerics.parameters = {{"mult", ElementType::i32, false}, {"shift", ElementType::i32, false}};
  for (const int zero : {65, -128, 3}) {
    for (const float factor : {0.125F, 0.9F}) {
      CAPTURE(zero);
      CAPTURE(factor);
      RoundedModel m;
      const Shape shape = {16, 24};
      const TensorId x = m.rounded(m.b.input(shape), shape, 0.021F, 5);
      const TensorId y = m.b.add("Mul", {x, m.number(factor)}, shape);
      const float step = 0.0511F * factor;
      const Compared run = compared(m.b.finish(m.rounded(y, shape, step, zero)), numerics);
      CHECK(count_type(run.numeric, "Requantize") == 1);
      CHECK(run.decibels.begin()->second > 35);
    }
  }
}

TEST_CASE("Is a Clip before the quantiser of a product by a number part of its requantisation?") {
  RoundedModel m;
  const Shape shape = {4, 8};
  const TensorId x = m.rounded(m.b.input(shape), shape, 0.02F);
  const TensorId y = m.b.add("Relu", {m.b.add("Mul", {x, m.number(0.7F)}, shape)}, shape);
  const Compared run = compared(m.b.finish(m.rounded(y, shape, 0.02F)), float_scale_machine());
  CHECK(types_of(run.numeric) == std::vector<std::string>{"Clip", "Quantize", "Scale", "Requantize", "Dequantize"});
  CHECK(run.decibels.begin()->second > 30);
}

TEST_CASE("Does a product by a number that is no requantisation say why?") {
  for (const auto& [number, reason] : std::map<float, std::string>{
           {-0.7F, "its number is not positive"},
           {1e-3F, "it makes 0.001 steps of its result of one of its input, not 1/256 to 8"}}) {
    CAPTURE(number);
    RoundedModel m;
    const Shape shape = {4, 8};
    const TensorId y = m.b.add("Mul", {m.rounded(m.b.input(shape), shape, 0.02F), m.number(number)}, shape);
    CHECK(find_operator(compared(m.b.finish(m.rounded(y, shape, 0.02F)), float_scale_machine()).numeric, "Mul")
              .in_float == reason);
  }
}

TEST_CASE("Do sums that fill an accumulator leave room for what zero points add to them?") {
  Numerics machine = mult_shift_machine();
  machine.storage = machine.weight = ElementType::i16;
  machine.requantise = "i16(clamp((i64(x) * i64(mult) + (i64(1) << (i64(shift) - 1))) >> i64(shift), lo, hi))";
  for (const auto& [zero, adds] :
       {std::pair(-100, false), {-1, false}, {120, false}, {-100, true}, {3, true}, {120, true}}) {
    CAPTURE(zero);
    CAPTURE(adds);
    RoundedModel m;
    const Shape shape = {4, 8};
    const TensorId x = m.rounded(m.b.input({4, 6}), {4, 6}, 0.02F, zero);
    TensorId y = m.b.gemm(x, 8, 0.5F, 0.1F);
    if (adds) y = m.b.add("Add", {y, m.rounded(m.b.input(shape), shape, 0.02F, zero)}, shape);
    const Compared run = compared(m.b.finish(m.rounded(y, shape, 0.03F, zero)), machine);
    CHECK(run.decibels.begin()->second > 40);
    const auto product = std::ranges::find(run.numeric.operators, "Gemm", &Operator::type);
    REQUIRE(product != run.numeric.operators.end());
    CHECK(product->in_float.empty());
  }
}

TEST_CASE("Do products in float read what quantisers make of their factors?") {
  for (const std::string type : {"Conv", "ConvTranspose"}) {
    for (const float step : {far_too_small, large_enough}) {
      CAPTURE(type);
      CAPTURE(step);
      RoundedModel m;
      const Shape image = {1, 4, 9}, filters = type == "Conv" ? Shape{6, 4, 3} : Shape{4, 6, 3};
      const TensorId x = m.rounded(m.b.input(image), image, step), w = m.rounded(m.b.input(filters), filters, step);
      const TensorId y = m.b.add(type, {x, w}, {1, 6, 9},
                                 {{"kernel_shape", std::vector<std::int64_t>{3}},
                                  {"strides", std::vector<std::int64_t>{1}},
                                  {"dilations", std::vector<std::int64_t>{1}},
                                  {"pads", std::vector<std::int64_t>{1, 1}}});
      check_results(m.b.finish(m.rounded(y, {1, 6, 9}, step)), 100);
    }
  }
}

TEST_CASE("Do products of activations that no accumulator holds read what quantisers make of their factors?") {
  Numerics numerics = float_scale_machine();
  numerics.accumulator = ElementType::i16;  // 64 * 128 * 128 is beyond it
  RoundedModel m;
  const Shape shape = {64, 64};
  const TensorId a = m.rounded(m.b.input(shape), shape, far_too_small), b = m.rounded(m.b.input(shape), shape, coarse);
  const Compared run = compared(m.b.finish(m.rounded(m.b.add("MatMul", {a, b}, shape), shape, coarse)), numerics);
  CHECK(find_operator(run.numeric, "MatMul").in_float.find("can overflow i16") != std::string::npos);
  for (const auto& [name, decibels] : run.decibels) CHECK(decibels > 100);
}

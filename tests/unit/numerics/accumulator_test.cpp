// Do sums stay within the integers that the accumulator's type has, and means among those that tell them apart?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "compiler/network/canonicalise.h"
#include "compiler/network/constants.h"
#include "compiler/numerics/byte_products.h"
#include "compiler/numerics/compare.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "tests/in_float.h"
#include "tests/unit/numerics/machines.h"
#include "tests/unit/numerics/network_builder.h"

using namespace accord;

namespace {

Numerics summed_in(ElementType type) {
  Numerics numerics = float_scale_machine();
  numerics.accumulator = type;
  return numerics;
}

/// Greatest sum of magnitudes over a channel's weights.
double greatest_row(const Tensor& weights) {
  const auto values = numbers_of(weights);
  const std::size_t length = values.size() / static_cast<std::size_t>(weights.shape[0]);
  double greatest = 0;
  for (std::size_t at = 0; at < values.size(); at += length) {
    double row = 0;
    for (std::size_t i = at; i < at + length; ++i) row += std::abs(values[i]);
    greatest = std::max(greatest, row);
  }
  return greatest;
}

}  // namespace

TEST_CASE("are sums in a float accumulator as great as the integers that its significand counts") {
  for (const auto& [type, most] :
       {std::pair{ElementType::bf16, 0x1p8}, {ElementType::fp16, 0x1p11}, {ElementType::fp32, 0x1p24}}) {
    CAPTURE(name(type));
    CHECK(greatest_count(type) == most);
    Builder b;
    Network model = b.finish(b.gemm(b.input({2, 2048}), 4, 0.1F, 0.0F));
    canonicalise(model);
    const Network numeric = quantise(model, summed_in(type), {});
    const Operator& product = find_operator(numeric, "Gemm");
    CHECK(greatest_row(numeric.tensor(product.inputs[1])) * 128 <= most);
    CHECK(numeric.tensor(product.outputs[0]).type == type);
  }
}

TEST_CASE("are averages over more than an accumulator holds in float, with the reason") {
  for (const auto& [side, in_float] : {std::pair{15, false}, {16, true}}) {  // 16 * 16 * 128 is 2^15
    CAPTURE(side);
    Builder b;
    const TensorId x = b.input({1, 2, side, side});
    Network model = b.finish(b.add("GlobalAveragePool", {b.add("Abs", {x}, {1, 2, side, side})}, {1, 2, 1, 1}));
    canonicalise(model);
    const Values inputs = seeded_inputs(model, 5);
    const Value expected = execute(model, inputs).begin()->second;
    const Network numeric = quantise(model, summed_in(ElementType::i16), {inputs});
    const auto floats = test::in_float(numeric);
    const auto overflows = [](const auto& named) { return named.second.find("can overflow i16") != std::string::npos; };
    CHECK(std::ranges::any_of(floats, overflows) == in_float);
    CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 30);
  }
}

TEST_CASE("are means of steep powers in float, and of squares integers") {
  for (const std::int64_t p : {2, 3, 5}) {
    CAPTURE(p);
    Builder b;
    const TensorId x = b.input({1, 4, 8, 8});
    Network model = b.finish(b.add("LpPool", {x}, {1, 4, 4, 4},
                                   {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                    {"strides", std::vector<std::int64_t>{2, 2}},
                                    {"pads", std::vector<std::int64_t>(4, 0)},
                                    {"dilations", std::vector<std::int64_t>(2, 1)},
                                    {"p", p}}));
    canonicalise(model);
    const Values inputs = seeded_inputs(model, 5);
    const Value expected = execute(model, inputs).begin()->second;
    const Network numeric = quantise(model, float_scale_machine(), {inputs});
    CHECK(std::ranges::count(numeric.operators, "SumPool", &Operator::type) == (p == 2 ? 1 : 0));
    CHECK(compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db > 35);
  }
}

TEST_CASE("are products of bytes those of floats where storage and weights have all bytes, and sums fit") {
  for (const ElementType weight : {ElementType::bf16, ElementType::i8, ElementType::fp8e4m3}) {
    CAPTURE(name(weight));
    Builder b;
    const TensorId x = b.add_typed("Cast", {b.input({2, 8})}, ElementType::i8, {2, 8});
    const TensorId w = b.constant(make_constant("w", {3, 8}, std::vector<std::int8_t>(24, 127)));
    Network model = b.finish(b.add_typed("Gemm", {x, w}, ElementType::i32, {2, 3}));
    model.operators.back().attributes["transB"] = std::int64_t{1};
    Numerics numerics = bf16_machine();
    numerics.weight = weight;
    CHECK(numerics::is_exact_in_floats(model, model.operators.back(), numerics) == (weight != ElementType::fp8e4m3));
  }
}

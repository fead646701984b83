// Small networks whose quantised form can be checked operator by operator.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/numerics/compare.h"
#include "compiler/numerics/convert_float.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "tests/in_float.h"
#include "tests/unit/numerics/machines.h"
#include "tests/unit/numerics/network_builder.h"

namespace accord {
namespace {

double decibels(const Network& canonical, const Network& numeric, const Values& inputs) {
  const Value expected = execute(canonical, inputs).begin()->second;
  return compare(expected, execute(numeric, inputs).begin()->second).signal_to_noise_db;
}

TEST_CASE("Is a residual block one accumulator, one requantisation and no Clip?") {
  const Network block = residual_block(8);
  const Values inputs = seeded_inputs(block, 3);
  QuantiseReport report;
  const Network integer = quantise(block, float_scale_machine(), {inputs}, &report);
  CHECK(types_of(integer) ==
        std::vector<std::string>{"Quantize", "Conv", "Requantize", "Conv", "Accumulate", "Requantize", "Dequantize"});
  CHECK(report.fused_additions == 1);
  CHECK(test::in_float(integer).empty());
  CHECK(decibels(block, integer, inputs) > 28);
  CHECK(integer.tensor(integer.inputs[0]).name == block.tensor(block.inputs[0]).name);
  CHECK(integer.tensor(integer.outputs[0]).name == block.tensor(block.outputs[0]).name);
}

TEST_CASE("Is a product requantised before a sum where no unit adds to its accumulator?") {
  const Network block = residual_block(8);
  const Values inputs = seeded_inputs(block, 3);
  QuantiseReport report;
  const Network integer = quantise(block, float_scale_machine(), {inputs}, &report, AddedSums::none);
  CHECK(types_of(integer) == std::vector<std::string>{"Quantize", "Conv", "Requantize", "Conv", "Requantize", "Scale",
                                                      "Accumulate", "Requantize", "Dequantize"});
  CHECK(report.fused_additions == 0);
  CHECK(decibels(block, integer, inputs) > 28);
  const Network real = convert_float(block, bf16_machine(), AddedSums::none);
  CHECK(types_of(real) ==
        std::vector<std::string>{"Cast", "Conv", "Requantize", "Conv", "Requantize", "Add", "Clip", "Cast"});
}

TEST_CASE("Is the accumulated residual scaled exactly?") {
  const Network block = residual_block(8);
  const Network integer = quantise(block, float_scale_machine(), {seeded_inputs(block, 3)});
  const Operator& accumulate = find_operator(integer, "Accumulate");
  const Tensor &start = integer.tensor(accumulate.inputs[0]), &other = integer.tensor(accumulate.inputs[1]),
               &multiples = integer.tensor(accumulate.inputs[2]);
  for (std::size_t k = 0; k < 8; ++k) {
    const auto multiple = static_cast<double>(constant_data<std::int32_t>(multiples)[k]);
    CHECK(multiple >= 16);
    CHECK(start.quantisation->scale[k] * multiple == doctest::Approx(other.quantisation->scale[0]).epsilon(1e-5));
  }
}

TEST_CASE("Do tensors that are concatenated, pooled or reshaped share a scale?") {
  Builder builder;
  const TensorId x = builder.input({1, 4, 6, 6});
  const TensorId a = builder.conv(x, 4, 1, 1.0f), b = builder.conv(x, 4, 1, 100.0f);
  const TensorId joined = builder.add("Concat", {a, b}, {1, 8, 6, 6}, {{"axis", std::int64_t{1}}});
  const TensorId pooled =
      builder.add("MaxPool", {joined}, {1, 8, 3, 3},
                  {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  const Network network = builder.finish(builder.add("Reshape", {pooled}, {1, 72}));
  const Network integer = quantise(network, float_scale_machine(), {seeded_inputs(network, 4)});
  std::set<float> scales;
  for (const char* type : {"Concat", "MaxPool", "Reshape"}) {
    const Operator& op = find_operator(integer, type);
    for (TensorId id : op.inputs) scales.insert(integer.tensor(id).quantisation->scale[0]);
    scales.insert(integer.tensor(op.outputs[0]).quantisation->scale[0]);
  }
  CHECK(scales.size() == 1);
}

TEST_CASE("Does a tensor keep its own scale where it is part of a Concat with far greater values?") {
  for (const float greater : {2.0F, 500.0F}) {
    Builder b;
    const TensorId x = b.input({8, 12}), small = b.gemm(x, 8, 1, 1), great = b.gemm(x, 8, greater, 1);
    const TensorId whole = b.add("Concat", {small, great}, {8, 16}, {{"axis", std::int64_t{1}}});
    const TensorId of_small = b.gemm(small, 6, 1, 0), of_whole = b.gemm(whole, 6, 1, 0);
    Network network = b.finish(of_small);
    network.outputs.push_back(of_whole);
    const Values inputs = seeded_inputs(network, 3);
    const Network integer = quantise(network, float_scale_machine(), {inputs});
    CHECK(count_type(integer, "Scale") == (greater > 100 ? 1 : 0));
    const Values expected = execute(network, inputs), given = execute(integer, inputs);
    for (const auto& [name, value] : expected) CHECK(compare(value, given.at(name)).signal_to_noise_db > 28);
  }
}

TEST_CASE("Does a Concat take its parts as they are where nothing else would see their steps?") {
  Builder b;
  const TensorId x = b.input({8, 12}), small = b.gemm(x, 8, 1, 1), great = b.gemm(x, 8, 500, 1);
  const TensorId whole = b.add("Concat", {small, great}, {8, 16}, {{"axis", std::int64_t{1}}});
  const Network integer = quantise(b.finish(b.gemm(whole, 6, 1, 0)), float_scale_machine(), {});
  CHECK(count_type(integer, "Scale") == 0);
}

TEST_CASE("Is a multiplication by a number another scale of the same integers?") {
  const auto image = [](Builder& b, float number) {
    const TensorId x = b.conv(b.input({1, 4, 6, 6}), 8, 3, 1),
                   y = b.add("Mul", {x, b.constant({}, {number})}, {1, 8, 6, 6});
    return b.add("Add", {b.conv(y, 4, 1, 1), b.conv(x, 4, 1, 1)}, {1, 4, 6, 6});
  };
  const auto rows = [](Builder& b, float number) {
    const TensorId x = b.gemm(b.input({6, 8}), 8, 1, 1), y = b.add("Mul", {x, b.constant({1}, {number})}, {6, 8});
    return b.add("MatMul", {x, b.add("Transpose", {y}, {8, 6}, {{"perm", std::vector<std::int64_t>{1, 0}}})}, {6, 6});
  };
  Numerics shift = mult_shift_machine();
  shift.requantise = "i8(clamp((x + (1 << (shift - 1))) >> shift, lo, hi))";
  shift.parameters = {{"shift", ElementType::i32, true}};
  for (const float number : {0.3F, 0.25F, 7.0F, -0.5F}) {
    CAPTURE(number);
    Builder of_image, of_rows, of_shifted;
    for (const Network& network : {of_image.finish(image(of_image, number)), of_rows.finish(rows(of_rows, number))}) {
      const Values inputs = seeded_inputs(network, 6);
      const Network integer = quantise(network, float_scale_machine(), {inputs});
      const bool image_of_conv = count_type(network, "Conv") > 0;
      CHECK(count_type(integer, "Conv") == (image_of_conv ? 3 + (number < 0) : 0));
      CHECK(count_type(integer, "Mul") == (number < 0 && !image_of_conv));
      CHECK(decibels(network, integer, inputs) > 28);
    }
    const Network shifted = quantise(of_shifted.finish(rows(of_shifted, number)), shift, {});
    CHECK(count_type(shifted, "Mul") == (number != 0.25F));
  }
}

TEST_CASE("Is a tensor requantised where a multiple of it has to have its scale?") {
  Builder b;
  const TensorId x = b.gemm(b.input({6, 8}), 8, 1, 1), y = b.add("Mul", {x, b.constant({}, {0.3F})}, {6, 8});
  const TensorId both = b.add("Concat", {x, y}, {6, 16}, {{"axis", std::int64_t{1}}});
  const Network network = b.finish(b.gemm(both, 5, 1, 1));
  const Values inputs = seeded_inputs(network, 6);
  const Network integer = quantise(network, float_scale_machine(), {inputs});
  CHECK(count_type(integer, "Mul") == 0);
  CHECK(count_type(integer, "Requantize") == 3);
  CHECK(decibels(network, integer, inputs) > 28);
}

TEST_CASE("Is an Add of two shared activations done with integer multiples?") {
  Builder builder;
  const TensorId x = builder.input({1, 4, 6, 6});
  const TensorId a = builder.conv(x, 4, 3, 1.0f), b = builder.conv(x, 4, 1, 7.0f);
  const TensorId sum = builder.add("Add", {a, b}, {1, 4, 6, 6});
  const TensorId other = builder.add("Concat", {a, b, sum}, {1, 12, 6, 6}, {{"axis", std::int64_t{1}}});
  const Network network = builder.finish(other);
  const Values inputs = seeded_inputs(network, 5);
  const Network integer = quantise(network, float_scale_machine(), {inputs});
  CHECK(count_type(integer, "Scale") == 1);
  CHECK(count_type(integer, "Add") == 0);
  CHECK(decibels(network, integer, inputs) > 28);
}

TEST_CASE("Is a difference a sum with a negative multiple?") {
  Builder builder;
  const TensorId x = builder.input({1, 4, 5, 5});
  const TensorId a = builder.conv(x, 4, 1, 1.0F), b = builder.conv(x, 4, 1, 3.0F);
  const Network block = builder.finish(builder.add("Sub", {a, b}, {1, 4, 5, 5}));
  const Values inputs = seeded_inputs(block, 3);
  const Network integer = quantise(block, float_scale_machine(), {inputs});
  CHECK(test::in_float(integer).empty());
  CHECK(constant_data<std::int32_t>(integer.tensor(find_operator(integer, "Accumulate").inputs[2]))[0] < 0);
  CHECK(decibels(block, integer, inputs) > 28);
}

TEST_CASE("Are the multiples of a sum as small as a requantisation of few bits needs them?") {
  Numerics numerics;
  numerics.requantise = "i8(clamp((x * mult + 32768) >> 16, lo, hi))";
  numerics.parameters = {{"mult", ElementType::i32, true}};
  Builder builder;
  const TensorId x = builder.input({1, 4, 5, 5});
  const TensorId a = builder.conv(x, 4, 1, 1.0F), b = builder.conv(x, 4, 1, 3.0F);
  const Network block = builder.finish(builder.conv(builder.add("Add", {a, b}, {1, 4, 5, 5}), 4, 1, 1.0F));
  const Values inputs = seeded_inputs(block, 3);
  const Network integer = quantise(block, numerics, {inputs}, nullptr, AddedSums::none);
  CHECK(test::in_float(integer).empty());
  CHECK(decibels(block, integer, inputs) > 28);
}

TEST_CASE("Does a mean become a SumPool, and a mean over unequal windows stay in float?") {
  for (const std::int64_t pad : {0, 1}) {
    Builder builder;
    const TensorId x = builder.input({1, 4, 8, 8});
    const std::int64_t out = pad ? 5 : 4;
    const TensorId y = builder.add("AveragePool", {builder.conv(x, 4, 1, 1.0f)}, {1, 4, out, out},
                                   {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                    {"strides", std::vector<std::int64_t>{2, 2}},
                                    {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}});
    const Network network = builder.finish(y);
    const Values inputs = seeded_inputs(network, 6);
    const Network integer = quantise(network, float_scale_machine(), {inputs});
    CHECK(count_type(integer, "SumPool") == (pad ? 0 : 1));
    CHECK(decibels(network, integer, inputs) > 28);
  }
}

TEST_CASE("Can the accumulator never overflow, however long the reduction and large the bias?") {
  Builder builder;
  const TensorId x = builder.input({1, 200000});
  const TensorId y = builder.gemm(x, 3, 1.0f, 1e9f);
  const Network network = builder.finish(y);
  const Network integer = quantise(network, float_scale_machine(), {seeded_inputs(network, 7)});
  const Operator& gemm = find_operator(integer, "Gemm");
  const Tensor &w = integer.tensor(gemm.inputs[1]), &bias = integer.tensor(gemm.inputs[2]);
  for (std::int64_t k = 0; k < 3; ++k) {
    double bound = std::abs(static_cast<double>(constant_data<std::int32_t>(bias)[k]));
    for (std::int64_t i = 0; i < 200000; ++i) bound += 128.0 * std::abs(constant_data<std::int8_t>(w)[k * 200000 + i]);
    CHECK(bound <= 2147483647.0);
  }
}

TEST_CASE("Is it said where a narrow accumulator makes the steps of weights greater?") {
  Builder builder;
  const TensorId x = builder.input({1, 512});
  const Network network = builder.finish(builder.gemm(x, 3, 1.0f, 0.0f));
  const auto warnings = [&](ElementType accumulator) {
    Numerics numerics = float_scale_machine();
    numerics.accumulator = accumulator;
    return quantise(network, numerics, {seeded_inputs(network, 7)}).warnings;
  };
  CHECK(warnings(ElementType::i32).empty());
  const auto narrow = warnings(ElementType::i16);
  REQUIRE(narrow.size() == 1);
  CHECK(narrow[0].starts_with("weights of 1 products have greater steps, lest sums overflow i16 (most: '"));
}

TEST_CASE("Do all forms of requantisation give nearly the same network, or an error that names them?") {
  const Network block = residual_block(8);
  const Values inputs = seeded_inputs(block, 8);
  Numerics shift_only = mult_shift_machine();
  shift_only.requantise = "i8(clamp((x + (1 << (shift - 1))) >> shift, lo, hi))";
  shift_only.parameters = {{"shift", ElementType::i32, true}};
  Numerics narrow = mult_shift_machine();
  narrow.requantise = "i8(clamp((i64(x) * i64(mult)) >> (i64(shift) + 15), lo, hi))";
  narrow.parameters = {{"mult", ElementType::i16, true}, {"shift", ElementType::u8, true}};
  Numerics odd = mult_shift_machine();
  odd.requantise = "i8(clamp((i64(x) * i64(mult)) >> (i64(shift) + 20), lo, hi))";
  Numerics wired = mult_shift_machine();
  wired.requantise = "i8(clamp((i64(x) * i64(mult) + 8388608) >> 24, lo, hi))";
  wired.parameters = {{"mult", ElementType::i32, true}};
  for (const Numerics& numerics : {float_scale_machine(), mult_shift_machine(), narrow, shift_only, odd, wired}) {
    CAPTURE(numerics.requantise);
    CHECK(decibels(block, quantise(block, numerics, {inputs}), inputs) > 24);
  }
  CHECK(decibels(block, quantise(block, float_scale_machine(false), {inputs}), inputs) > 24);
  Numerics impossible = mult_shift_machine();
  impossible.requantise = "i8(clamp(i64(x) + i64(mult) + i64(shift), lo, hi))";
  CHECK_THROWS_WITH_AS(quantise(block, impossible, {inputs}), doctest::Contains("i64(x) + i64(mult)"), Error);
  Numerics overflowing = wired;  // 24 fraction bits leave a product of 32 bits no room
  overflowing.requantise = "i8(clamp((x * mult + 8388608) >> 24, lo, hi))";
  CHECK_THROWS_WITH_AS(quantise(block, overflowing, {inputs}), doctest::Contains("`x * mult` overflows i32"), Error);
  Numerics coarse = wired;  // 6 fraction bits: a factor below 1/64 rounds to nothing
  coarse.requantise = "i8(clamp((i64(x) * i64(mult) + 32) >> 6, lo, hi))";
  CHECK_THROWS_WITH_AS(quantise(block, coarse, {inputs}), doctest::Contains("a greater shift has finer steps"), Error);
  Numerics nameless = float_scale_machine();
  nameless.parameters[0].name = "unheard";
  CHECK_THROWS_AS(quantise(block, nameless, {inputs}), Error);
}

TEST_CASE("Does a product that the requantisation cannot express stay in float, the others not?") {
  Builder builder;
  // With two weights a channel, in some of 64 channels all are small, and so is the factor.
  const TensorId fine = builder.conv(builder.input({1, 2, 6, 6}), 64, 1, 0.2f);
  const Network two = builder.finish(builder.conv(fine, 4, 3, 0.2f));
  const Values inputs = seeded_inputs(two, 8);
  Numerics wired = mult_shift_machine();
  wired.requantise = "i8(clamp((i64(x) * i64(mult) + 8192) >> 14, lo, hi))";
  wired.parameters = {{"mult", ElementType::i32, true}};
  const Network numeric = quantise(two, wired, {inputs});
  std::vector<std::string> reasons;
  for (const auto& op : numeric.operators) {
    if (op.type == "Conv") reasons.push_back(op.in_float);
  }
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0].find("no values of mult") != std::string::npos);
  CHECK(reasons[1].empty());
  CHECK(decibels(two, numeric, inputs) > 30);
}

TEST_CASE("Has each channel a parameter of its own where the covenant says so, of mult and shift alike?") {
  Builder b;
  const TensorId x = b.input({5, 6}), y = b.input({6, 7});
  const Network product = b.finish(b.add("MatMul", {x, y}, {5, 7}));
  const Values inputs = seeded_inputs(product, 8);
  for (const bool mult : {true, false}) {
    for (const bool shift : {true, false}) {
      CAPTURE(mult);
      CAPTURE(shift);
      Numerics numerics = mult_shift_machine();
      numerics.parameters[0].per_channel = mult;
      numerics.parameters[1].per_channel = shift;
      const Network integer = quantise(product, numerics, {inputs});
      const Operator& requantise = find_operator(integer, "Requantize");
      CHECK(integer.tensor(requantise.inputs[1]).shape == (mult ? Shape{7} : Shape{}));
      CHECK(integer.tensor(requantise.inputs[2]).shape == (shift ? Shape{7} : Shape{}));
      CHECK(decibels(product, integer, inputs) > 28);
    }
  }
}

TEST_CASE("Has each channel of a product its own scale, whatever the rank?") {
  std::vector<float> values;  // of 6 channels, each three times as great as the one before
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 7; ++i) values.push_back(std::pow(3.0F, static_cast<float>(k)) * std::sin(1.0F + i * k + k));
  }
  for (const Shape& outer : {Shape{5}, Shape{2, 5}, Shape{2, 3, 5}, Shape{1, 6, 5}, Shape{2, 1, 3, 5}}) {
    for (const bool added : {false, true}) {
      CAPTURE(outer.size());
      CAPTURE(added);
      Builder b;
      Shape x = outer, y = outer;
      x.push_back(7);
      y.push_back(6);
      auto result = b.add("Gemm", {b.input(x), b.constant({6, 7}, values)}, y, {{"transB", std::int64_t{1}}});
      if (added) result = b.add("Add", {result, b.input(y)}, y);
      const Network network = b.finish(result);
      const Values inputs = seeded_inputs(network, 5);
      const Network integer = quantise(network, float_scale_machine(), {inputs});
      const Operator& gemm = find_operator(integer, "Gemm");
      CHECK(integer.tensor(gemm.outputs[0]).quantisation->axis == static_cast<int>(outer.size()));
      CHECK(decibels(network, integer, inputs) > 28);
    }
  }
}

TEST_CASE("Do float machines accumulate in fp32 and store bf16?") {
  const Network block = residual_block(8);
  const Values inputs = seeded_inputs(block, 9);
  const Network converted = convert_float(block, bf16_machine());
  CHECK(types_of(converted) ==
        std::vector<std::string>{"Cast", "Conv", "Requantize", "Conv", "Accumulate", "Requantize", "Cast"});
  for (const Operator& op : converted.operators) {
    if (op.type == "Conv") CHECK(converted.tensor(op.outputs[0]).type == ElementType::fp32);
    if (op.type == "Requantize") CHECK(converted.tensor(op.outputs[0]).type == ElementType::bf16);
  }
  CHECK(decibels(block, converted, inputs) > 40);
}

TEST_CASE("Is a bound beyond bf16 its greatest number, with a warning?") {
  Builder b;
  const TensorId x = b.input({1, 2});
  const Network bounded = b.finish(b.add("Clip", {x}, {1, 2}, {{"min", 3.4e38}, {"max", INFINITY}}));
  const Network converted = convert_float(bounded, bf16_machine());
  REQUIRE(converted.warnings.size() == 1);
  CHECK(converted.warnings[0].find("is beyond bf16") != std::string::npos);
  const Values outputs = execute(converted, seeded_inputs(bounded, 9));
  const Value& y = outputs.begin()->second;
  CHECK(std::isfinite(load_element(y.data.data(), y.type)));
}

TEST_CASE("Does a mask of the lowest fp32 stay finite in bf16, with a warning?") {
  Builder b;
  const TensorId x = b.input({1, 4});
  const float lowest = std::numeric_limits<float>::lowest();
  const Network masked = b.finish(b.add("Mul", {x, b.constant({1, 4}, {lowest, 1, -INFINITY, lowest})}, {1, 4}));
  const Network converted = convert_float(masked, bf16_machine());
  REQUIRE(converted.warnings.size() == 1);
  CHECK(converted.warnings[0].find("beyond bf16") != std::string::npos);
  Value inputs{ElementType::fp32, {1, 4}, std::vector<std::byte>(16)};
  const std::vector<float> given = {0, 2, 1, 0.5};
  std::memcpy(inputs.data.data(), given.data(), 16);
  const Values outputs = execute(converted, {{masked.tensor(x).name, inputs}});
  const Value& y = outputs.begin()->second;
  const auto at = [&](int i) { return load_element(y.data.data() + 4 * i, y.type); };
  CHECK(at(0) == 0);
  CHECK(at(1) == 2);
  CHECK(std::isinf(at(2)));
  CHECK(at(3) == doctest::Approx(lowest / 2).epsilon(0.01));
}

TEST_CASE("Does compare count mismatches and measure noise?") {
  auto value = [](std::vector<float> elements) {
    Value result{
        ElementType::fp32, {static_cast<std::int64_t>(elements.size())}, std::vector<std::byte>(elements.size() * 4)};
    std::memcpy(result.data.data(), elements.data(), result.data.size());
    return result;
  };
  const Comparison equal = compare(value({1, 2}), value({1, 2}));
  CHECK(equal.mismatches == 0);
  CHECK(std::isinf(equal.signal_to_noise_db));
  const Comparison different = compare(value({10, 0, 0}), value({10, 1, 0}));
  CHECK(different.mismatches == 1);
  CHECK(different.first_mismatch == 1);
  CHECK(different.signal_to_noise_db == doctest::Approx(20));
  CHECK(different.relative_max_error == doctest::Approx(0.1));
  CHECK(compare(value({1}), value({NAN})).mismatches == 1);
  CHECK(compare(value({1, 2, INFINITY, NAN}), value({NAN, INFINITY, 1, NAN})).not_finite == 2);
  CHECK_THROWS_AS(compare(value({1}), value({1, 2})), Error);
}

TEST_CASE("Does a mask of infinities stay in float, and hide what it masks?") {
  Builder b;
  const auto x = b.input({4, 8});
  const auto masked = b.add("Add", {b.gemm(x, 6, 1, 1), b.constant({6}, {0, -INFINITY, 0, 0, -INFINITY, 0})}, {4, 6});
  const Network network = b.finish(b.add("Softmax", {masked}, {4, 6}, {{"axis", std::int64_t{-1}}}));
  const Values inputs = seeded_inputs(network, 3);
  const Network integer = quantise(network, float_scale_machine(), {inputs});
  CHECK(test::in_float(integer).contains("Add" + std::to_string(masked)));
  CHECK(count_type(integer, "Requantize") == 1);
  const Value weights = execute(integer, inputs).begin()->second;
  for (std::int64_t i = 0; i < 24; ++i) {
    const bool hidden = i % 6 == 1 || i % 6 == 4;
    CHECK((load_element(weights.data.data() + 4 * i, ElementType::fp32) == 0) == hidden);
  }
}

namespace {

bool lost_in(const Network& numeric, const std::string& type) {
  return std::ranges::any_of(numeric.operators, [&](const Operator& op) {
    return op.type == type && op.in_float.find("lost") != std::string::npos;
  });
}

/// Whether the sum of scores and what hides some of them stays in float, lest the scores are lost, before a reader.
bool loses_scores(const std::string& type, float mask, const std::string& reader, bool symmetric = false) {
  const Shape shape = {1, 2, 4, 4};
  Builder b;
  const TensorId scores = b.input(shape), shift = b.input(shape);
  TensorId y = b.add("Reshape", {b.add(type, {scores, shift}, shape)}, {2, 4, 4});
  if (reader == "MatMul") {
    y = b.add(reader, {y, b.add("Reshape", {scores}, {2, 4, 4})}, {2, 4, 4});
  } else {
    y = b.add(reader, {y}, {2, 4, 4});
  }
  const Network network = b.finish(b.add("Softmax", {y}, {2, 4, 4}, {{"axis", std::int64_t{-1}}}));
  Values inputs = seeded_inputs(network, 1);
  std::vector<float> masked(32, 0.F);
  for (std::size_t i = 0; i < masked.size(); i += 3) masked[i] = symmetric && i % 2 == 0 ? -mask : mask;
  std::memcpy(inputs.at(network.tensor(shift).name).data.data(), masked.data(), masked.size() * sizeof(float));
  return lost_in(quantise(network, float_scale_machine(), {inputs}), type);
}

}  // namespace

TEST_CASE("Does a sum stay in float where hardly anything would be left of an operand that its readers want?") {
  for (const float mask : {-1e9F, -100.F, -20.F}) {
    CAPTURE(mask);
    for (const std::string reader : {"Identity", "Relu", "Sigmoid", "Neg"}) {
      CAPTURE(reader);
      CHECK(loses_scores("Add", mask, reader) == (mask < -20));
      CHECK(loses_scores("Sub", -mask, reader) == (mask < -20));
    }
    CHECK_FALSE(loses_scores("Add", mask, "MatMul"));  // mixes the great values with all others
  }
  // What a Relu leaves is as great as what came: a branch is little beside it. The Softmax behind would want it.
  CHECK(loses_scores("Add", -100, "Relu", true));
}

TEST_CASE("Does a sum stay in float where whole rows would be lost that a mean reads?") {
  const Shape shape = {8, 16};
  for (const bool mean : {true, false}) {  // a product reads what is rounded to the same steps anyway
    for (const int low : {0, 4}) {         // rows without a great value
      CAPTURE(mean);
      CAPTURE(low);
      Builder b;
      const TensorId small = b.input(shape), great = b.input(shape), sum = b.add("Add", {small, great}, shape);
      const Network network = b.finish(
          mean ? b.add("ReduceMean", {sum}, {8, 1}, {{"axes", std::vector<std::int64_t>{1}}}) : b.gemm(sum, 4, 1, 1));
      Values inputs = seeded_inputs(network, 1);
      std::vector<float> values(8 * 16, 1e-3F);
      for (std::size_t row = static_cast<std::size_t>(low); row < 8; ++row) values[16 * row + row] = 1e5F;
      std::memcpy(inputs.at(network.tensor(great).name).data.data(), values.data(), values.size() * sizeof(float));
      CHECK(lost_in(quantise(network, float_scale_machine(), {inputs}), "Add") == (mean && low > 0));
    }
  }
}

TEST_CASE("Are a mean of squares and a pool over the plane asked for rows, as the sum has them?") {
  const Shape shape = {1, 8, 4, 4};
  const std::vector<std::int64_t> plane = {4, 4}, axes = {2, 3};
  for (const std::string reader : {"Pow", "Pow of an integer", "Mul", "AveragePool"}) {
    for (const float low : {0.25F, 1e-4F}) {  // times the greatest value: what some channels hold
      CAPTURE(reader);
      CAPTURE(low);
      Builder b;
      const TensorId small = b.input(shape), great = b.input(shape), sum = b.add("Add", {small, great}, shape);
      TensorId mean;
      if (reader == "AveragePool") {
        mean = b.add(reader, {sum}, {1, 8, 1, 1}, {{"kernel_shape", plane}});
      } else {
        const TensorId by = reader == "Mul" ? sum : reader == "Pow" ? b.constant({}, {2.F}) : b.integer(2);
        const std::string type = reader == "Mul" ? "Mul" : "Pow";
        mean = b.add("ReduceMean", {b.add(type, {sum, by}, shape)}, {1, 8, 1, 1}, {{"axes", axes}});
      }
      const Network network = b.finish(mean);
      Values inputs = seeded_inputs(network, 1);  // of up to about 3
      std::vector<float> values(8 * 16, 0.F);
      for (std::size_t channel = 0; channel < 8; ++channel) values[16 * channel] = channel < 4 ? 100 * low : 100.F;
      std::memcpy(inputs.at(network.tensor(great).name).data.data(), values.data(), values.size() * sizeof(float));
      CHECK(lost_in(quantise(network, float_scale_machine(), {inputs}), "Add") == (low < 0.1F));
    }
  }
}

TEST_CASE("Is an operand followed through powers of any exponent and pools of a part of the plane?") {
  const Shape shape = {1, 8, 5, 5};
  for (const std::string reader : {"computed", "integer", "per channel", "pool"}) {
    CAPTURE(reader);
    Builder b;
    const TensorId small = b.input(shape), great = b.input(shape), sum = b.add("Add", {small, great}, shape);
    TensorId y;
    if (reader == "pool") {  // does not read where the great values are
      const std::vector<std::int64_t> window = {4, 4}, none(4, 0);
      y = b.add("AveragePool", {sum}, {1, 8, 1, 1}, {{"kernel_shape", window}, {"strides", window}, {"pads", none}});
    } else {
      TensorId exponent = b.constant({8, 1, 1}, std::vector<float>(8, 2.F));
      if (reader == "computed") exponent = b.input({});
      if (reader == "integer") exponent = b.integer(2);
      y = b.add("Pow", {sum, exponent}, shape);
    }
    const Network network = b.finish(b.add("Sigmoid", {y}, reader == "pool" ? Shape{1, 8, 1, 1} : shape));
    Values inputs = seeded_inputs(network, 1);
    std::vector<float> values(8 * 25, 0.F);
    for (std::size_t channel = 0; channel < 8; ++channel) values[25 * channel + 24] = 1e3F;
    std::memcpy(inputs.at(network.tensor(great).name).data.data(), values.data(), values.size() * sizeof(float));
    CHECK(lost_in(quantise(network, float_scale_machine(), {inputs}), "Add"));
  }
}

TEST_CASE("Does following an operand take time that grows with the network alone?") {
  Builder b;
  const Shape shape = {1, 4, 4};
  const TensorId small = b.input(shape), great = b.input(shape);
  TensorId y = b.add("Add", {small, great}, shape);
  for (int stage = 0; stage < 64; ++stage)
    y = b.add("Max", {b.add("Mul", {y, b.constant({}, {0.9F})}, shape), y}, shape);
  const Network network = b.finish(y);
  Values inputs = seeded_inputs(network, 1);
  std::vector<float> values(16, 1e3F);
  std::memcpy(inputs.at(network.tensor(great).name).data.data(), values.data(), values.size() * sizeof(float));
  CHECK_FALSE(lost_in(quantise(network, float_scale_machine(), {inputs}), "Add"));
}

TEST_CASE("Is the mean of a number without dimensions calibrated?") {
  Builder b;
  const TensorId sum = b.add("Add", {b.input({}), b.input({})}, {});
  const Network network = b.finish(b.add("ReduceMean", {sum}, {}));
  const Values inputs = seeded_inputs(network, 1);
  CHECK(decibels(network, quantise(network, float_scale_machine(), {inputs}), inputs) > 28);
}

TEST_CASE("Does a reader in which an operand is little hide another in which it counts?") {
  for (const bool first : {true, false}) {
    CAPTURE(first);
    Builder b;
    const Shape shape = {1, 4, 4};
    const TensorId small = b.input(shape), great = b.input(shape), sum = b.add("Add", {small, great}, shape);
    const TensorId less = b.add("Mul", {sum, b.constant({}, {1e-4F})}, shape);
    const TensorId most = b.add("Max", first ? std::vector{less, sum} : std::vector{sum, less}, shape);
    const Network network = b.finish(b.add("Clip", {most}, shape, {{"min", 0.0}, {"max", 3.0}}));
    Values inputs = seeded_inputs(network, 1);
    std::vector<float> values(16, 0.F);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -1e5F;
    std::memcpy(inputs.at(network.tensor(great).name).data.data(), values.data(), values.size() * sizeof(float));
    CHECK(lost_in(quantise(network, float_scale_machine(), {inputs}), "Add"));
  }
}

TEST_CASE("Are products by a constant from the left, and by one matrix per batch, products of integers?") {
  for (const bool left : {true, false}) {
    Builder b;
    const std::vector<float> values(3 * 5 * 7, 0.25F);
    const auto c = b.constant(left ? Shape{3, 5, 7} : Shape{3, 7, 5}, values);
    const auto x = b.input(left ? Shape{2, 3, 7, 4} : Shape{2, 3, 4, 7});
    const Shape y = left ? Shape{2, 3, 5, 4} : Shape{2, 3, 4, 5};
    const Network network = b.finish(left ? b.add("MatMul", {c, x}, y) : b.add("MatMul", {x, c}, y));
    const Values inputs = seeded_inputs(network, 5);
    const Network integer = quantise(network, float_scale_machine(), {inputs});
    CHECK(types_of(integer) == std::vector<std::string>{"Quantize", "MatMul", "Requantize", "Dequantize"});
    CHECK(decibels(network, integer, inputs) > 28);
    const Network real = convert_float(network, bf16_machine());
    CHECK(real.tensor(find_operator(real, "MatMul").outputs[0]).type == ElementType::fp32);  // sums are not rounded
  }
}

TEST_CASE("Is an epsilon that is less than a step of the integers still added?") {
  Builder b;
  std::vector<float> factors(8, 1), epsilons(8, 1e-3F);
  factors[3] = factors[6] = 1e-3F;
  const auto x = b.add("Mul", {b.conv(b.input({1, 4, 6, 6}), 8, 3, 1), b.constant({8, 1, 1}, factors)}, {1, 8, 6, 6});
  const auto squares = b.add("Mul", {x, x}, {1, 8, 6, 6});
  const auto mean = b.add("AveragePool", {squares}, {1, 8, 1, 1}, {{"kernel_shape", std::vector<std::int64_t>{6, 6}}});
  const auto shifted = b.add("Add", {mean, b.constant({8, 1, 1}, epsilons)}, {1, 8, 1, 1});
  const Network network = b.finish(b.add("Div", {x, b.add("Sqrt", {shifted}, {1, 8, 1, 1})}, {1, 8, 6, 6}));
  const Values inputs = seeded_inputs(network, 3);
  const Network integer = quantise(network, float_scale_machine(), {inputs});
  CHECK(count_type(integer, "Conv") == 3);     // of the operators in integers the Mul, of those in float the Add
  CHECK(count_type(integer, "SumPool") == 0);  // of squares in float for a root in float
  CHECK(decibels(network, integer, inputs) > 20);
}

TEST_CASE("Does a mean of what is in float stay there where a Reshape hands it on to what is in float?") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    Builder b;
    const auto bell = b.add("Erf", {b.conv(b.input({1, 4, 6, 6}), 8, 3, 1)}, {1, 8, 6, 6});
    const auto mean = b.add("AveragePool", {bell}, {1, 8, 1, 1}, {{"kernel_shape", std::vector<std::int64_t>{6, 6}}});
    const auto row = b.add("Reshape", {mean}, {1, 8});
    const Network network = b.finish(on ? b.add("Exp", {row}, {1, 8}) : b.gemm(row, 4, 1, 1));
    const Values inputs = seeded_inputs(network, 3);
    const Network integer = quantise(network, float_scale_machine(), {inputs});
    CHECK(count_type(integer, "SumPool") == (on ? 0 : 1));
    CHECK(decibels(network, integer, inputs) > 25);
  }
}

TEST_CASE("Is what changes each channel of an image by itself done in float between operators in float?") {
  enum class Ends { in_float, in_integers, in_the_models_integers };
  for (const auto& [ends, requantised] :
       {std::pair{Ends::in_float, 1}, {Ends::in_integers, 3}, {Ends::in_the_models_integers, 2}}) {
    CAPTURE(requantised);
    Builder b;
    const auto bell = b.add("Erf", {b.conv(b.input({1, 4, 6, 6}), 8, 3, 1)}, {1, 8, 6, 6});
    const auto scaled = b.add("Mul", {bell, b.constant({8, 1, 1}, std::vector<float>(8, 0.7F))}, {1, 8, 6, 6});
    const auto shifted = b.add("Add", {scaled, b.constant({8, 1, 1}, std::vector<float>(8, 1.5F))}, {1, 8, 6, 6});
    const auto last = ends == Ends::in_integers ? b.conv(shifted, 4, 1, 1) : b.add("Log", {shifted}, {1, 8, 6, 6});
    Network network = b.finish(last);
    if (ends == Ends::in_the_models_integers) network.tensor(shifted).quantisation = Quantisation{{0.03F}, -1, 0, 127};
    const Values inputs = seeded_inputs(network, 3);
    const Network integer = quantise(network, float_scale_machine(), {inputs});
    CHECK(count_type(integer, "Requantize") == requantised);
    CHECK(decibels(network, integer, inputs) > 25);
  }
}

TEST_CASE("Is a number that multiplies a batch of matrices no convolution?") {
  Builder b;
  const auto rows = b.gemm(b.input({12, 8}), 8, 1, 1);
  const auto x = b.add("Reshape", {rows}, {1, 3, 4, 8});
  const auto scaled = b.add("Mul", {x, b.constant({}, {0.5F})}, {1, 3, 4, 8});
  const Network network = b.finish(b.add("Reshape", {scaled}, {12, 8}));
  const Network integer = quantise(network, float_scale_machine(), {seeded_inputs(network, 5)});
  CHECK(count_type(integer, "Conv") == 0);
}

}  // namespace
}  // namespace accord

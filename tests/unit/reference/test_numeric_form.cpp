#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "archdsl/source/error.h"
#include "tests/unit/reference/single.h"

namespace accord {
namespace {

using Ints = std::vector<std::int32_t>;
using Bytes = std::vector<std::int8_t>;

Value integers(Shape shape, const Ints& elements) { return make_value(ElementType::i32, std::move(shape), elements); }

TEST_CASE("Does Requantize round, scale per channel and saturate as its expression says?") {
  const Value x = integers({1, 2, 1, 3}, {5, -7, 1000, 5, -7, 1000});
  const Value scale = make_value(ElementType::fp32, {2}, std::vector<float>{0.5f, 0.1f});
  const std::map<std::string, Attribute> attributes = {
      {"expression", std::string("i8(clamp(round(fp32(x) * scale), lo, hi))")},
      {"parameters", std::string("scale")},
      {"axis", std::int64_t{1}},
      {"lo", -3.0},
      {"hi", 127.0}};
  const Value y = evaluate_single("Requantize", {x, scale}, ElementType::i8, {1, 2, 1, 3}, attributes);
  CHECK(elements_of<std::int8_t>(y) == Bytes{2, -3, 127, 0, -1, 100});  // 2.5 goes to even
}

TEST_CASE("Does Requantize take channels that are innermost?") {
  const Value x = integers({2, 3}, {10, 20, 30, -10, -20, -30});
  const Value mult = integers({3}, {1, 2, 3}), shift = integers({}, {1});
  const std::map<std::string, Attribute> attributes = {
      {"expression", std::string("i8(clamp((x * mult) >> shift, lo, hi))")},
      {"parameters", std::string("mult,shift")},
      {"axis", std::int64_t{1}},
      {"lo", -128.0},
      {"hi", 40.0}};
  const Value y = evaluate_single("Requantize", {x, mult, shift}, ElementType::i8, {2, 3}, attributes);
  CHECK(elements_of<std::int8_t>(y) == Bytes{5, 20, 40, -5, -20, -45});
}

TEST_CASE("Is a requantisation that cannot be parsed, or lacks a parameter, an error that names it?") {
  const Value x = integers({1}, {1});
  CHECK_THROWS_WITH_AS(
      evaluate_single("Requantize", {x}, ElementType::i8, {1}, {{"expression", std::string("i8(x +")}}),
      doctest::Contains("i8(x +"), Error);
  CHECK_THROWS_AS(evaluate_single("Requantize", {x}, ElementType::i8, {1},
                                  {{"expression", std::string("i8(x)")}, {"parameters", std::string("scale")}}),
                  Error);
}

TEST_CASE("Do Scale, Accumulate and SumPool compute in the accumulator type?") {
  const Value x = make_value(ElementType::i8, {1, 2, 1, 2}, Bytes{100, -128, 3, 4});
  const Value m = integers({2}, {1000, -1}), one = integers({}, {7});
  const Value scaled = evaluate_single("Scale", {x, m}, ElementType::i32, {1, 2, 1, 2}, {{"axis", std::int64_t{1}}});
  CHECK(elements_of<std::int32_t>(scaled) == Ints{100000, -128000, -3, -4});
  const Value sum = evaluate_single("Accumulate", {scaled, x, one}, ElementType::i32, {1, 2, 1, 2});
  CHECK(elements_of<std::int32_t>(sum) == Ints{100700, -128896, 18, 24});
  const Value pooled = evaluate_single("SumPool", {x}, ElementType::i32, {1, 2, 1, 1},
                                       {{"kernel_shape", std::vector<std::int64_t>{1, 2}}});
  CHECK(elements_of<std::int32_t>(pooled) == Ints{-28, 7});
}

TEST_CASE("Does padding never win in an integer MaxPool?") {
  const Value x = make_value(ElementType::i8, {1, 1, 2, 2}, Bytes{-5, -6, -7, -8});
  const std::map<std::string, Attribute> attributes = {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                                       {"pads", std::vector<std::int64_t>{1, 1, 0, 0}}};
  const Value y = evaluate_single("MaxPool", {x}, ElementType::i8, {1, 1, 2, 2}, attributes);
  CHECK(elements_of<std::int8_t>(y) == Bytes{-5, -5, -5, -5});
}

TEST_CASE("Does Quantize round half to even and saturate, and Dequantize undo it?") {
  const Value x = make_value(ElementType::fp32, {5}, std::vector<float>{0.25f, 0.75f, -0.25f, 1000.0f, -1000.0f});
  const Value y = evaluate_single("Quantize", {x}, ElementType::i8, {5}, {{"scale", 0.5}});
  CHECK(elements_of<std::int8_t>(y) == Bytes{0, 2, 0, 127, -128});
  const Value back = evaluate_single("Dequantize", {y}, ElementType::fp32, {5}, {{"scale", 0.5}});
  CHECK(elements_of<float>(back) == std::vector<float>{0.0f, 1.0f, 0.0f, 63.5f, -64.0f});
}

TEST_CASE("Do integers wrap around, as machines' do?") {
  const auto bytes_of = [](const char* op, std::vector<std::int8_t> a, std::vector<std::int8_t> b) {
    const Shape shape = {static_cast<std::int64_t>(a.size())};
    std::vector<Value> inputs = {make_value(ElementType::i8, shape, a)};
    if (!b.empty()) inputs.push_back(make_value(ElementType::i8, shape, b));
    return elements_of<std::int8_t>(evaluate_single(op, inputs, ElementType::i8, shape));
  };
  CHECK(bytes_of("Add", {100, -100}, {100, -100}) == Bytes{-56, 56});
  CHECK(bytes_of("Sub", {-128, 5}, {1, 7}) == Bytes{127, -2});
  CHECK(bytes_of("Mul", {64, -3}, {4, 5}) == Bytes{0, -15});
  CHECK(bytes_of("Neg", {-128, 3}, {}) == Bytes{-128, -3});
  const std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  const Value wide = make_value(ElementType::i64, {1}, std::vector<std::int64_t>{greatest});
  CHECK(elements_of<std::int64_t>(evaluate_single("Add", {wide, wide}, ElementType::i64, {1}))[0] == -2);
}

TEST_CASE("Are sums as wide as the accumulator?") {
  const std::int64_t great = 32767, products = 16;
  const Value x = make_value(ElementType::i16, {1, products}, std::vector<std::int16_t>(products, 32767));
  const std::int64_t whole = great * great * products;  // beyond 32 bits
  const auto sum = [&](const char* op, Shape x_shape, Shape w_shape, Shape shape, ElementType type) {
    Value left = x, right = x;
    left.shape = std::move(x_shape);
    right.shape = std::move(w_shape);
    std::map<std::string, Attribute> attributes;
    if (std::string(op) == "Gemm") attributes["transB"] = std::int64_t{1};
    return evaluate_single(op, {left, right}, type, std::move(shape), attributes);
  };
  for (const auto& [op, x_shape, w_shape, shape] : std::initializer_list<std::tuple<const char*, Shape, Shape, Shape>>{
           {"Gemm", {1, products}, {1, products}, {1, 1}},
           {"MatMul", {1, products}, {products, 1}, {1, 1}},
           {"Conv", {1, products, 1, 1}, {1, products, 1, 1}, {1, 1, 1, 1}}}) {
    CAPTURE(op);
    CHECK(elements_of<std::int64_t>(sum(op, x_shape, w_shape, shape, ElementType::i64)) ==
          std::vector<std::int64_t>{whole});
    CHECK(elements_of<std::int32_t>(sum(op, x_shape, w_shape, shape, ElementType::i32)) ==
          Ints{static_cast<std::int32_t>(static_cast<std::uint32_t>(whole))});
  }
}

TEST_CASE("Is bf16 stored rounded to nearest even, with sums in fp32?") {
  const std::vector<std::uint16_t> ones(256, 0x3f80);
  const Value x = make_value(ElementType::bf16, {1, 256}, ones), w = make_value(ElementType::bf16, {1, 256}, ones);
  const Value acc = evaluate_single("Gemm", {x, w}, ElementType::fp32, {1, 1}, {{"transB", std::int64_t{1}}});
  CHECK(elements_of<float>(acc) == std::vector<float>{256.0f});
  const Value exact = make_value(ElementType::fp32, {3}, std::vector<float>{257.0f, 259.0f, std::nanf("")});
  const Value stored = evaluate_single("Cast", {exact}, ElementType::bf16, {3});
  const auto bits_of = elements_of<std::uint16_t>(stored);
  CHECK(bits_of[0] == 0x4380);  // 257 lies between 256 and 258: even
  CHECK(bits_of[1] == 0x4382);  // 259 between 258 and 260
  CHECK((bits_of[2] & 0x7fff) > 0x7f80);
}

TEST_CASE("Do results not depend on the number of threads?") {
  std::mt19937 engine(21);
  const Value x = random_floats({1, 20, 30, 30}, engine), w = random_floats({50, 20, 3, 3}, engine);
  const std::map<std::string, Attribute> attributes = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
  const Value one = evaluate_single("Conv", {x, w}, ElementType::fp32, {1, 50, 30, 30}, attributes, 1);
  CHECK(one.data == evaluate_single("Conv", {x, w}, ElementType::fp32, {1, 50, 30, 30}, attributes, 7).data);
}

TEST_CASE("Are missing inputs, wrong shapes and unknown operators errors?") {
  const Value x = integers({2}, {1, 2});
  CHECK_THROWS_WITH_AS(evaluate_single("Frobnicate", {x}, ElementType::i32, {2}), doctest::Contains("Frobnicate"),
                       Error);
  CHECK_THROWS_AS(evaluate_single("Conv", {x, x}, ElementType::i32, {2}), Error);
  CHECK_THROWS_AS(evaluate_single("MatMul", {x, integers({3}, {1, 2, 3})}, ElementType::i32, {}), Error);
  CHECK_FALSE(can_execute("Frobnicate"));
  CHECK(can_execute("Conv"));
}

}  // namespace
}  // namespace accord

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/parse.h"

using namespace accord;

namespace {

DenseTensor tensor(ElementType type, std::vector<std::int64_t> shape, const std::vector<double>& values,
                   double outside = 0) {
  DenseTensor result{type, std::move(shape), {}, outside};
  result.data.resize(values.size() * static_cast<std::size_t>(bytes(type)));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_element(result.data.data() + i * static_cast<std::size_t>(bytes(type)), type, values[i]);
  return result;
}

std::vector<double> values(const DenseTensor& tensor) {
  std::vector<double> result;
  const auto size = static_cast<std::size_t>(bytes(tensor.type));
  for (std::size_t at = 0; at < tensor.data.size(); at += size)
    result.push_back(load_element(tensor.data.data() + at, tensor.type));
  return result;
}

TensorProgram program(const std::vector<std::string>& texts, std::map<std::string, ElementType> types,
                      const std::map<std::string, std::int64_t>& extents) {
  StatementContext context;
  context.operand_types = std::move(types);
  auto result = std::get<TensorProgram>(parse_statements(texts, context));
  for (Iterator& iterator : result.iterators) iterator.extent = extents.at(iterator.name);
  return result;
}

// The value of an expression over x of the given type.
double value_of(const std::string& expression, ElementType type, double x) {
  StatementContext context;
  context.operand_types = {{"x", type}, {"y", ElementType::fp32}};
  const auto parsed = std::get<TensorProgram>(parse_statements({"y = " + expression}, context));
  return evaluate(*parsed.statements[0].value, std::vector<double>{x});
}

}  // namespace

TEST_CASE("a matrix product accumulates onto what is there") {
  const TensorProgram matmul = program({"c[i,j] += i32(a[i,k]) * i32(b[k,j])"},
                                       {{"a", ElementType::i8}, {"b", ElementType::i8}, {"c", ElementType::i32}},
                                       {{"i", 2}, {"j", 2}, {"k", 3}});
  std::vector<DenseTensor> operands = {tensor(ElementType::i32, {2, 2}, {1, 0, 0, -1}),
                                       tensor(ElementType::i8, {2, 3}, {1, 2, 3, -4, 5, -6}),
                                       tensor(ElementType::i8, {3, 2}, {7, 8, 9, 10, 11, 12})};
  interpret(matmul, operands);
  CHECK(values(operands[0]) == std::vector<double>{59, 64, -49, -55});
}

TEST_CASE("a padded convolution and pool read the outside value") {
  const TensorProgram conv =
      program({"y[p] += i32(x[p + r - 1]) * i32(w[r])"},
              {{"x", ElementType::i8}, {"w", ElementType::i8}, {"y", ElementType::i32}}, {{"p", 3}, {"r", 3}});
  std::vector<DenseTensor> operands = {tensor(ElementType::i32, {3}, {0, 0, 0}),
                                       tensor(ElementType::i8, {3}, {1, 2, 3}),
                                       tensor(ElementType::i8, {3}, {1, 10, 100})};
  interpret(conv, operands);
  CHECK(values(operands[0]) == std::vector<double>{210, 321, 32});

  const TensorProgram pool =
      program({"y[p] max= x[2*p + r - 1]"}, {{"x", ElementType::i8}, {"y", ElementType::i8}}, {{"p", 2}, {"r", 2}});
  std::vector<DenseTensor> planes = {tensor(ElementType::i8, {2}, {-128, -128}),
                                     tensor(ElementType::i8, {3}, {-5, -7, -6}, -128)};
  interpret(pool, planes);
  CHECK(values(planes[0]) == std::vector<double>{-5, -6});
}

TEST_CASE("softmax is four statements") {
  const TensorProgram softmax =
      program({"m = -inf", "m max= x[i]", "y[i] = exp(x[i] - m)", "t = 0", "t += y[i]", "y[i] = y[i] / t"},
              {{"x", ElementType::fp32}, {"y", ElementType::fp32}, {"m", ElementType::fp32}, {"t", ElementType::fp32}},
              {{"i", 3}});
  std::vector<DenseTensor> operands;
  for (const Operand& operand : softmax.operands)
    operands.push_back(operand.rank == 0 ? tensor(operand.type, {}, {0}) : tensor(operand.type, {3}, {1, 2, 3}));
  interpret(softmax, operands);
  const auto result = values(operands[2]);
  CHECK(result[0] == doctest::Approx(0.09003057));
  CHECK(result[1] == doctest::Approx(0.24472847));
  CHECK(result[2] == doctest::Approx(0.66524096));
}

TEST_CASE("arithmetic wraps, casts saturate") {
  CHECK(value_of("x + 1", ElementType::i8, 127) == -128);
  CHECK(value_of("x - 1", ElementType::u8, 0) == 255);
  CHECK(value_of("x * 16", ElementType::i16, 4097) == 16);
  CHECK(value_of("x * x", ElementType::i32, 65537) == 131073);
  CHECK(value_of("-x", ElementType::i8, -128) == -128);
  CHECK(value_of("abs(x)", ElementType::i8, -128) == -128);
  CHECK(value_of("x + x", ElementType::i4, 5) == -6);
  CHECK(value_of("i8(x)", ElementType::i32, 1000) == 127);
  CHECK(value_of("u8(x)", ElementType::i32, -1) == 0);
  CHECK(value_of("i8(x)", ElementType::fp32, -2.9) == -2);
  CHECK(value_of("i32(x)", ElementType::fp32, std::nan("")) == 0);
  CHECK(value_of("i32(x)", ElementType::fp32, 3e9) == 2147483647);
}

TEST_CASE("integer division truncates and shifts are arithmetic") {
  CHECK(value_of("x / 2", ElementType::i32, -7) == -3);
  CHECK(value_of("x / (x - x)", ElementType::i32, 5) == 0);
  CHECK(value_of("x / -1", ElementType::i32, -2147483648.0) == -2147483648.0);
  CHECK(value_of("x >> 1", ElementType::i32, -7) == -4);
  CHECK(value_of("x >> 40", ElementType::i32, -7) == -1);
  CHECK(value_of("x << 31", ElementType::i32, 3) == -2147483648.0);
  CHECK(value_of("x << 32", ElementType::i32, 3) == 0);
  CHECK(value_of("x << -1", ElementType::i32, 3) == 3);
}

TEST_CASE("a remainder has the dividend's sign, and is an integer dividend where the divisor is 0") {
  for (const auto type : {ElementType::i8, ElementType::i64, ElementType::fp32}) {
    const auto p = program({"y[i] = remainder(a[i], b[i])"}, {{"y", type}, {"a", type}, {"b", type}}, {{"i", 4}});
    std::vector<DenseTensor> operands;
    for (const Operand& operand : p.operands) {
      const bool dividend = operand.name == "a";
      operands.push_back(
          tensor(type, {4}, dividend ? std::vector<double>{7, -7, 7, -128} : std::vector<double>{3, 3, -3, -1}));
    }
    interpret(p, operands);
    CHECK(values(operands[0]) == std::vector<double>{1, -1, 1, 0});
  }
  const auto by_zero = program({"y[i] = remainder(y[i], 0)"}, {{"y", ElementType::i32}}, {{"i", 2}});
  std::vector<DenseTensor> y = {tensor(ElementType::i32, {2}, {5, -6})};
  interpret(by_zero, y);
  CHECK(values(y[0]) == std::vector<double>{5, -6});
}

TEST_CASE("the two roundings differ at ties") {
  CHECK(value_of("round(x)", ElementType::fp32, 2.5) == 2);
  CHECK(value_of("round(x)", ElementType::fp32, -3.5) == -4);
  CHECK(value_of("round_away(x)", ElementType::fp32, 2.5) == 3);
  CHECK(value_of("round_away(x)", ElementType::fp32, -2.5) == -3);
  CHECK(value_of("floor(x)", ElementType::fp32, -2.5) == -3);
  CHECK(value_of("ceil(x)", ElementType::fp32, -2.5) == -2);
}

TEST_CASE("narrow floats round after every operation") {
  CHECK(value_of("x + 1", ElementType::bf16, 256) == 256);
  CHECK(value_of("fp32(x) + 1", ElementType::bf16, 256) == 257);
  CHECK(value_of("x * x", ElementType::fp16, 300) == std::numeric_limits<double>::infinity());
  CHECK(value_of("x * x", ElementType::fp8e4m3, 300) == 448);
}

TEST_CASE("an empty iteration space does nothing and a rank-0 target is one element") {
  const TensorProgram sum = program({"s += x[i]"}, {{"s", ElementType::i32}, {"x", ElementType::i32}}, {{"i", 0}});
  std::vector<DenseTensor> operands = {tensor(ElementType::i32, {}, {7}), tensor(ElementType::i32, {0}, {})};
  interpret(sum, operands);
  CHECK(values(operands[0]) == std::vector<double>{7});
}

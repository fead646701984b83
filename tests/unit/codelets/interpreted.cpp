#include "tests/unit/codelets/interpreted.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "compiler/codelets/work.h"
#include "compiler/reference/execute.h"

namespace accord {
namespace {

DenseTensor dense(const OperatorCase& test, const Work& work, std::size_t index) {
  const WorkOperand& operand = work.operands[index];
  DenseTensor tensor;
  tensor.type = work.program.operands[index].type;
  tensor.shape = operand.shape;
  tensor.outside = operand.outside;
  tensor.data.resize(static_cast<std::size_t>(element_count(tensor.shape) * bytes(tensor.type)));
  if (operand.tensor == no_tensor) return tensor;
  const auto given = test.values.find(test.network.tensor(operand.tensor).name);
  if (given != test.values.end()) tensor.data = given->second.data;
  return tensor;
}

std::vector<double> numbers(const Value& value) {
  std::vector<double> result;
  for (std::size_t at = 0; at < value.data.size(); at += static_cast<std::size_t>(bytes(value.type))) {
    result.push_back(load_element(value.data.data() + at, value.type));
  }
  return result;
}

}  // namespace

OperatorCase::OperatorCase(const std::vector<Value>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor tensor;
    tensor.name = std::to_string(i);
    tensor.type = inputs[i].type;
    tensor.shape = inputs[i].shape;
    network.inputs.push_back(network.add(tensor));
    values[tensor.name] = inputs[i];
  }
}

TensorId OperatorCase::add(const std::string& type, std::vector<TensorId> from, ElementType result, Shape shape,
                           std::map<std::string, Attribute> attributes) {
  Tensor y;
  y.name = "y" + std::to_string(network.operators.size());
  y.type = result;
  y.shape = std::move(shape);
  const TensorId id = network.add(y);
  network.operators.push_back({"op_" + y.name, type, std::move(from), {id}, std::move(attributes)});
  network.outputs = {id};
  return id;
}

Value interpreted(const OperatorCase& test) {
  std::vector<int> operators(test.network.operators.size());
  std::iota(operators.begin(), operators.end(), 0);
  const Work work = instantiate(test.network, operators, CodeletLibrary::shipped());
  REQUIRE(work.operands.size() == work.program.operands.size());
  REQUIRE(work.operator_of.size() == work.program.statements.size());
  std::vector<DenseTensor> tensors;
  for (std::size_t o = 0; o < work.operands.size(); ++o) tensors.push_back(dense(test, work, o));
  interpret(work.program, tensors);
  const auto& last = tensors[static_cast<std::size_t>(work.program.statements.back().target.operand)];
  return {last.type, last.shape, last.data};
}

Value referenced(const OperatorCase& test) {
  return execute(test.network, test.values).at(test.network.tensor(test.network.outputs[0]).name);
}

void check_agrees(const OperatorCase& test) {
  const Value got = interpreted(test);
  const Value expected = referenced(test);
  REQUIRE(got.type == expected.type);
  REQUIRE(element_count(got.shape) == element_count(expected.shape));
  if (!is_float(got.type)) {
    CHECK(numbers(got) == numbers(expected));
    return;
  }
  const auto a = numbers(got);
  const auto b = numbers(expected);
  double greatest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(std::isfinite(a[i]));
    greatest = std::max(greatest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  CHECK(difference <= 1e-5 * greatest);
}

void check_operator(const std::string& type, const std::vector<Value>& inputs, ElementType result, const Shape& shape,
                    const std::map<std::string, Attribute>& attributes) {
  OperatorCase test(inputs);
  std::vector<TensorId> from(inputs.size());
  std::iota(from.begin(), from.end(), 0);
  test.add(type, from, result, shape, attributes);
  CAPTURE(type);
  check_agrees(test);
}

}  // namespace accord

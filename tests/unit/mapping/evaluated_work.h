#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codelets/work.h"

namespace accord::test {

using ProductTypes = std::map<std::string, ElementType>;

inline constexpr std::int64_t product_rows = 3, product_columns = 4, product_depth = 5;

inline const std::map<std::string, Shape> product_shapes = {{"a", {product_rows, product_depth}},
                                                            {"b", {product_depth, product_columns}},
                                                            {"bias", {product_columns}},
                                                            {"c", {product_rows, product_columns}},
                                                            {"y", {product_rows, product_columns}},
                                                            {"z", {product_rows, product_columns}},
                                                            {"r", {product_rows, product_columns}}};

inline Work product_of(const std::vector<std::string>& statements, const ProductTypes& types) {
  StatementContext context{types, {}, {}};
  context.iterator_order = {"i", "j", "k"};
  const auto parsed = parse_statements(statements, context);
  REQUIRE(std::holds_alternative<TensorProgram>(parsed));
  Work work;
  work.program = std::get<TensorProgram>(parsed);
  const std::map<std::string, std::int64_t> extents = {
      {"i", product_rows}, {"j", product_columns}, {"k", product_depth}};
  for (auto& iterator : work.program.iterators) iterator.extent = extents.at(iterator.name);
  for (const auto& operand : work.program.operands) {
    work.operands.push_back({no_tensor, product_shapes.at(operand.name), 0, operand.name == "bias"});
  }
  work.operator_of.assign(statements.size(), 0);
  work.operators = {0};
  return work;
}

/// Operands of equal names begin with equal values.
inline std::vector<std::byte> product_result(const Work& work) {
  std::vector<DenseTensor> operands;
  for (std::size_t o = 0; o < work.operands.size(); ++o) {
    const Operand& operand = work.program.operands[o];
    DenseTensor& tensor = operands.emplace_back(DenseTensor{operand.type, work.operands[o].shape, {}, 0});
    std::mt19937_64 engine(std::hash<std::string>()(operand.name));
    tensor.data.resize(static_cast<std::size_t>(element_count(tensor.shape) * bytes(operand.type)));
    for (std::size_t at = 0; at < tensor.data.size(); at += static_cast<std::size_t>(bytes(operand.type))) {
      store_element(tensor.data.data() + at, operand.type, static_cast<double>(engine() % 200) - 100);
    }
  }
  interpret(work.program, operands);
  return operands[static_cast<std::size_t>(work.program.statements.back().target.operand)].data;
}

}  // namespace accord::test

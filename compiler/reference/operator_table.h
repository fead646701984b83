#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "archdsl/tensor/element_type.h"
#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord::reference {

/// A tensor that an operator reads. `data` is null for an absent optional input.
struct TensorView {
  ElementType type{};
  Shape shape;
  const std::byte* data = nullptr;
  explicit operator bool() const { return data != nullptr; }
};

/// One operator about to be evaluated. Outputs have their type, shape and zeroed data.
struct OperatorCall {
  const Operator& op;
  std::vector<TensorView> inputs;
  std::vector<Value>& outputs;
  int threads = 1;

  bool has_input(std::size_t index) const { return index < inputs.size() && inputs[index]; }
  /// Whether anyone reads it: others may be absent.
  bool has_output(std::size_t index) const { return index < outputs.size() && !outputs[index].data.empty(); }
};

using OperatorFunction = std::function<void(const OperatorCall&)>;
using OperatorTable = std::map<std::string, OperatorFunction, std::less<>>;

/// All operators, built from the families below.
const OperatorTable& operator_table();

void add_convolutions(OperatorTable& table);
void add_matrix_products(OperatorTable& table);
void add_max_pools(OperatorTable& table);
void add_pools(OperatorTable& table);
void add_elementwise(OperatorTable& table);
void add_movement(OperatorTable& table);
void add_normalisations(OperatorTable& table);
void add_attention(OperatorTable& table);
void add_reductions(OperatorTable& table);
void add_selection(OperatorTable& table);
void add_recurrent(OperatorTable& table);
void add_resize(OperatorTable& table);
void add_einsum(OperatorTable& table);
void add_quantised_onnx(OperatorTable& table);
void add_numeric(OperatorTable& table);
void add_partial_sums(OperatorTable& table);

TensorView view(const Value& value);

/// `axis` counted from the end where negative; throws Error when it is out of range.
std::size_t normalise_axis(std::int64_t axis, std::size_t rank);

}  // namespace accord::reference

#include "compiler/reference/operator_table.h"

#include "archdsl/source/error.h"

namespace accord::reference {

const OperatorTable& operator_table() {
  static const OperatorTable table = [] {
    OperatorTable built;
    add_convolutions(built);
    add_matrix_products(built);
    add_max_pools(built);
    add_pools(built);
    add_elementwise(built);
    add_movement(built);
    add_normalisations(built);
    add_attention(built);
    add_reductions(built);
    add_selection(built);
    add_recurrent(built);
    add_resize(built);
    add_einsum(built);
    add_quantised_onnx(built);
    add_numeric(built);
    add_partial_sums(built);
    return built;
  }();
  return table;
}

TensorView view(const Value& value) { return {value.type, value.shape, value.data.data()}; }

std::size_t normalise_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    throw Error("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace accord::reference

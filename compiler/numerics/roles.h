#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// What becomes of a canonical operator in the numeric form.
enum class Role {
  product,     ///< Conv, Gemm, MatMul: accumulator, then Requantize
  sum,         ///< Add or Sub of two activations
  average,     ///< AveragePool with one count everywhere: SumPool, then Requantize
  carry,       ///< moves elements unchanged (MaxPool, Reshape, Concat, ...)
  rescale,     ///< Mul by a number: the same integers in another scale
  clip,        ///< Clip that follows none of the above
  requantise,  ///< Mul by a number, from integers of the model to others
  floating,    ///< anything else
  fused        ///< done by another operator
};

inline constexpr int no_operator = -1;

/// One operator's part in the plan; indices are into Network::operators.
struct PlannedOperator {
  Role role = Role::floating;
  int clip = no_operator;     ///< Clip that its requantisation does
  int factor = no_operator;   ///< Mul by one number, before the Clip, that its requantisation does
  int product = no_operator;  ///< of a sum: the product whose accumulator takes the other operand
  std::string reason{};       ///< of a floating operator: why
};

/// The last of the operators that the requantisation of the planned one does; `op` itself where it does no other.
const Operator& last_of(const Network& network, const Operator& op, const PlannedOperator& planned);

/// Of a Clip: one that is not has nothing to do but to change scales.
bool is_bounded(const Operator& clip);

/// Which tensors are read by whom, once.
struct Uses {
  explicit Uses(const Network& network);
  std::vector<std::vector<int>> consumers;  ///< operator indices per tensor
  std::vector<int> producer;                ///< no_operator for inputs and constants
  std::vector<bool> is_output;
  bool sole_consumer(TensorId id) const;  ///< read once and not a network output
};

/// Classifies every operator and fuses Clip and residual Add. `integers`: sums and carries that touch only float
/// results stay floating; for float machines every sum and clip that is not fused stays floating. `in_float`: operators
/// that must stay floating, with the reason.
/// `factors`: the requantisation can multiply by any number, so that it does the Mul after a MatMul. `sums`: the
/// machine can add to a product's accumulator; else the product is requantised, and the sum is an operator of its own.
std::vector<PlannedOperator> plan_roles(const Network& network, bool integers, bool factors, bool sums,
                                        const std::map<std::size_t, std::string>& in_float = {});

/// Whether the operator moves elements unchanged: its role is `carry` where its neighbours are integers.
bool carries(const Network& network, const Operator& op);

/// Whether all that a carrying operator moves may have one scale and zero point: a model has no different ones for it.
bool keeps_scale(const Network& network, const Operator& op);

/// Inputs of a carrying operator whose elements it passes on (not the indices of a Gather).
std::vector<TensorId> carried_inputs(const Operator& op);

/// Whether it is a Conv, Gemm or MatMul that integer machines do in integers, if its sums fit.
bool is_integer_product(const Network& network, const Operator& op);

/// Elements under every window of an AveragePool, or 0 where the count differs between windows.
std::int64_t constant_pool_count(const Network& network, const Operator& op);

/// The number by which the planned operator's requantisation multiplies beside its scales; 1 where there is none.
double planned_factor(const Network& network, const Operator& op, const PlannedOperator& planned);

/// Of a Mul by one number.
double number_of_factor(const Network& network, const Operator& op);

/// Whether the operator is a Mul by a positive number, and nothing says in which scales its tensors are: integers may
/// stay as they are. Of powers of two where scales are such.
bool changes_scale_alone(const Network& network, const Operator& op, bool powers_of_two);

/// Dimension of the operator's result, of that shape, that holds the channels: the last of products by a matrix of
/// weights, 1 of other images [N,C,H,W], else the last.
int channel_axis(const Operator& op, const Shape& shape);

}  // namespace accord::numerics

#pragma once

#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Operators that run as one layer: a producer and the element-wise operators whose only input of weight it is
/// (Accumulate, Requantize), so that the intermediate results stay on chip.
struct Group {
  std::vector<int> operators;
};

/// By tensor, the operators that read it, ascending; once for each input that it is.
using Consumers = std::vector<std::vector<int>>;
Consumers consumers_of(const Network& network);

/// Groups in an order in which every group's inputs are ready.
std::vector<Group> group_operators(const Network& network);

/// Tensors of the group that others see: written by it and read outside it, or outputs of the network.
std::vector<TensorId> visible_outputs(const Network& network, const Consumers& readers, const Group& group);

}  // namespace accord

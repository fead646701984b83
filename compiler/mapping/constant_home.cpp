#include "compiler/mapping/constant_home.h"

namespace accord {

bool reads_constant_at_home(const Network& network, const Work& work, const Use& use) {
  if (use.filled || use.depth > 0 || use.role != UseRole::input || use.access.operand < 0) return false;
  const TensorId tensor = work.operands[use.access.operand].tensor;
  return tensor != no_tensor && network.tensors[tensor].is_constant();
}

}  // namespace accord

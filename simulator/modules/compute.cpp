#include "simulator/modules/compute.h"

#include <algorithm>

namespace accord::sim {

void Compute::begin(Operation& operation, Cycle at) {
  const OperationShape& shape = *operation.shape;
  const Cycle reading = at + shape.start;
  Cycle read = reading + shape.interval;
  for (const AccessShape& access : shape.accesses) {
    if (access.reads) read = std::max(read, memory(access.memory).access(false, operation, access, reading).end);
  }
  free_ = read - shape.start;
  operation.done = read + shape.drain;
  const Cycle writing = std::max(reading, operation.done - std::max<Cycle>(1, shape.interval));
  for (const AccessShape& access : shape.accesses) {
    if (!access.writes) continue;
    operation.done = std::max(operation.done, memory(access.memory).access(true, operation, access, writing).end);
  }
  account_.spend(Leaves::working, at + shape.useful);
  account_.spend(Leaves::padding, at + shape.interval);
  account_.spend(Leaves::port, free_);
  last_read_ = std::max(last_read_, read);
  if (!run_.in_order) {
    ++operation.holds;
    run_.agenda.add({last_read_, operation.id, &operation, -1, 0, 0});
  }
  resolve(operation);
}

}  // namespace accord::sim

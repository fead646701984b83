#include "simulator/kernels/walk_cursor.h"

namespace accord::sim {

void WalkCursor::start(const Operation& operation, std::int64_t at) {
  operation_ = &operation;
  const Walk& walk = operation.shape->walk;
  std::int64_t rest = at / walk.dims[0].count;
  within_ = at - rest * walk.dims[0].count;
  source_ = 0;
  target_ = walk.target;
  repeating_ = 0;
  for (std::size_t d = 1; d < walk.dims.size(); ++d) {
    const Walk::Dim& dim = walk.dims[d];
    const std::int64_t outer = rest == 0 ? 0 : rest / dim.count;
    const std::int64_t step = rest - outer * dim.count;
    steps_[d] = step;
    source_ += source_of(d, step);
    target_ += step * dim.target;
    if (dim.source == 0 && step > 0) ++repeating_;
    rest = outer;
  }
}

void WalkCursor::next_row() {
  within_ = 0;
  const Walk& walk = operation_->shape->walk;
  for (std::size_t d = 1; d < walk.dims.size(); ++d) {
    const Walk::Dim& dim = walk.dims[d];
    const std::int64_t step = steps_[d];
    const bool wraps = step + 1 == dim.count;
    const std::int64_t next = wraps ? 0 : step + 1;
    steps_[d] = next;
    const bool gathered = static_cast<int>(d) == walk.gather;
    source_ += gathered ? source_of(d, next) - source_of(d, step) : (next - step) * dim.source;
    target_ += (next - step) * dim.target;
    if (dim.source == 0) repeating_ += int{next > 0} - int{step > 0};
    if (!wraps) return;
  }
}

}  // namespace accord::sim

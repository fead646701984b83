#include "simulator/kernels/walk_cursor.h"

namespace accord::sim {

void WalkCursor::start(const Operation& operation, std::int64_t at) {
  operation_ = &operation;
  walk_ = &operation.shape->walk;
  const Walk& walk = *walk_;
  row_ = walk.dims[0].count;
  std::int64_t rest = at / row_;
  within_ = at - rest * row_;
  source_ = 0;
  target_ = walk.target;
  repeating_ = 0;
  for (std::size_t d = 1; d < walk.dims.size(); ++d) {
    const Walk::Dim& dim = walk.dims[d];
    const std::int64_t outer = rest == 0 ? 0 : rest / dim.count;
    const std::int64_t step = rest - outer * dim.count;
    steps_[d] = step;
    source_ += source_steps(d, step) * dim.source;
    target_ += step * dim.target;
    if (dim.source == 0 && step > 0) ++repeating_;
    rest = outer;
  }
}

void WalkCursor::next_row() {
  within_ = 0;
  const std::size_t dims = walk_->dims.size();
  for (std::size_t d = 1; d < dims; ++d) {
    const Walk::Dim& dim = walk_->dims[d];
    const std::int64_t step = steps_[d];
    const bool wraps = step + 1 == dim.count;
    const std::int64_t next = wraps ? 0 : step + 1;
    steps_[d] = next;
    source_ += (source_steps(d, next) - source_steps(d, step)) * dim.source;
    target_ += (next - step) * dim.target;
    if (dim.source == 0) repeating_ += int{next > 0} - int{step > 0};
    if (!wraps) return;
  }
}

}  // namespace accord::sim

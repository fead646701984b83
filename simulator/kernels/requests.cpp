#include "simulator/kernels/binder.h"

namespace accord::sim {

namespace {

void finish(RequestPattern& pattern, OperationShape& shape) {
  pattern.runs = pattern.run > 0 ? 1 : 0;
  for (const Stride& dim : pattern.outer) pattern.runs *= dim.count;
  if (pattern.runs > 0) shape.requests.push_back(std::move(pattern));
}

// A transfer's requests follow its walk, so that they cover consecutive bytes of it.
void add_transfer(OperationShape& shape, int side) {
  RequestPattern pattern;
  pattern.access = side;
  pattern.write = side == 1;
  pattern.offset = side == 1 ? shape.walk.target : 0;
  pattern.run = shape.walk.dims[0].count;
  bool contiguous = true;
  for (std::size_t d = 1; d < shape.walk.dims.size(); ++d) {
    const Walk::Dim& dim = shape.walk.dims[d];
    const std::int64_t step = side == 0 ? dim.source : dim.target;
    const bool gathered = side == 0 && static_cast<int>(d) == shape.walk.gather;  // each row may lie anywhere
    if (dim.count == 1 && !gathered) continue;
    contiguous = contiguous && step == pattern.run && !gathered;
    if (gathered) pattern.gathered = static_cast<int>(pattern.outer.size());
    if (contiguous) {
      pattern.run *= dim.count;
    } else {
      pattern.outer.push_back({dim.count, step});
    }
  }
  finish(pattern, shape);
}

void add_access(OperationShape& shape, int index, bool write) {
  const Footprint& footprint = shape.accesses[static_cast<std::size_t>(index)].footprint;
  if (footprint.extent == 0) return;
  RequestPattern pattern{index, write, footprint.offset, footprint.run, footprint.outer, -1, 0};
  finish(pattern, shape);
}

}  // namespace

void Binder::add_requests(OperationShape& shape, bool transfer) const {
  const auto off_chip = [&](std::size_t access) {
    return architecture_.memories[static_cast<std::size_t>(shape.accesses[access].memory)].off_chip;
  };
  if (transfer) return add_transfer(shape, !off_chip(0) && off_chip(1) ? 1 : 0);
  for (const bool write : {false, true}) {
    for (std::size_t a = 0; a < shape.accesses.size(); ++a) {
      const AccessShape& access = shape.accesses[a];
      if (off_chip(a) && (write ? access.writes : access.reads)) add_access(shape, static_cast<int>(a), write);
    }
  }
}

}  // namespace accord::sim

#pragma once

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// One request of a mover.
struct Request {
  const RequestPattern* pattern = nullptr;
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t first = 0;  ///< transfers: which byte of the walk it starts with
  bool repeat = false;     ///< transfers: the source was read before, by a dimension that steps by 0
};

/// Splits an operation's off-chip (else source) bytes into requests of at most `most` contiguous bytes.
class RequestCursor {
 public:
  void start(const Operation& operation, std::int64_t most) {
    operation_ = &operation;
    most_ = most;
    pattern_ = 0;
    run_ = within_ = moved_ = 0;
  }
  bool done() const { return pattern_ >= operation_->shape->requests.size(); }
  Request next() {
    const RequestPattern& pattern = operation_->shape->requests[pattern_];
    const AccessShape& access = operation_->shape->accesses[static_cast<std::size_t>(pattern.access)];
    std::int64_t address = operation_->base[static_cast<std::size_t>(access.operand)] + pattern.offset + within_;
    std::int64_t rest = run_;
    bool repeat = false;
    for (std::size_t d = 0; d < pattern.outer.size(); ++d) {
      const Stride& dim = pattern.outer[d];
      const std::int64_t step = rest % dim.count;
      const bool gathered = static_cast<int>(d) == pattern.gathered;
      repeat = repeat || (dim.step == 0 && step > 0);
      address += (gathered ? operation_->indices[static_cast<std::size_t>(step)] : step) * dim.step;
      rest /= dim.count;
    }
    const Request request{&pattern, address, bytes(), moved_, repeat};
    moved_ += request.bytes;
    within_ += request.bytes;
    if (within_ == pattern.run) {
      within_ = 0;
      if (++run_ == pattern.runs) {
        run_ = moved_ = 0;
        ++pattern_;
      }
    }
    return request;
  }

  /// The next request covers bytes [first(), first() + bytes()) of a transfer's walk; not where all are done.
  std::int64_t first() const { return moved_; }
  std::int64_t bytes() const { return std::min(most_, operation_->shape->requests[pattern_].run - within_); }

 private:
  const Operation* operation_ = nullptr;
  std::int64_t most_ = 1;
  std::size_t pattern_ = 0;
  std::int64_t run_ = 0, within_ = 0, moved_ = 0;
};

}  // namespace accord::sim

#pragma once

#include <vector>

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
    begin_pattern();
  }
  bool done() const { return pattern_ >= operation_->shape->requests.size(); }
  Request next() {
    const RequestPattern& pattern = operation_->shape->requests[pattern_];
    const AccessShape& access = operation_->shape->accesses[static_cast<std::size_t>(pattern.access)];
    std::int64_t address = operation_->base[static_cast<std::size_t>(access.operand)] + pattern.offset + run_ + within_;
    if (pattern.gathered >= 0) {
      const auto gathered = static_cast<std::size_t>(pattern.gathered);
      address += operation_->indices[static_cast<std::size_t>(steps_[gathered])] * pattern.outer[gathered].step;
    }
    const Request request{&pattern, address, bytes(), moved_, repeating_ > 0};
    moved_ += request.bytes;
    within_ += request.bytes;
    if (within_ == pattern.run) next_run(pattern);
    return request;
  }

  /// The next request covers bytes [first(), first() + bytes()) of a transfer's walk; not where all are done.
  std::int64_t first() const { return moved_; }
  std::int64_t bytes() const { return std::min(most_, operation_->shape->requests[pattern_].run - within_); }

 private:
  void begin_pattern() {
    run_ = within_ = moved_ = 0;
    repeating_ = 0;
    if (!done()) steps_.assign(operation_->shape->requests[pattern_].outer.size(), 0);
  }
  void next_run(const RequestPattern& pattern) {
    within_ = 0;
    for (std::size_t d = 0; d < pattern.outer.size(); ++d) {
      const Stride& dim = pattern.outer[d];
      const std::int64_t step = steps_[d], next = step + 1 == dim.count ? 0 : step + 1;
      steps_[d] = next;
      if (static_cast<int>(d) != pattern.gathered) run_ += (next - step) * dim.step;
      if (dim.step == 0) repeating_ += int{next > 0} - int{step > 0};
      if (next > 0) return;
    }
    ++pattern_;
    begin_pattern();
  }

  const Operation* operation_ = nullptr;
  std::int64_t most_ = 1;
  std::size_t pattern_ = 0;
  std::vector<std::int64_t> steps_;  ///< of the pattern's outer dimensions
  std::int64_t run_ = 0;             ///< where it begins, but for what a list says
  std::int64_t within_ = 0, moved_ = 0;
  int repeating_ = 0;  ///< dimensions that step by 0 and have begun anew
};

}  // namespace accord::sim

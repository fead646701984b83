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
    begin(operation.shape->requests.data());
  }
  bool done() const { return pattern_ == end_; }
  Request next() {
    std::int64_t address = begin_ + run_ + within_;
    if (pattern_->gathered >= 0) {
      const auto gathered = static_cast<std::size_t>(pattern_->gathered);
      address += operation_->indices[static_cast<std::size_t>(steps_[gathered])] * pattern_->outer[gathered].step;
    }
    const Request request{pattern_, address, bytes(), moved_, repeating_ > 0};
    moved_ += request.bytes;
    within_ += request.bytes;
    if (within_ == pattern_->run) next_run();
    return request;
  }

  /// The next request covers bytes [first(), first() + bytes()) of a transfer's walk; not where all are done.
  std::int64_t first() const { return moved_; }
  const RequestPattern& pattern() const { return *pattern_; }
  std::int64_t bytes() const { return std::min(most_, pattern_->run - within_); }

 private:
  void begin(const RequestPattern* pattern) {
    const OperationShape& shape = *operation_->shape;
    pattern_ = pattern;
    end_ = shape.requests.data() + shape.requests.size();
    run_ = within_ = moved_ = 0;
    repeating_ = 0;
    if (done()) return;
    const AccessShape& access = shape.accesses[static_cast<std::size_t>(pattern->access)];
    begin_ = operation_->base_of(access) + pattern->offset;
    steps_.assign(pattern->outer.size(), 0);
  }
  void next_run() {
    within_ = 0;
    for (std::size_t d = 0; d < steps_.size(); ++d) {
      const Stride& dim = pattern_->outer[d];
      const std::int64_t step = steps_[d], next = step + 1 == dim.count ? 0 : step + 1;
      steps_[d] = next;
      if (static_cast<int>(d) != pattern_->gathered) run_ += (next - step) * dim.step;
      if (dim.step == 0) repeating_ += int{next > 0} - int{step > 0};
      if (next > 0) return;
    }
    begin(pattern_ + 1);
  }

  const Operation* operation_ = nullptr;
  std::int64_t most_ = 1;
  const RequestPattern* pattern_ = nullptr;
  const RequestPattern* end_ = nullptr;
  std::int64_t begin_ = 0;           ///< address of the pattern's first run
  std::vector<std::int64_t> steps_;  ///< of the pattern's outer dimensions
  std::int64_t run_ = 0;             ///< where it begins, but for what a list says
  std::int64_t within_ = 0, moved_ = 0;
  int repeating_ = 0;  ///< dimensions that step by 0 and have begun anew
};

}  // namespace accord::sim

#pragma once

#include <algorithm>

namespace accord {

/// When something that serves one after another is taken last, and since when it was idle before: what is given later
/// may still pass then.
class Lane {
 public:
  /// Until something can begin that asks at `from`.
  double wait(double from) const { return std::max((from < begin_ && idle_ < begin_ ? idle_ : end_) - from, 0.0); }

  void take(double from, double cycles) {
    if (from < begin_ && idle_ < begin_) {
      const double done = std::max(from, idle_) + cycles;
      end_ += std::max(done - begin_, 0.0);
      idle_ = std::min(done, begin_);
      return;
    }
    if (from > end_) {
      idle_ = end_;
      begin_ = from;
    }
    end_ = std::max(end_, from) + cycles;
  }

 private:
  double idle_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace accord

#pragma once

#include <cstdint>
#include <vector>

#include "simulator/time/time.h"

namespace accord::sim {

/// Amounts over time, in samples of equal length: several series share one length. Every series sums to what was added
/// exactly.
class SampledSeries {
 public:
  static constexpr std::size_t most_samples = 1'000'000;

  /// Samples of `interval` cycles; 0: of the least power of two that gives at most `chosen` of them. `add` throws Error
  /// where a given interval makes more than most_samples.
  SampledSeries(Cycle interval, std::size_t chosen)
      : interval_(interval > 0 ? interval : 1), limit_(interval > 0 ? most_samples : chosen), fixed_(interval > 0) {}

  /// Begins another series and returns its number.
  std::size_t begin_series() {
    series_.emplace_back();
    return series_.size() - 1;
  }
  /// Divides `amount` over [from, until) evenly; what is added up to any cycle is rounded down.
  void add(std::size_t series, std::int64_t amount, Cycle from, Cycle until);

  /// Samples are as long as it takes for them to reach there.
  void reach(Cycle until);

  Cycle interval() const { return interval_; }
  std::int64_t value(std::size_t series, std::size_t sample) const {
    return sample < series_[series].size() ? series_[series][sample] : 0;
  }

 private:
  void double_interval();

  Cycle interval_;
  std::size_t limit_;
  bool fixed_;
  std::vector<std::vector<std::int64_t>> series_;
};

}  // namespace accord::sim

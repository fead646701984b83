#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "archdsl/tensor/rounding.h"

namespace accord {

/// The requests that a mover has under way. They come in bursts of as many as it may have, each burst when the one
/// before is answered; a transfer goes on with the burst that the one before has left unfinished.
class RequestWindow {
 public:
  explicit RequestWindow(std::int64_t in_flight) : in_flight_(std::max<std::int64_t>(in_flight, 1)) {}

  struct Pace {
    std::int64_t answer = 0;  ///< cycles after which a request makes room for another
    double interval = 1;      ///< from one request to the next of a burst
  };

  /// Cycles that so many requests take where others come at once before and after them.
  double steady(std::int64_t requests, const Pace& pace) const {
    return static_cast<double>(requests * pace.answer) / static_cast<double>(in_flight_);
  }

  /// Cycles from `start` until the last of so many has been made.
  double pass(std::int64_t start, std::int64_t requests, const Pace& pace) {
    if (start - pace.answer >= burst_) {
      burst_ = start;
      made_ = 0;
    }
    made_ += requests;
    if (made_ <= in_flight_) return static_cast<double>(requests) * pace.interval;
    const std::int64_t bursts = ceil_div(made_, in_flight_) - 1;
    burst_ += bursts * pace.answer;
    made_ -= bursts * in_flight_;
    return static_cast<double>(burst_ - start) + static_cast<double>(made_) * pace.interval;
  }

 private:
  std::int64_t in_flight_;
  std::int64_t burst_ = std::numeric_limits<std::int64_t>::min() / 2;  ///< when the last one began
  std::int64_t made_ = 0;                                              ///< of its requests
};

}  // namespace accord

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "archdsl/tensor/rounding.h"
#include "compiler/lowering/operation.h"

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

  /// Cycles in which so many requests are made where others come at once before and after them.
  double steady(std::int64_t requests, const Pace& pace) const {
    const double place = static_cast<double>(pace.answer) / static_cast<double>(in_flight_);
    return static_cast<double>(requests) * std::max(place, pace.interval);
  }

  /// Cycles from `start` until the last of so many has been made. Answers leave in order: those that come sooner wait
  /// for the ones before.
  double pass(double start, std::int64_t requests, const Pace& pace) {
    const auto answer = static_cast<double>(pace.answer);
    if (static_cast<double>(in_flight_) * pace.interval >= answer) return pass_at_once(start, requests, pace.interval);
    if (start >= next_) {
      begin_burst(start, answer);
      made_ = 0;
    }
    made_ += requests;
    if (made_ <= in_flight_) {
      if (answer > answer_) begin_burst(start, answer);  // those with sooner answers have begun it
      return static_cast<double>(requests) * pace.interval;
    }
    const std::int64_t bursts = ceil_div(made_, in_flight_) - 1;
    made_ -= bursts * in_flight_;
    begin_burst(next_ + static_cast<double>(bursts - 1) * answer, answer);
    return next_ - answer - start + static_cast<double>(made_) * pace.interval;
  }

  /// What a transfer that begins then waits for room beyond what it does among others at once; below 0: less.
  std::int64_t wait(const LowOp& op, std::int64_t start) {
    if (op.awaited == 0) return 0;
    const Pace pace{op.answer, std::max(static_cast<double>(op.link) / op.awaited, 1.0)};
    const double later = pass(static_cast<double>(start), op.awaited, pace) - steady(op.awaited, pace);
    return std::max(static_cast<std::int64_t>(later), -std::int64_t{op.hurry});
  }

 private:
  /// Answers come before all places are taken: there is always one free, once what was under way before is answered.
  double pass_at_once(double start, std::int64_t requests, double interval) {
    const std::int64_t free = start >= next_ ? requests : in_flight_ - made_;
    if (start >= next_) next_ = start;
    if (requests <= free) {
      made_ += requests;
      return static_cast<double>(requests) * interval;
    }
    const double end =
        std::max(next_, start + static_cast<double>(free) * interval) + static_cast<double>(requests - free) * interval;
    next_ = end;
    return end - start;
  }

  void begin_burst(double at, double answer) {
    next_ = at + answer;
    answer_ = answer;
  }

  std::int64_t in_flight_;
  std::int64_t made_ = 0;                                   ///< of the last burst's requests
  double next_ = -std::numeric_limits<double>::infinity();  ///< when the burst after it may begin
  double answer_ = 0;                                       ///< cycles of its requests
};

}  // namespace accord

// When has a mover made the last of a transfer's requests, of which so many may be under way?
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "compiler/lowering/request_window.h"

using namespace accord;

namespace {

/// Request by request: each when the one before it has been made, and when it finds a place. Answers leave in order.
class OneByOne {
 public:
  explicit OneByOne(std::int64_t in_flight) : in_flight_(static_cast<std::size_t>(in_flight)) {}

  double pass(double start, std::int64_t requests, const RequestWindow::Pace& pace) {
    double next = start;
    for (std::int64_t r = 0; r < requests; ++r) {
      double made = next;
      if (under_way_.size() == in_flight_) {
        made = std::max(made, under_way_.front());
        under_way_.pop_front();
      }
      last_ = std::max(last_, made + static_cast<double>(pace.answer));
      under_way_.push_back(last_);
      next = made + pace.interval;
    }
    return next - start;
  }

 private:
  std::size_t in_flight_;
  double last_ = 0;
  std::deque<double> under_way_;  ///< when each is answered
};

}  // namespace

TEST_CASE("does a burst's arithmetic give what requests one by one take") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto drawn = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const std::int64_t in_flight = drawn(1, 32);
    const RequestWindow::Pace far{in_flight + drawn(1, 200), 1}, close{drawn(1, in_flight), 1};
    RequestWindow window(in_flight);
    OneByOne expected(in_flight);
    double start = 0;
    for (int transfer = 0; transfer < 20; ++transfer) {
      const std::int64_t requests = drawn(1, 100);
      const RequestWindow::Pace& pace = seed % 2 == 0 && drawn(0, 1) == 0 ? close : far;
      const double cycles = window.pass(start, requests, pace);
      CHECK(cycles == doctest::Approx(expected.pass(start, requests, pace)));
      // At once, or when all places are free again.
      start += cycles + static_cast<double>(drawn(0, 1) == 0 ? 0 : far.answer + drawn(0, 50));
    }
  }
}

TEST_CASE("do transfers that come at once take an answer's time per window") {
  const RequestWindow::Pace pace{100, 1};
  RequestWindow window(16);
  double start = 0;
  for (int transfer = 0; transfer < 64; ++transfer) start += window.pass(start, 28, pace);
  CHECK(start == doctest::Approx(64 * window.steady(28, pace)).epsilon(0.01));
}

// When has a mover made the last of a transfer's requests, of which so many may be under way?
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "compiler/lowering/request_window.h"

using namespace accord;

namespace {

/// Request by request: each when the one before it has been made, and when it finds a place.
class OneByOne {
 public:
  OneByOne(std::int64_t in_flight, RequestWindow::Pace pace)
      : in_flight_(static_cast<std::size_t>(in_flight)), pace_(pace) {}

  double pass(double start, std::int64_t requests) {
    double next = start;
    for (std::int64_t r = 0; r < requests; ++r) {
      double made = next;
      if (under_way_.size() == in_flight_) {
        made = std::max(made, under_way_.front() + static_cast<double>(pace_.answer));
        under_way_.pop_front();
      }
      under_way_.push_back(made);
      next = made + pace_.interval;
    }
    return next - start;
  }

 private:
  std::size_t in_flight_;
  RequestWindow::Pace pace_;
  std::deque<double> under_way_;  ///< when each was made
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
    const RequestWindow::Pace pace{in_flight + drawn(1, 200), 1};
    RequestWindow window(in_flight);
    OneByOne expected(in_flight, pace);
    double start = 0;
    for (int transfer = 0; transfer < 20; ++transfer) {
      const std::int64_t requests = drawn(1, 100);
      const double cycles = window.pass(start, requests, pace);
      CHECK(cycles == doctest::Approx(expected.pass(start, requests)));
      // At once, or when all places are free again.
      start += cycles + static_cast<double>(drawn(0, 1) == 0 ? 0 : pace.answer + drawn(0, 50));
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

#pragma once

#include <array>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/time/time.h"

namespace accord::sim {

/// How fast something is done: `width` of what a cause counts in each cycle of `period`, then so many times as long;
/// and how much of it at once.
struct Rate {
  std::int64_t width = 1;
  Period period{1, 1};
  std::int64_t times = 1;
  std::int64_t over = 1;    ///< cycles * times / over, rounded up
  std::int64_t places = 0;  ///< under way, or waiting, at a time; 0: not limited
  bool twins = false;       ///< two of what serves it for each one
  Period own{1, 1};         ///< a cycle of what takes it: lengths in reference cycles are whole ones of these

  /// `amount` in cycles of the period, each `numerator` parts: what a timeline of that period takes.
  std::int64_t parts(std::int64_t amount) const { return scaled(amount * period.numerator); }

  bool operator==(const Rate& other) const {
    return width == other.width && period.numerator == other.period.numerator &&
           period.denominator == other.period.denominator && times == other.times && over == other.over &&
           places == other.places && twins == other.twins && own.numerator == other.own.numerator &&
           own.denominator == other.own.denominator;
  }
  Cycle cycles(std::int64_t amount) const {
    const std::int64_t whole = amount < 0 ? -amount : amount;
    const std::int64_t words = width == 1 ? whole : (whole + width - 1) / width;
    const Cycle length = scaled(period.is_reference() ? words : period.cycles(words));
    return amount < 0 ? -length : length;
  }

 private:
  std::int64_t scaled(std::int64_t length) const {
    if (times == over) return length;
    const std::int64_t cycles = own.is_reference() ? length : length * own.denominator / own.numerator;
    return own.cycles((cycles * times + over - 1) / over);
  }
};

/// The rate of every cause and component: one cycle for each that is counted, where nothing else is said.
class Rates {
 public:
  std::int64_t parts(Cause cause, int component, std::int64_t amount) const {
    const auto& rates = rates_[static_cast<std::size_t>(cause)];
    return static_cast<std::size_t>(component) < rates.size() ? rates[static_cast<std::size_t>(component)].parts(amount)
                                                              : amount;
  }
  Rate& of(Cause cause, int component) {
    auto& rates = rates_[static_cast<std::size_t>(cause)];
    if (rates.size() <= static_cast<std::size_t>(component)) rates.resize(static_cast<std::size_t>(component) + 1);
    return rates[static_cast<std::size_t>(component)];
  }
  std::int64_t places(Cause cause, int component) const {
    const auto& rates = rates_[static_cast<std::size_t>(cause)];
    return static_cast<std::size_t>(component) < rates.size() ? rates[static_cast<std::size_t>(component)].places : 0;
  }
  Period period(Cause cause, int component) const {
    const auto& rates = rates_[static_cast<std::size_t>(cause)];
    return static_cast<std::size_t>(component) < rates.size() ? rates[static_cast<std::size_t>(component)].period
                                                              : Period{};
  }
  bool twins(Cause cause, int component) const {
    const auto& rates = rates_[static_cast<std::size_t>(cause)];
    return static_cast<std::size_t>(component) < rates.size() && rates[static_cast<std::size_t>(component)].twins;
  }
  Cycle cycles(Cause cause, int component, std::int64_t amount) const {
    const auto& rates = rates_[static_cast<std::size_t>(cause)];
    return static_cast<std::size_t>(component) < rates.size()
               ? rates[static_cast<std::size_t>(component)].cycles(amount)
               : amount;
  }

 private:
  std::array<std::vector<Rate>, static_cast<std::size_t>(Cause::count)> rates_;
};

}  // namespace accord::sim

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "archdsl/check/elaborate.h"

namespace accord {

namespace {

constexpr double most_ratio = 1024;

ClockDomain read_domain(Scope& scope, const NodeEntry& entry) {
  ClockDomain domain;
  domain.name = entry.key.text;
  domain.crossing = 2;
  scope.check_name(domain.name, entry.key.place, "clock");
  if (!entry.value.is_map()) {
    domain.hz = scope.frequency(entry.value, fmt::format("clock `{}`", domain.name)).value_or(1e9);
    return domain;
  }
  const MapReader reader(scope, entry.value, "clock_domain", fmt::format("clock `{}`", domain.name));
  if (const Node* const frequency = reader.find("frequency")) {
    domain.hz = scope.frequency(*frequency, "frequency").value_or(1e9);
  }
  domain.crossing = reader.integer("crossing");
  return domain;
}

}  // namespace

// The first convergent of the ratio's continued fraction that is as near as numbers in a covenant are meant: 16/3 GB/s
// is a byte in 3/16 of a nanosecond, though no whole number of Hz.
Period period_of(double reference_hz, double own_hz) {
  constexpr double near = 1e-15;  // some units of the last place
  const double ratio = reference_hz / own_hz;
  Period last{1, 0}, period{static_cast<std::int64_t>(ratio), 1};
  double rest = ratio - std::floor(ratio);
  const auto value = [&] { return static_cast<double>(period.numerator) / static_cast<double>(period.denominator); };
  while (std::abs(value() - ratio) > near * ratio) {
    const double turned = 1 / rest;
    const auto whole = static_cast<std::int64_t>(turned);
    rest = turned - std::floor(turned);
    last = std::exchange(
        period, {whole * period.numerator + last.numerator, whole * period.denominator + last.denominator});
  }
  return period;
}

std::vector<ClockDomain> read_clocks(Elaboration& elaboration, const MapReader& covenant) {
  Scope& scope = elaboration.scope;
  const Node* const clock = covenant.find("clock");
  const Node* const clocks = covenant.find("clocks");
  if (clock && clocks) {
    scope.reporter().report("duplicate-name", clocks->place, "`clock` and `clocks` both state the clock");
  }
  std::vector<ClockDomain> domains;
  for (const NodeEntry& entry : scope.entries(clocks, "clocks", 64)) {
    domains.push_back(read_domain(scope, entry));
    elaboration.clock_places.push_back(entry.key.place);
    domains.back().period = period_of(domains[0].hz, domains.back().hz);
    const double ratio = domains[0].hz / domains.back().hz;
    if (ratio <= most_ratio && ratio * most_ratio >= 1 && domains.back().period.denominator <= 1'000'000) continue;
    scope.reporter().report(
        "bad-clock", entry.value.place,
        fmt::format("{} Hz and the reference's {} Hz are in no usable ratio", domains.back().hz, domains[0].hz),
        "at most 1024 to one, and a fraction of whole numbers below 10^6");
    domains.back().period = {};
  }
  if (domains.empty()) {
    domains.push_back({"core", 1e9, 0, {}});
    elaboration.clock_places.emplace_back();
    if (clock) domains[0].hz = scope.frequency(*clock, "clock").value_or(1e9);
    if (clocks && clocks->is_map()) {
      scope.reporter().report("wrong-form", clocks->place, "clocks names at least one clock: {core: 1 GHz}");
    }
  }
  return domains;
}

}  // namespace accord

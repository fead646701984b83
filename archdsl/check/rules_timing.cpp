#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

constexpr std::size_t most_corners = 12;  ///< variables of which every combination of extremes is tried

constexpr std::int64_t endless = std::int64_t{1} << 40;  ///< what divides by zero, or overflows, gives more

/// Least value of a formula over the corners of its variables' ranges, and the corner; or one that has no end.
struct Least {
  std::int64_t value = INT64_MAX;
  std::vector<std::int64_t> at;
};

Least least_of(const Formula& formula, const std::vector<Range>& ranges) {
  Least least;
  const std::size_t varied = std::min(ranges.size(), most_corners);
  std::vector<std::int64_t> values(ranges.size());
  for (std::size_t corner = 0; corner < (std::size_t{1} << varied); ++corner) {
    for (std::size_t v = 0; v < ranges.size(); ++v)
      values[v] = v < varied && (corner >> v & 1) != 0 ? ranges[v].high : ranges[v].low;
    const std::int64_t value = formula.evaluate(values);
    if (value >= endless) return {value, values};
    if (value < least.value) least = {value, values};
  }
  return least;
}

void check_formula(Elaboration& elaboration, const Place& place, const Unit& unit, const Capability& capability,
                   std::string_view key, const Formula& formula, std::int64_t smallest) {
  std::vector<Range> ranges;
  std::vector<std::string> names;
  for (const CapabilityDim& dim : capability.dims) {
    ranges.push_back({dim.minimum, dim.maximum});
    names.push_back(dim.name);
  }
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    if (!capability.operands[o].held) continue;
    ranges.push_back({0, 1});
    names.push_back(capability.program.operands[o].name + ".load");
  }
  const Least least = least_of(formula, ranges);
  if (least.value >= smallest && least.value < endless) return;
  std::vector<std::string> corner;
  for (std::size_t v = 0; v < names.size(); ++v) corner.push_back(fmt::format("{} = {}", names[v], least.at[v]));
  elaboration.scope.reporter().report(
      "bad-timing", place,
      fmt::format("{} of `{}.{}` is {}{}{}", key, unit.name, capability.name,
                  least.value >= endless ? "without end" : fmt::format("{}", least.value),
                  corner.empty() ? "" : " where ", fmt::join(corner, ", ")),
      fmt::format("at least {} cycle{}, and fewer than 2^40, everywhere", smallest, smallest == 1 ? "" : "s"));
}

}  // namespace

void check_timing(Elaboration& elaboration) {
  const auto& units = elaboration.architecture.units;
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (std::size_t c = 0; c < units[u].capabilities.size(); ++c) {
      const Capability& capability = units[u].capabilities[c];
      const Place& place = elaboration.units[u].capability_places[c];
      check_formula(elaboration, place, units[u], capability, "start", capability.start, 0);
      check_formula(elaboration, place, units[u], capability, "interval", capability.interval,
                    units[u].kind == UnitKind::compute ? 1 : 0);
      check_formula(elaboration, place, units[u], capability, "drain", capability.drain, 0);
    }
  }
}

}  // namespace accord

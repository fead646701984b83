#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

constexpr std::size_t most_corners = 12;       ///< variables of which every combination of extremes is tried
constexpr std::int64_t most_points = 1 << 12;  ///< that are tried of a formula that may divide by zero in between

constexpr std::int64_t endless = std::int64_t{1} << 40;  ///< what divides by zero, or overflows, gives more

/// Legal values of a variable: so many, `step` apart.
struct Values {
  std::string name;
  std::int64_t low = 0, step = 1, count = 1;
  /// One of `tried` of them, spread evenly from the least to the greatest.
  std::int64_t at(std::int64_t i, std::int64_t tried) const {
    return tried < 2 ? low : low + (count - 1) * i / (tried - 1) * step;
  }
};

/// Whether the variable's name stands in the formula.
bool uses(const Formula& formula, const std::string& name) {
  const std::string& text = formula.text();
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) return true;
  }
  return false;
}

bool divides(const Formula& formula) {
  return formula.text().find_first_of("/%") != std::string::npos || uses(formula, "ceil_div");
}

/// How many values of each variable are tried. Of variables that a formula does not use: one.
std::vector<std::int64_t> values_tried(const Formula& formula, const std::vector<Values>& variables) {
  std::vector<std::int64_t> tried(variables.size(), 1);
  std::vector<std::size_t> used;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (uses(formula, variables[v].name) && used.size() < most_corners) used.push_back(v);
  }
  std::ranges::sort(used, {}, [&](std::size_t v) { return variables[v].count; });
  std::int64_t points = divides(formula) ? most_points : 1;
  for (std::size_t u = 0; u < used.size(); ++u) {
    const double left = static_cast<double>(used.size() - u);
    const auto share = static_cast<std::int64_t>(std::pow(static_cast<double>(points), 1 / left) + 1e-9);
    tried[used[u]] = std::min(variables[used[u]].count, std::max<std::int64_t>(2, share));
    points = std::max<std::int64_t>(1, points / tried[used[u]]);
  }
  return tried;
}

/// Least value of a formula over the corners of its variables' ranges, where it divides also in between, and the point;
/// or one that has no end.
struct Least {
  std::int64_t value = INT64_MAX;
  std::vector<std::int64_t> at;
};

Least least_of(const Formula& formula, const std::vector<Values>& variables) {
  const std::vector<std::int64_t> tried = values_tried(formula, variables);
  Least least;
  std::vector<std::int64_t> place(variables.size(), 0), values(variables.size());
  for (bool more = true; more;) {
    for (std::size_t v = 0; v < values.size(); ++v) values[v] = variables[v].at(place[v], tried[v]);
    const std::int64_t value = formula.evaluate(values);
    if (value >= endless) return {value, values};
    if (value < least.value) least = {value, values};
    std::size_t v = 0;
    while (v < place.size() && ++place[v] == tried[v]) place[v++] = 0;
    more = v < place.size();
  }
  return least;
}

void check_formula(Elaboration& elaboration, const Place& place, const Unit& unit, const Capability& capability,
                   std::string_view key, const Formula& formula, std::int64_t smallest) {
  std::vector<Values> variables;
  for (const CapabilityDim& dim : capability.dims) {
    variables.push_back({dim.name, dim.minimum, dim.multiple, (dim.maximum - dim.minimum) / dim.multiple + 1});
  }
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    if (capability.operands[o].held) variables.push_back({capability.program.operands[o].name + ".load", 0, 1, 2});
  }
  const Least least = least_of(formula, variables);
  if (least.value >= smallest && least.value < endless) return;
  std::vector<std::string> corner;
  for (std::size_t v = 0; v < variables.size(); ++v)
    corner.push_back(fmt::format("{} = {}", variables[v].name, least.at[v]));
  elaboration.scope.reporter().report(
      "bad-timing", place,
      fmt::format("{} of `{}.{}` {}{}{}", key, unit.name, capability.name,
                  least.value >= endless ? "divides by zero, or is 2^40 or more," : fmt::format("is {}", least.value),
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

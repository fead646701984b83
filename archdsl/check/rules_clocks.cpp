#include <fmt/format.h>

#include <set>
#include <tuple>

#include "archdsl/check/rules.h"

namespace accord {

// What a unit's operation takes is counted in reference cycles: a fraction is lost with each.
void check_clocks(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  std::set<std::tuple<int, int, int>> known;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    const Place& place = elaboration.units[u].place;
    const auto [numerator, denominator] = unit.period;
    if (numerator % denominator == 0 || !known.emplace(place.file, place.line, place.column).second) continue;
    const double exact = static_cast<double>(numerator) / static_cast<double>(denominator);
    elaboration.scope.reporter().report(
        "rounded-clock", place,
        fmt::format("a cycle of `{}` is {:.4g} reference cycles; what an operation takes is rounded up to "
                    "whole ones: one cycle to {}",
                    unit.name, exact, unit.period.cycles(1)),
        "declare as the first clock, the reference, a multiple of all others' frequencies");
  }
}

}  // namespace accord

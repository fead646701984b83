#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

bool divides(std::int64_t a, std::int64_t b) { return a % b == 0 || b % a == 0; }

}  // namespace

// Beats that are not filled cost bandwidth that the covenant seems to promise.
void check_widths(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  Reporter& reporter = elaboration.scope.reporter();
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    for (std::size_t r = 0; r < unit.routes.size(); ++r) {
      const Route& route = unit.routes[r];
      for (const int index : route.links) {
        const Link& link = architecture.links[static_cast<std::size_t>(index)];
        if (unit.request % link.width == 0 || link.width % unit.request == 0) continue;
        reporter
            .report("uneven-width", elaboration.units[u].route_places[r],
                    fmt::format("requests of {} B over `{}`, {} B wide: the last beat of each is not full",
                                unit.request, link.name, link.width),
                    fmt::format("make `request` a multiple of {} B", link.width))
            .notes.push_back(reporter.note(elaboration.link_places[static_cast<std::size_t>(index)], "the link"));
      }
      if (!route.links.empty()) continue;
      const Memory& source = architecture.memories[static_cast<std::size_t>(route.source)];
      const Memory& target = architecture.memories[static_cast<std::size_t>(route.target)];
      if (divides(source.word, target.word)) continue;
      reporter.report("uneven-width", elaboration.units[u].route_places[r],
                      fmt::format("words of `{}`, {} B, and of `{}`, {} B, do not divide each other", source.name,
                                  source.word, target.name, target.word));
    }
  }
}

}  // namespace accord

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/rules.h"

namespace accord {

void check_capacities(Elaboration& elaboration) {
  const auto& memories = elaboration.architecture.memories;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const Memory& memory = memories[m];
    if (memory.capacity % (memory.word * memory.banks) == 0) continue;
    elaboration.scope.reporter().report(
        "bad-capacity", elaboration.memory_places[m],
        fmt::format("the capacity of `{}`, {} B, is no multiple of its {} banks of {} B words", memory.name,
                    memory.capacity, memory.banks, memory.word));
  }
}

void check_off_chip(Elaboration& elaboration) {
  const auto& memories = elaboration.architecture.memories;
  if (std::any_of(memories.begin(), memories.end(), [](const Memory& m) { return m.off_chip; })) return;
  const Place place = elaboration.components.empty() ? Place{} : elaboration.components.front().place;
  elaboration.scope.reporter().report("no-off-chip", place, "no memory is off-chip: nothing holds a network's tensors",
                                      "mark one memory with `off_chip: true`");
}

void check_feeds(Elaboration& elaboration) {
  for (std::size_t u = 0; u < elaboration.units.size(); ++u) {
    if (elaboration.fed[u]) continue;
    elaboration.scope.reporter().report(
        "not-fed", elaboration.units[u].place,
        fmt::format("the controller `{}` does not feed `{}`", elaboration.architecture.controller.name,
                    elaboration.architecture.units[u].name),
        "add it to `feeds`, or leave `feeds` out to feed all");
  }
}

}  // namespace accord

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "archdsl/check/rules.h"

namespace accord {

void check_capacities(Elaboration& elaboration) {
  const auto& memories = elaboration.architecture.memories;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const Memory& memory = memories[m];
    const std::int64_t row = memory.word * memory.banks;
    if (memory.capacity % row == 0) continue;
    const std::int64_t below = memory.capacity / row * row;
    elaboration.scope.reporter().report(
        "bad-capacity", elaboration.memory_places[m],
        fmt::format("the capacity of `{}`, {} B, is no multiple of its {} banks of {} B words", memory.name,
                    memory.capacity, memory.banks, memory.word),
        fmt::format("the next ones are {}{} B", below > 0 ? fmt::format("{} and ", below) : "", below + row));
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

namespace {

std::set<int> memories_written(const Unit& unit) {
  std::set<int> memories;
  for (const Route& route : unit.routes) memories.insert(route.target);
  for (const Capability& capability : unit.capabilities) {
    for (const Statement& statement : capability.program.statements)
      memories.insert(capability.operands[static_cast<std::size_t>(statement.target.operand)].memory);
  }
  memories.erase(-1);
  return memories;
}

std::set<int> memories_touched(const Unit& unit) {
  std::set<int> memories = memories_written(unit);
  for (const Route& route : unit.routes) memories.insert(route.source);
  for (const Capability& capability : unit.capabilities) {
    for (const CapabilityOperand& operand : capability.operands) memories.insert(operand.memory);
  }
  memories.erase(-1);
  return memories;
}

}  // namespace

// Each pair of units that share on-chip data needs one semaphore for "full" and one for "free"; where they must be
// shared, an order that looks right can wait for itself.
void check_semaphore_count(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  if (architecture.sync.kind != Sync::Kind::semaphores || architecture.units.size() > 256) return;
  std::int64_t pairs = 0;
  for (const Unit& writer : architecture.units) {
    const std::set<int> written = memories_written(writer);
    for (const Unit& reader : architecture.units) {
      if (&reader == &writer) continue;
      const std::set<int> touched = memories_touched(reader);
      pairs += std::any_of(written.begin(), written.end(), [&](int memory) {
        return !architecture.memories[static_cast<std::size_t>(memory)].off_chip && touched.contains(memory);
      });
    }
  }
  if (architecture.sync.semaphores >= pairs) return;
  elaboration.scope.reporter().report(
      "few-semaphores", elaboration.sync_place,
      fmt::format("{} semaphores for {} directed pairs of units that share on-chip data: prone to deadlock",
                  architecture.sync.semaphores, pairs),
      "at least one for each pair and direction");
}

}  // namespace accord

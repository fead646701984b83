#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

/// Memories that a capability reads and writes. What it accumulates into counts as read unless one of its own
/// statements assigned it before.
struct Flow {
  std::set<int> reads;
  std::set<int> writes;
};

Flow flow_of(const Capability& capability) {
  Flow flow;
  std::set<int> assigned;
  const auto memory = [&](int operand) { return capability.operands[static_cast<std::size_t>(operand)].memory; };
  for (const Statement& statement : capability.program.statements) {
    for (const Access& access : statement.accesses) {
      if (!assigned.contains(access.operand)) flow.reads.insert(memory(access.operand));
    }
    const int target = statement.target.operand;
    if (statement.reduction != Reduction::assign && !assigned.contains(target)) flow.reads.insert(memory(target));
    if (statement.reduction == Reduction::assign) assigned.insert(target);
    flow.writes.insert(memory(target));
  }
  flow.reads.erase(-1);
  flow.writes.erase(-1);
  return flow;
}

class Reach {
 public:
  explicit Reach(Elaboration& elaboration) : elaboration_(elaboration), architecture_(elaboration.architecture) {
    for (std::size_t m = 0; m < architecture_.memories.size(); ++m) {
      if (!architecture_.memories[m].off_chip) continue;
      filled_.insert(static_cast<int>(m));
      drained_.insert(static_cast<int>(m));
    }
    while (grow()) {
    }
  }

  void report() {
    for (std::size_t u = 0; u < architecture_.units.size(); ++u) {
      for (std::size_t c = 0; c < architecture_.units[u].capabilities.size(); ++c) report(u, c);
    }
  }

 private:
  static bool contains(const std::set<int>& all, const std::set<int>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  }

  bool grow() {
    const std::size_t before = filled_.size() + drained_.size();
    for (const Unit& unit : architecture_.units) {
      for (const Route& route : unit.routes) {
        if (filled_.contains(route.source)) filled_.insert(route.target);
        if (drained_.contains(route.target)) drained_.insert(route.source);
      }
      for (const Capability& capability : unit.capabilities) {
        const Flow flow = flow_of(capability);
        const auto drains = [&](int memory) { return drained_.contains(memory); };
        if (contains(filled_, flow.reads)) filled_.insert(flow.writes.begin(), flow.writes.end());
        if (std::any_of(flow.writes.begin(), flow.writes.end(), drains))
          drained_.insert(flow.reads.begin(), flow.reads.end());
      }
    }
    return filled_.size() + drained_.size() > before;
  }

  void report(std::size_t u, std::size_t c) {
    const Unit& unit = architecture_.units[u];
    const Flow flow = flow_of(unit.capabilities[c]);
    const std::string name = fmt::format("{}.{}", unit.name, unit.capabilities[c].name);
    const Place& place = elaboration_.units[u].capability_places[c];
    for (const int memory : flow.reads) {
      if (filled_.insert(memory).second) {
        report(place, memory,
               fmt::format("`{}` reads `{}`, which no data can reach from off-chip memory {}", name,
                           memory_name(memory), off_chip()),
               "a route towards it, or a capability that writes it");
      }
    }
    for (const int memory : flow.writes) {
      if (drained_.insert(memory).second) {
        report(place, memory,
               fmt::format("`{}` writes `{}`, from which no data can reach off-chip memory {}", name,
                           memory_name(memory), off_chip()),
               "a route out of it, or a mover's capability that reads it");
      }
    }
  }

  void report(const Place& place, int memory, std::string message, std::string_view missing) {
    Reporter& reporter = elaboration_.scope.reporter();
    reporter.report("unreachable", place, std::move(message), fmt::format("what is missing: {}", missing))
        .notes.push_back(reporter.note(elaboration_.memory_places[static_cast<std::size_t>(memory)], "the memory"));
  }

  const std::string& memory_name(int memory) const {
    return architecture_.memories[static_cast<std::size_t>(memory)].name;
  }

  std::string off_chip() const {
    std::vector<std::string> names;
    for (const Memory& memory : architecture_.memories) {
      if (memory.off_chip) names.push_back(fmt::format("`{}`", memory.name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  Elaboration& elaboration_;
  const Architecture& architecture_;
  std::set<int> filled_;   ///< memories that data from off-chip memory can come to
  std::set<int> drained_;  ///< memories whose data can come to off-chip memory
};

}  // namespace

void check_reach(Elaboration& elaboration) {
  const auto& memories = elaboration.architecture.memories;
  if (std::none_of(memories.begin(), memories.end(), [](const Memory& m) { return m.off_chip; })) return;
  Reach(elaboration).report();
}

}  // namespace accord

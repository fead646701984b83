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
    collect_steps();
    fill();
    drain();
  }

  void report() {
    for (std::size_t u = 0; u < architecture_.units.size(); ++u) {
      for (std::size_t c = 0; c < architecture_.units[u].capabilities.size(); ++c) report(u, c);
    }
  }

 private:
  using Users = std::vector<std::vector<std::size_t>>;  ///< per memory: steps

  void collect_steps() {
    for (const Unit& unit : architecture_.units) {
      for (const Route& route : unit.routes) {
        steps_.push_back({{route.source}, {route.target}});
        steps_.back().writes.insert(route.also.begin(), route.also.end());
      }
      for (const Capability& capability : unit.capabilities) steps_.push_back(flow_of(capability));
    }
  }

  Users users(std::set<int> Flow::*side) const {
    Users result(architecture_.memories.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const int memory : steps_[s].*side) result[static_cast<std::size_t>(memory)].push_back(s);
    }
    return result;
  }

  std::vector<int> off_chip_memories() const {
    std::vector<int> result;
    for (std::size_t m = 0; m < architecture_.memories.size(); ++m) {
      if (architecture_.memories[m].off_chip) result.push_back(static_cast<int>(m));
    }
    return result;
  }

  static void arrive(const std::set<int>& memories, std::set<int>& known, std::vector<int>& next) {
    for (const int memory : memories) {
      if (known.insert(memory).second) next.push_back(memory);
    }
  }

  /// A step's results are there once all that it reads is.
  void fill() {
    const Users readers = users(&Flow::reads);
    std::vector<std::size_t> missing;
    std::vector<int> next = off_chip_memories();
    filled_.insert(next.begin(), next.end());
    for (const Flow& step : steps_) {
      missing.push_back(step.reads.size());
      if (step.reads.empty()) arrive(step.writes, filled_, next);
    }
    while (!next.empty()) {
      const auto memory = static_cast<std::size_t>(next.back());
      next.pop_back();
      for (const std::size_t step : readers[memory]) {
        if (--missing[step] == 0) arrive(steps_[step].writes, filled_, next);
      }
    }
  }

  void drain() {
    const Users writers = users(&Flow::writes);
    std::vector<int> next = off_chip_memories();
    drained_.insert(next.begin(), next.end());
    while (!next.empty()) {
      const auto memory = static_cast<std::size_t>(next.back());
      next.pop_back();
      for (const std::size_t step : writers[memory]) arrive(steps_[step].reads, drained_, next);
    }
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
  std::vector<Flow> steps_;
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

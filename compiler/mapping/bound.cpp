#include "compiler/mapping/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/compulsory.h"
#include "compiler/mapping/link_bound.h"
#include "compiler/mapping/mover_bound.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

/// Bytes per reference cycle of everything that meets off-chip memory, each wire once.
class OffChipWidth {
 public:
  explicit OffChipWidth(const Architecture& architecture) : architecture_(architecture) {
    for (const auto& unit : architecture.units) {
      for (const auto& route : unit.routes) add_route(route);
      add_capabilities(unit);
    }
  }

  /// Whether reads and writes share wires, so that earlier results may be written while the last is computed.
  bool shares() const { return shared_ > 0; }

  double both_ways() const { return shared_ + apart_; }

  /// Cycles that the bytes need, were they spread perfectly.
  std::int64_t cycles(std::int64_t read, std::int64_t written) const {
    if (shared_ + apart_ == 0) return 0;
    const std::int64_t bytes = apart_ == 0 ? read + written : std::max(read, written);
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / (shared_ + apart_) * (1 - 1e-12)));
  }

 private:
  bool off_chip(int memory) const { return memory >= 0 && architecture_.memories[memory].off_chip; }

  /// A crossbar counts once for each off-chip memory.
  void add_link(int index, int memory) {
    const Link& link = architecture_.links[index];
    if (!links_.emplace(index, link.crossbar ? memory : -1).second) return;
    (link.duplex || link.crossbar ? apart_ : shared_) += bytes_per_cycle(link);
  }

  void add_route(const Route& route) {
    if (route.links.empty()) {
      if (off_chip(route.source) || off_chip(route.target)) apart_ += bytes_per_cycle(architecture_, route);
      return;
    }
    if (off_chip(route.source)) add_link(route.links.front(), route.source);
    if (off_chip(route.target)) add_link(route.links.back(), route.target);
  }

  /// A mover's capabilities use its link, or its first route's wire, or one of their own; a compute unit the ports.
  void add_capabilities(const Unit& unit) {
    std::set<int> memories;
    for (const auto& capability : unit.capabilities) {
      for (const auto& operand : capability.operands) {
        if (off_chip(operand.memory)) memories.insert(operand.memory);
      }
    }
    if (memories.empty()) return;
    const int link = off_chip_link(architecture_, unit);
    if (unit.kind == UnitKind::mover && link < 0) {
      apart_ += unit.routes.empty() ? per_reference_cycle(unit.request, unit.period)
                                    : bytes_per_cycle(architecture_, unit.routes.front());
      return;
    }
    for (const int memory : memories) {
      if (unit.kind == UnitKind::mover) {
        add_link(link, memory);
      } else if (ports_.insert(memory).second) {
        const Memory& m = architecture_.memories[memory];
        apart_ += per_reference_cycle(m.word, word_period(m)) * m.banks * std::max(m.read_ports, m.write_ports);
      }
    }
  }

  const Architecture& architecture_;
  std::set<std::pair<int, int>> links_;
  std::set<int> ports_;
  double shared_ = 0, apart_ = 0;
};

/// Cycles of an operation beside its interval, at extents of 1, whatever it loads of held operands: none or all.
std::int64_t around_of(const Unit& unit, const Capability& capability) {
  std::int64_t own = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t loads : {0, 1}) {
    std::vector<std::int64_t> ones(capability.dims.size(), 1);
    for (const auto& operand : capability.operands) {
      if (operand.held) ones.push_back(loads);
    }
    own = std::min(own, capability.start.evaluate(ones) + capability.drain.evaluate(ones));
  }
  return std::max<std::int64_t>(unit.period.cycles(own), 0);
}

/// Cycles of a byte's way over hops, each begun when the one before has brought it: set-up, the first word, one beat.
std::int64_t way_of(const Architecture& architecture, const std::vector<Hop>& hops, std::size_t first) {
  std::int64_t cycles = 0;
  for (std::size_t h = first; h < hops.size(); ++h) {
    const Unit& unit = architecture.units[hops[h].unit];
    const Route& route = unit.routes[hops[h].route];
    cycles += unit.period.cycles(unit.setup) + latency_of(architecture.memories[route.source]) +
              way_latency(architecture, route) + 1;
  }
  return cycles;
}

/// The least that any assignment takes.
struct MainWork {
  std::int64_t compute = INT64_MAX;  ///< of its units, and what must follow until the last result is off chip
  std::int64_t busy = INT64_MAX;     ///< the same, or of the wires and movers that its operands pass, with what is left
                                     ///< of the last byte's way
  std::int64_t issue = INT64_MAX;    ///< until the controller has issued all, and what must follow
  std::int64_t passage = INT64_MAX;  ///< of the last byte read, through the main statement, to the last byte written
  std::int64_t ending = INT64_MAX;   ///< the same where that byte is read by any statement
  bool waits = true;                 ///< for an operand that a mover brings
  bool apart = true;                 ///< its unit moves no off-chip byte itself
};

/// What a step's operation takes beside its interval before the next step may begin. On one unit that follows when the
/// interval is over.
std::int64_t around_before_next(const Machine& machine, const Mapping& mapping, int step) {
  const Match& match = mapping.steps[step].match;
  const bool goes_on = step < last_step(mapping) && mapping.steps[step + 1].match.unit == match.unit;
  return goes_on ? 0 : around_of(machine.architecture.units[match.unit], machine.capability(match));
}

/// Without the step that sets what sums begin with, if there is one: it may be over before what the main one waits for
/// is there.
std::optional<Mapping> without_start(const Mapping& mapping) {
  if (starting_step(mapping) < 0) return std::nullopt;
  Mapping rest = mapping;
  rest.steps.pop_back();
  return rest;
}

/// What one assignment takes at least.
MainWork work_of(const Machine& machine, const Mapping& mapping) {
  const Architecture& architecture = machine.architecture;
  const Unit& unit = architecture.units[mapping.steps[0].match.unit];
  const std::int64_t around = around_before_next(machine, mapping, 0);
  MainWork work;
  work.waits = false;
  work.apart = unit.kind == UnitKind::compute;
  std::int64_t to_main = INT64_MAX, to_any = INT64_MAX, out = INT64_MAX;
  for (const auto& use : mapping.uses) {
    if (use.role == UseRole::output) {
      // The last beat is counted with the bytes written.
      out = std::min(out, std::max<std::int64_t>(way_of(architecture, use.hops, 0) - 1, 0));
    } else if (use.role == UseRole::input || use.role == UseRole::start) {
      const std::int64_t in = way_of(architecture, use.hops, 1);
      to_any = std::min(to_any, in);
      if (use.step == 0) to_main = std::min(to_main, in);
    }
    if (use.step != 0 || use.role == UseRole::accumulator) continue;
    const bool from_off_chip = use.home >= 0 && architecture.memories[use.home].off_chip;
    work.waits = work.waits || (use.role != UseRole::output && !use.hops.empty() && from_off_chip);
    work.apart = work.apart && !architecture.memories[use.memory].off_chip;
  }
  if (out == INT64_MAX) out = 0;
  std::int64_t after = out;  // element-wise steps follow the main one's last result, one after another
  for (int s = 1; s <= last_step(mapping); ++s) after += around_before_next(machine, mapping, s);
  const std::int64_t last = around_before_next(machine, mapping, last_step(mapping));
  const std::optional<Mapping> rest = without_start(mapping);
  const Mapping& begun = rest ? *rest : mapping;
  const bool one_unit = std::all_of(begun.steps.begin(), begun.steps.end(), [&](const StatementPlan& step) {
    return step.match.unit == mapping.steps[0].match.unit;
  });
  const std::int64_t busiest = compute_bound(machine, begun, all_units, Counts::intervals);
  const std::int64_t of_main = main_bound(machine, mapping, all_units, Counts::intervals);
  work.compute = one_unit ? busiest + last + out : std::max(of_main + around + after, busiest);
  // Instructions issue while the first data come.
  work.issue = issue_bound(machine, mapping) + last + out;
  work.passage = (to_main == INT64_MAX ? 0 : to_main) + around + after;
  work.ending = (to_any == INT64_MAX ? 0 : to_any) + last + out;
  return work;
}

/// `one_way`: no wire carries both reads and writes.
MainWork main_work(const Machine& machine, const PassageFinder& finder, bool one_way,
                   const std::vector<Mapping>& candidates) {
  const LinkBound links(machine, finder);
  const MoverBound movers(machine, finder);
  MainWork least;
  for (const auto& mapping : candidates) {
    const MainWork work = work_of(machine, mapping);
    least.compute = std::min(least.compute, std::max(work.compute, work.issue));
    least.issue = std::min(least.issue, work.issue);
    if (work.compute < least.busy) {
      const std::vector<Passage> passages = finder.of(mapping);
      const std::int64_t wires = links.cycles(passages) + (one_way && work.apart ? work.ending : 0);
      least.busy = std::min(least.busy, std::max({work.compute, wires, movers.cycles(passages)}));
    }
    least.passage = std::min(least.passage, work.passage);
    least.ending = std::min(least.ending, work.ending);
    least.waits = least.waits && work.waits;
    least.apart = least.apart && work.apart;
  }
  return least;
}

/// Cycles to the first byte of off-chip memory; 0 where a compute unit reads it without a request.
std::int64_t first_byte(const Architecture& architecture) {
  std::int64_t latency = INT64_MAX;
  for (const auto& memory : architecture.memories) {
    if (memory.off_chip) latency = std::min(latency, latency_of(memory));
  }
  for (const auto& unit : architecture.units) {
    if (unit.kind != UnitKind::compute) continue;
    for (const auto& capability : unit.capabilities) {
      const bool direct = std::any_of(capability.operands.begin(), capability.operands.end(), [&](const auto& operand) {
        return operand.memory >= 0 && architecture.memories[operand.memory].off_chip;
      });
      if (direct) return 0;
    }
  }
  return latency == INT64_MAX ? 0 : latency;
}

/// Cycles that the bytes need at the ports of all off-chip memories, a DRAM's data buses among them: those read and
/// those written at their own ports, or all at shared ones.
std::int64_t port_cycles(const Architecture& architecture, const CompulsoryTraffic& traffic, std::int64_t latency) {
  double in = 0, out = 0, both = 0;
  for (const Memory& memory : architecture.memories) {
    if (!memory.off_chip) continue;
    const double port = memory.banks * per_reference_cycle(memory.word, word_period(memory));
    in += port * memory.read_ports;
    out += port * memory.write_ports;
    both += peak_rate(memory);
  }
  const auto cycles = [](std::int64_t bytes, double rate) {
    return bytes == 0 ? 0 : static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / rate * (1 - 1e-12)));
  };
  return std::max({traffic.read == 0 ? 0 : latency + cycles(traffic.read, in), cycles(traffic.written, out),
                   cycles(traffic.read + traffic.written, both)});
}

}  // namespace

std::int64_t macs_of(const Work& work) {
  for (const auto& statement : work.program.statements) {
    if (statement.reduction != Reduction::add || statement.value->op != ExprOp::mul) continue;
    std::int64_t points = 1;
    for (const int it : iterators_of(statement)) points *= work.program.iterators[it].extent;
    return points;
  }
  return 0;
}

double off_chip_width(const Architecture& architecture) { return OffChipWidth(architecture).both_ways(); }

Bound bound_of(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
               const std::vector<Mapping>& candidates) {
  Bound bound;
  if (candidates.empty()) return bound;
  const CompulsoryTraffic traffic = compulsory(network, work, homes, candidates.front().steps[0].statement);
  bound.compulsory_bytes = traffic.read + traffic.written;
  const OffChipWidth width(machine.architecture);
  const MainWork main = main_work(machine, PassageFinder(machine, network, work), !width.shares(), candidates);
  const std::int64_t latency = first_byte(machine.architecture);
  const std::int64_t computed = (main.waits ? latency : 0) + main.busy;
  // What is read last, or the first that is written, leaves the rest of its way to pass.
  const bool passes = !width.shares() && main.apart;
  const auto way = [&](std::int64_t read, std::int64_t rest) { return read == 0 ? 0 : latency + (passes ? rest : 0); };
  const std::int64_t moved = width.cycles(traffic.read, traffic.written) + way(traffic.read, main.ending);
  const std::int64_t through = width.cycles(traffic.before, traffic.written) + way(traffic.before, main.passage);
  bound.cycles = std::max({computed, main.issue, moved, through, port_cycles(machine.architecture, traffic, latency)});
  bound.compute_cycles = main.compute;
  return bound;
}

}  // namespace accord

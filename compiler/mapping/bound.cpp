#include "compiler/mapping/bound.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

/// Number of positions of one index that the iterators reach inside the tensor.
std::int64_t distinct(const AffineIndex& index, const TensorProgram& program, std::int64_t size) {
  std::vector<std::int64_t> values = {index.offset};
  for (const auto& [it, coefficient] : index.terms) {
    std::set<std::int64_t> next;
    for (const auto value : values) {
      for (std::int64_t i = 0; i < program.iterators[it].extent; ++i) next.insert(value + coefficient * i);
    }
    values.assign(next.begin(), next.end());
  }
  return std::count_if(values.begin(), values.end(), [&](std::int64_t v) { return v >= 0 && v < size; });
}

std::int64_t distinct_bytes(const Network& network, const Work& work, const Access& access) {
  const Tensor& tensor = network.tensors[work.operands[access.operand].tensor];
  std::int64_t count = bytes(tensor.type);
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    count *= distinct(access.indices[i], work.program, tensor.shape[i]);
  }
  return count;
}

/// Distinct bytes read from and written to off-chip memory; intermediate results stay on chip.
struct Traffic {
  std::int64_t read = 0;
  std::int64_t before = 0;  ///< of `read`: what the main statement, or its initial values, need
  std::int64_t written = 0;
};

Traffic compulsory(const Network& network, const Work& work, int main) {
  Traffic traffic;
  std::set<int> written, counted;
  for (const auto& statement : work.program.statements) written.insert(statement.target.operand);
  for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
    for (const auto& access : work.program.statements[s].accesses) {
      const bool external = work.operands[access.operand].tensor != no_tensor && written.count(access.operand) == 0;
      if (external && counted.insert(access.operand).second) traffic.read += distinct_bytes(network, work, access);
    }
    if (static_cast<int>(s) <= main) traffic.before = traffic.read;
  }
  const Access& result = work.program.statements.back().target;
  if (work.operands[result.operand].tensor != no_tensor) traffic.written = distinct_bytes(network, work, result);
  return traffic;
}

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
    if (unit.kind == UnitKind::mover && unit.link < 0) {
      apart_ += unit.routes.empty() ? per_reference_cycle(unit.request, unit.period)
                                    : bytes_per_cycle(architecture_, unit.routes.front());
      return;
    }
    for (const int memory : memories) {
      if (unit.kind == UnitKind::mover) {
        add_link(unit.link, memory);
      } else if (ports_.insert(memory).second) {
        const Memory& m = architecture_.memories[memory];
        apart_ += per_reference_cycle(m.word, m.period) * m.banks * std::max(m.read_ports, m.write_ports);
      }
    }
  }

  const Architecture& architecture_;
  std::set<std::pair<int, int>> links_;
  std::set<int> ports_;
  double shared_ = 0, apart_ = 0;
};

/// The least that any assignment takes for the main statement.
struct MainWork {
  std::int64_t compute = INT64_MAX;
  std::int64_t around = INT64_MAX;  ///< start and drain
  bool waits = true;                ///< for an operand that a mover brings
  bool apart = true;                ///< its unit moves no off-chip byte itself
};

MainWork main_work(const Machine& machine, const std::vector<Mapping>& candidates) {
  MainWork least;
  for (const auto& mapping : candidates) {
    const Capability& capability = machine.capability(mapping.steps[0].match);
    const Unit& unit = machine.architecture.units[mapping.steps[0].match.unit];
    std::vector<std::int64_t> ones(capability.dims.size(), 1);
    for (const auto& operand : capability.operands) {
      if (operand.held) ones.push_back(1);
    }
    least.compute = std::min(least.compute, compute_bound(machine, mapping));
    least.around =
        std::min(least.around, unit.period.cycles(capability.start.evaluate(ones) + capability.drain.evaluate(ones)));
    bool waits = false, apart = unit.kind == UnitKind::compute;
    for (const auto& use : mapping.uses) {
      if (use.step != 0 || use.role == UseRole::accumulator) continue;
      waits = waits || (use.role != UseRole::output && !use.hops.empty());
      apart = apart && !machine.architecture.memories[use.memory].off_chip;
    }
    least.waits = least.waits && waits;
    least.apart = least.apart && apart;
  }
  least.around = std::max<std::int64_t>(least.around, 0);
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

Bound bound_of(const Machine& machine, const Network& network, const Work& work,
               const std::vector<Mapping>& candidates) {
  Bound bound;
  if (candidates.empty()) return bound;
  const Traffic traffic = compulsory(network, work, candidates.front().steps[0].statement);
  bound.compulsory_bytes = traffic.read + traffic.written;
  const MainWork main = main_work(machine, candidates);
  const OffChipWidth width(machine.architecture);
  const std::int64_t latency = first_byte(machine.architecture);
  const std::int64_t computed = (main.waits ? latency : 0) + main.compute + main.around;
  const std::int64_t moved = latency + width.cycles(traffic.read, traffic.written);
  // The last byte that the main statement reads, or the first that it writes, leaves its whole pipeline to pass.
  const bool passes = !width.shares() && main.apart;
  const std::int64_t through = latency + width.cycles(traffic.before, traffic.written) + (passes ? main.around : 0);
  bound.cycles = std::max({computed, moved, through});
  return bound;
}

}  // namespace accord

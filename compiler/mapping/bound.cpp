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
  std::int64_t written = 0;
};

Traffic compulsory(const Network& network, const Work& work) {
  Traffic traffic;
  std::set<int> written, counted;
  for (const auto& statement : work.program.statements) written.insert(statement.target.operand);
  for (const auto& statement : work.program.statements) {
    for (const auto& access : statement.accesses) {
      const bool external = work.operands[access.operand].tensor != no_tensor && written.count(access.operand) == 0;
      if (external && counted.insert(access.operand).second) traffic.read += distinct_bytes(network, work, access);
    }
  }
  const Access& result = work.program.statements.back().target;
  if (work.operands[result.operand].tensor != no_tensor) traffic.written = distinct_bytes(network, work, result);
  return traffic;
}


/// Cycles that the traffic needs on everything that leads to off-chip memory, were it spread perfectly. `overlaps`
/// tells whether reads and writes share wires, so that earlier results may be written while the last is computed.
std::int64_t transfer_cycles(const Architecture& architecture, const Traffic& traffic, bool& overlaps) {
  double shared = 0, duplex = 0;
  std::set<std::pair<int, int>> links;  // those that meet off-chip memory; a crossbar once for each such memory
  for (const auto& unit : architecture.units) {
    for (const auto& route : unit.routes) {
      const Memory& source = architecture.memories[route.source];
      const Memory& target = architecture.memories[route.target];
      if (!source.off_chip && !target.off_chip) continue;
      if (route.links.empty()) {
        duplex += bytes_per_cycle(architecture, route);
        continue;
      }
      const int index = source.off_chip ? route.links.front() : route.links.back();
      const Link& link = architecture.links[index];
      const int port = link.crossbar ? (source.off_chip ? route.source : route.target) : -1;
      if (links.emplace(index, port).second) {
        (link.duplex || link.crossbar ? duplex : shared) += bytes_per_cycle(link);
      }
    }
  }
  overlaps = shared > 0;
  if (shared + duplex == 0) return 0;
  const std::int64_t bytes = duplex == 0 ? traffic.read + traffic.written : std::max(traffic.read, traffic.written);
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / (shared + duplex) * (1 - 1e-12)));
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
  const Traffic traffic = compulsory(network, work);
  bound.compulsory_bytes = traffic.read + traffic.written;
  std::int64_t compute = INT64_MAX;
  std::int64_t around = INT64_MAX;
  for (const auto& mapping : candidates) {
    const Capability& capability = machine.capability(mapping.steps[0].match);
    compute = std::min(compute, compute_bound(machine, mapping));
    std::vector<std::int64_t> ones(capability.dims.size(), 1);
    for (const auto& operand : capability.operands) {
      if (operand.held) ones.push_back(1);
    }
    const Period& period = machine.architecture.units[mapping.steps[0].match.unit].period;
    around = std::min(around, period.cycles(capability.start.evaluate(ones) + capability.drain.evaluate(ones)));
  }
  std::int64_t latency = INT64_MAX;
  for (const auto& memory : machine.architecture.memories) {
    if (memory.off_chip) latency = std::min(latency, latency_of(memory));
  }
  bool overlaps = false;
  const std::int64_t transfers = transfer_cycles(machine.architecture, traffic, overlaps);
  around = std::max<std::int64_t>(around, 0);
  bound.cycles = overlaps ? std::max(compute + around, transfers) : std::max(compute, transfers) + around;
  if (latency != INT64_MAX) bound.cycles += latency;
  return bound;
}

}  // namespace accord

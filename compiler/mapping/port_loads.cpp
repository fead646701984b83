#include "compiler/mapping/port_loads.h"

#include <cmath>
#include <numeric>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "archdsl/tensor/stride.h"

namespace accord {

namespace {

/// Of each dim that an operand moves along.
using Strides = boost::container::small_vector<Stride, 8>;

}  // namespace

std::int64_t port_cycles(const Architecture& architecture, const Capability& capability,
                         std::span<const std::int64_t> chunk) {
  std::int64_t most = 0;
  const int target = capability.program.statements.back().target.operand;
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const CapabilityOperand& operand = capability.operands[o];
    if (operand.memory < 0 || operand.held || static_cast<int>(o) == target) continue;
    Strides wired;
    for (std::size_t d = 0; d < capability.dims.size(); ++d) {
      if (chunk[d] <= 1) continue;
      const std::int64_t step = wired_step(capability, static_cast<int>(o), static_cast<int>(d));
      if (step > 0) wired.push_back({chunk[d], step});
    }
    merge_windows(wired);
    std::int64_t run = bytes(capability.program.operands[o].type), runs = 1;
    for (const auto& [count, step] : wired) {
      // Steps within the run overlap it: they count as the run alone.
      if (step == run && runs == 1) run *= count;
      if (step > run) runs *= count;
    }
    const Memory& memory = architecture.memories[operand.memory];
    const std::int64_t words = runs * ceil_div(run, memory.word);
    const std::int64_t ports = static_cast<std::int64_t>(memory.banks) * memory.read_ports;
    most = std::max(most, word_period(memory).cycles(ceil_div(words, ports)));
  }
  return most;
}

namespace {

/// Words that a run of bytes covers, over all places in a word that are multiples of `between`, which divides it.
double mean_words(std::int64_t run, std::int64_t between, std::int64_t word) {
  const std::int64_t most = ceil_div(run, word), places = word / between;
  const std::int64_t within = (most * word - run) / between + 1;  // places from which it ends in the last of so many
  return static_cast<double>(most) + static_cast<double>(places - within) / static_cast<double>(places);
}

/// What an instruction touches of an operand: words run by run, and the bytes from the first to the last.
struct Touched {
  double words = 0;
  std::int64_t extent = 0;
};

/// The greatest part of a word that instructions over the box begin at multiples of.
std::int64_t common_place(const Mapping& mapping, const StepShape& shape, const UseView& view, const Extents& box,
                          std::int64_t word) {
  std::int64_t place = word;
  for (const int it : shape.loops) place = std::gcd(place, view_step(mapping, view, it));
  for (const auto& dim : shape.dims) {
    if (dim.flat <= dim.maximum) continue;
    const auto moving = std::find_if(dim.counted.rbegin(), dim.counted.rend(), [&](int it) { return box[it] > 1; });
    place = std::gcd(place, view_step(mapping, view, *moving) * dim.maximum);
  }
  return place;
}

/// By an instruction counting `chunk` of each dim.
Touched touched_by(const Mapping& mapping, const StepShape& shape, const UseView& view, const Extents& box,
                   const std::vector<std::int64_t>& chunk, std::int64_t word) {
  Strides dims;
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    if (chunk[d] == 1) continue;
    const auto& counted = shape.dims[d].counted;
    const auto moving = std::find_if(counted.rbegin(), counted.rend(), [&](int it) { return box[it] > 1; });
    if (moving == counted.rend()) continue;
    const std::int64_t step = std::abs(view_step(mapping, view, *moving));
    if (step > 0) dims.push_back({chunk[d], step});
  }
  merge_windows(dims);
  std::int64_t run = bytes(mapping.uses[view.use].type), runs = 1, extent = run;
  std::int64_t between = common_place(mapping, shape, view, box, word);
  for (const auto& [count, step] : dims) {
    extent += (count - 1) * step;
    if (runs == 1 && step <= run) {
      run += (count - 1) * step;
    } else {
      runs *= count;
      between = std::gcd(between, step);
    }
  }
  return {static_cast<double>(runs) * mean_words(run, between, word), extent};
}

/// Whether the instruction finds the held operand where an earlier one has loaded it: the flags of held operands stand
/// behind the dims.
bool is_kept(const Capability& capability, int operand, const std::vector<std::int64_t>& formula_values) {
  if (!capability.operands[operand].held) return false;
  const auto before = std::count_if(capability.operands.begin(), capability.operands.begin() + operand,
                                    [](const CapabilityOperand& other) { return other.held; });
  return formula_values[capability.dims.size() + static_cast<std::size_t>(before)] == 0;
}

}  // namespace

std::int64_t port_cycles(const Memory& memory, const PortLoad& load) {
  const auto cycles = [&](std::int64_t words, std::int64_t most, int ports) {
    const std::int64_t spread = ceil_div(words, std::int64_t{ports} * memory.banks);
    return memory.period.cycles(memory.off_chip ? spread : std::max(spread, ceil_div(most, ports)));
  };
  if (memory.shared_ports) return cycles(load.read + load.written, load.most_moved, memory.read_ports);
  return std::max(cycles(load.read, load.most_read, memory.read_ports),
                  cycles(load.written, load.most_written, memory.write_ports));
}

PortWords port_words(const Machine& machine, const Mapping& mapping, const StatementPlan& plan, const StepShape& shape,
                     const UseView& view, const Extents& box, const std::vector<std::int64_t>& formula_values) {
  const Use& use = mapping.uses[view.use];
  const Memory& memory = machine.architecture.memories[use.memory];
  const bool mover = machine.architecture.units[plan.match.unit].kind == UnitKind::mover;
  const bool requested = memory.off_chip && (mover || memory.dram);
  if (requested || is_kept(machine.capability(plan.match), use.operand, formula_values)) return {};
  const Touched touched = touched_by(mapping, shape, view, box, formula_values, memory.word);
  const bool result = use.role == UseRole::accumulator || use.role == UseRole::output;
  const std::int64_t banks = std::clamp<std::int64_t>(ceil_div(touched.extent, memory.bank_bytes()), 1, memory.banks);
  return {use.role == UseRole::output ? 0 : touched.words, result ? touched.words : 0, banks};
}

PortLoads port_loads(const Machine& machine, const Mapping& mapping, const StatementPlan& plan, const StepShape& shape,
                     const std::vector<UseView>& views, const Extents& box,
                     const std::vector<std::int64_t>& formula_values) {
  PortLoads loads;
  for (const auto& view : views) {
    const PortWords words = port_words(machine, mapping, plan, shape, view, box, formula_values);
    if (words.read + words.written == 0) continue;
    const Use& use = mapping.uses[view.use];
    auto load = std::ranges::find(loads, use.memory, &PortLoad::memory);
    if (load == loads.end()) load = loads.insert(load, {use.memory});
    load->add(words, machine.capability(plan.match).operands[use.operand].held);
  }
  return loads;
}

}  // namespace accord

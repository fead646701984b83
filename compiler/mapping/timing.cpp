#include "compiler/mapping/timing.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "archdsl/tensor/stride.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/port_loads.h"

namespace accord {

std::int64_t hop_latency(const Architecture& architecture, const Hop& hop) {
  const Unit& unit = architecture.units[hop.unit];
  const Route& route = unit.routes[hop.route];
  return unit.period.cycles(unit.setup) + latency_of(architecture.memories[route.source]) +
         way_latency(architecture, route);
}

namespace {

/// Bytes that lie together at the target.
std::int64_t target_run(const TransferPiece& piece) {
  std::int64_t run = piece.extent[0];
  for (std::size_t d = 1; d < piece.extent.size(); ++d) {
    if (piece.extent[d] == 1) continue;
    if (piece.target_stride[d] != run) break;
    run *= piece.extent[d];
  }
  return run;
}

double words_on_chip(const Memory& memory, double runs, std::int64_t run) {
  return memory.off_chip ? 0 : runs * static_cast<double>(ceil_div(run, memory.word));
}

/// Reference cycles that ports need for runs of so many bytes. Neighbouring words off chip lie in different banks; a
/// tile on chip lies in one bank where it can.
double run_cycles(const Memory& memory, std::int64_t ports, double runs, std::int64_t run) {
  const std::int64_t words = ceil_div(run, memory.word);
  if (!memory.off_chip) {
    return static_cast<double>(memory.period.cycles(
        static_cast<std::int64_t>(std::ceil(runs * static_cast<double>(words) / static_cast<double>(ports)))));
  }
  if (memory.dram) return 0;  // RequestTiming::dram
  ports *= memory.banks;
  return runs * static_cast<double>(memory.period.cycles(ceil_div(words, ports)));
}

/// Requests that keep their places in flight for as long as an answer is away: `reads`, and those of all `presented`
/// that repeat them, which come at once after what they repeat and take the places that are left.
double awaited_requests(const TransferPiece& piece, double reads, double presented, int in_flight) {
  if (piece.source_bytes == piece.bytes) return reads;
  double groups = 1;  // of reads, each repeated before the next comes
  bool repeats = false;
  for (std::size_t d = 1; d < piece.extent.size(); ++d) {
    repeats |= piece.extent[d] > 1 && piece.source_stride[d] == 0;
    if (repeats && piece.source_stride[d] != 0) groups *= static_cast<double>(piece.extent[d]);
  }
  const double places = std::max(static_cast<double>(in_flight), reads / groups);
  return groups * std::min(presented / groups, places);
}

/// What the piece asks of the DRAM at one of its ends.
DramWalk dram_walk(const TransferPiece& piece, const RequestTiming& requests, bool writes) {
  DramWalk walk{std::max<std::int64_t>(piece.extent[0], 1), {}, requests.count, requests.bytes, writes, piece.joined};
  const auto& steps = writes ? piece.target_stride : piece.source_stride;
  for (std::size_t d = 1; d < piece.extent.size(); ++d) {
    if (piece.extent[d] > 1 && steps[d] != 0) walk.dims.push_back({piece.extent[d], steps[d]});
  }
  return walk;
}

void ask(RequestTiming& requests, const Memory& memory, const DramWalk& walk, const Unit& unit) {
  requests.dram = dram_traffic(memory, walk, unit.in_flight);
  requests.stream = requests.dram.cycles * crowding(memory, walk, unit.in_flight);
}

RequestTiming requests_of(const Architecture& architecture, const Hop& hop, const TransferPiece& piece) {
  const Unit& unit = architecture.units[hop.unit];
  const Route& route = unit.routes[hop.route];
  const bool stores = architecture.memories[route.target].off_chip;
  const std::int64_t together = stores ? target_run(piece) : piece.contiguous;
  RequestTiming requests;
  // A run that is longer than a request takes several, the last of what is left: all of mean size here.
  const std::int64_t run = std::max<std::int64_t>(together, 1), in_run = ceil_div(run, unit.request);
  requests.bytes = ceil_div(run, in_run);
  const auto each = static_cast<double>(requests.bytes);
  const auto moved = static_cast<double>(stores ? piece.bytes : piece.source_bytes);
  requests.count = std::ceil(moved / static_cast<double>(run) * static_cast<double>(in_run));
  double beats = 1;
  if (route.links.empty()) beats = std::max(beats, request_beats(private_wire(architecture, route), each));
  for (const int link : route.links) beats = std::max(beats, request_beats(architecture.links[link], each));
  requests.link = requests.count * beats;
  const Memory& memory = architecture.memories[stores ? route.target : route.source];
  if (memory.dram) ask(requests, memory, dram_walk(piece, requests, stores), unit);
  return requests;
}

}  // namespace

double request_beats(const Link& link, double bytes) {
  return static_cast<double>(
      link.period.cycles(static_cast<std::int64_t>(std::ceil(bytes / static_cast<double>(link.width)))));
}

TransferTiming transfer_timing(const Architecture& architecture, const Hop& hop, const TransferPiece& piece) {
  const Unit& unit = architecture.units[hop.unit];
  const Route& route = unit.routes[hop.route];
  const Memory &source = architecture.memories[route.source], &target = architecture.memories[route.target];
  TransferTiming timing;
  timing.requests = requests_of(architecture, hop, piece);
  const double requests = timing.requests.count;
  const std::int64_t chunk = timing.requests.bytes;
  const std::int64_t latency = latency_of(source) + way_latency(architecture, route);
  const double read = std::max(run_cycles(source, source.read_ports, 1, chunk), timing.requests.link / requests);
  timing.answer = static_cast<double>(latency + word_period(target).cycles(1)) + std::ceil(read);
  const std::int64_t row = std::max<std::int64_t>(piece.extent[0], 1);
  const double rows = static_cast<double>(piece.bytes) / static_cast<double>(row);
  const double rows_read = static_cast<double>(piece.source_bytes) / static_cast<double>(row);
  const double reads = source.off_chip ? run_cycles(source, source.read_ports, requests, chunk)
                                       : run_cycles(source, source.read_ports, rows_read, row);
  const double writes = target.off_chip ? run_cycles(target, target.write_ports, requests, chunk)
                                        : run_cycles(target, target.write_ports, rows, row);
  timing.source_words = words_on_chip(source, rows_read, row);
  timing.target_words = words_on_chip(target, rows, row);
  // One per cycle of the mover's clock, also of what it holds already since the source is read over and over.
  const std::int64_t all = ceil_div(piece.bytes, chunk);
  const auto presented = static_cast<double>(unit.period.cycles(all));
  timing.awaited = awaited_requests(piece, requests, static_cast<double>(all), unit.in_flight);
  const double at_once = presented * (1 - timing.awaited / static_cast<double>(all));
  const double in_flight = timing.awaited * timing.answer / static_cast<double>(unit.in_flight) + at_once;
  const double alone = std::max({presented, reads, writes, timing.requests.stream, 1.0});
  const double ends = std::max(in_flight, alone);
  timing.stream = std::max(timing.requests.link, ends);
  timing.hurry = timing.stream - std::max(timing.requests.link, alone);
  timing.apart = std::max(ends, static_cast<double>(unit.period.cycles(unit.setup)));
  timing.busy = std::max(timing.requests.link, timing.apart);
  return timing;
}

std::int64_t latency_around(const Machine& machine, const Match& match,
                            const std::vector<std::int64_t>& formula_values) {
  const Capability& capability = machine.capability(match);
  const Unit& unit = machine.architecture.units[match.unit];
  std::int64_t cycles =
      unit.period.cycles(capability.start.evaluate(formula_values) + capability.drain.evaluate(formula_values));
  if (unit.kind != UnitKind::mover) return cycles;
  // Operands are asked for together, and nobody waits for a write.
  std::int64_t longest = 0;
  const int target = capability.program.statements.back().target.operand;
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const int memory = capability.operands[o].memory;
    if (memory < 0 || static_cast<int>(o) == target) continue;
    longest = std::max(longest, latency_of(machine.architecture.memories[memory]));
  }
  return cycles + unit.period.cycles(unit.setup) + longest;
}

namespace {

/// Bytes of the off-chip operand that an instruction touches, and how many of them lie together.
struct OffChipRun {
  std::int64_t bytes = 0;
  std::int64_t together = 0;
};

OffChipRun off_chip_run(const Mapping& mapping, const StepShape& shape, const UseView& view, const Extents& box,
                        const std::vector<std::int64_t>& chunk) {
  const Use& use = mapping.uses[view.use];
  OffChipRun run{bytes(use.type), bytes(use.type)};
  boost::container::small_vector<Stride, 8> strides;
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    const auto& counted = shape.dims[d].counted;
    const auto moving = std::find_if(counted.rbegin(), counted.rend(), [&](int it) { return box[it] > 1; });
    if (chunk[d] > 1 && moving != counted.rend()) strides.push_back({chunk[d], view_step(mapping, view, *moving)});
  }
  run.together = grown_run(run.together, strides);
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    const auto& counted = shape.dims[d].counted;
    if (std::any_of(counted.begin(), counted.end(), [&](int it) { return depends(use.access, it); }))
      run.bytes *= chunk[d];
  }
  return run;
}

/// The steps of an instruction from one run of its off-chip operand to others.
std::vector<DramWalk::Dim> steps_apart(const Mapping& mapping, const StepShape& shape, const UseView& view,
                                       const Extents& box, const std::vector<std::int64_t>& chunk,
                                       std::int64_t together) {
  std::vector<DramWalk::Dim> apart;
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    const auto& counted = shape.dims[d].counted;
    const auto moving = std::find_if(counted.rbegin(), counted.rend(), [&](int it) { return box[it] > 1; });
    if (chunk[d] == 1 || moving == counted.rend()) continue;
    const std::int64_t step = std::abs(view_step(mapping, view, *moving));
    if (step >= together) apart.push_back({chunk[d], step});
  }
  std::ranges::sort(apart, {}, &DramWalk::Dim::step);
  return apart;
}

/// Bytes of the box that lie together where the view has it off chip.
std::int64_t box_run(const Mapping& mapping, const UseView& view, const Extents& box) {
  boost::container::small_vector<Stride, 8> strides;
  for (int it = 0; it < static_cast<int>(box.size()); ++it) {
    if (box[it] > 1) strides.push_back({box[it], view_step(mapping, view, it)});
  }
  return grown_run(bytes(mapping.uses[view.use].type), strides);
}

/// The requests for an off-chip operand of a mover's capability.
RequestTiming requests_of(const Machine& machine, const Unit& unit, const OffChipRun& run) {
  RequestTiming requests;
  requests.bytes = std::min(unit.request, run.together);
  const auto each = static_cast<double>(requests.bytes);
  requests.count = std::ceil(static_cast<double>(run.bytes) / each);
  requests.link = requests.count * std::ceil(each / capability_rate(machine.architecture, unit));
  return requests;
}

/// Their beats on the way's narrowest link, or the time that the requests in flight allow.
double request_cycles(const Machine& machine, const Unit& unit, const Use& use, const RequestTiming& requests) {
  const double ways = std::max(requests.link, requests.stream);
  if (use.role == UseRole::output) return ways;
  const std::int64_t latency = latency_of(machine.architecture.memories[use.memory]);
  return std::max(ways, requests.count * static_cast<double>(latency + 2) / static_cast<double>(unit.in_flight));
}

}  // namespace

double capability_rate(const Architecture& architecture, const Unit& unit) {
  if (unit.link >= 0) return bytes_per_cycle(architecture.links[unit.link]);
  if (unit.routes.empty()) return static_cast<double>(unit.request);
  return bytes_per_cycle(architecture, unit.routes.front());
}

namespace {

/// Calls fn(use, requests) for each operand that a mover's step has in place off chip.
template <typename Fn>
void each_request(const Machine& machine, const Mapping& mapping, int step, const StepShape& shape,
                  const std::vector<UseView>& views, const Extents& box,
                  const std::vector<std::int64_t>& formula_values, Fn&& fn) {
  const Unit& unit = machine.architecture.units[mapping.steps[step].match.unit];
  if (unit.kind != UnitKind::mover) return;
  for (const auto& view : views) {
    const Use& use = mapping.uses[view.use];
    const Memory& memory = machine.architecture.memories[use.memory];
    if (view.layout != nullptr || !memory.off_chip) continue;
    const OffChipRun run = off_chip_run(mapping, shape, view, box, formula_values);
    RequestTiming requests = requests_of(machine, unit, run);
    if (memory.dram) {
      const auto apart = steps_apart(mapping, shape, view, box, formula_values, run.together);
      const bool writes = use.role == UseRole::output;
      ask(requests, memory, {run.together, apart, requests.count, requests.bytes, writes, box_run(mapping, view, box)},
          unit);
    }
    fn(use, requests);
  }
}

/// With what the instruction asks of ports.
std::int64_t working_cycles(const Machine& machine, const Mapping& mapping, int step, const Match& by,
                            const StepShape& shape, const std::vector<UseView>& views, const Extents& box,
                            const std::vector<std::int64_t>& formula_values, const PortLoads& loads) {
  const Unit& unit = machine.architecture.units[by.unit];
  const std::int64_t interval = machine.capability(by).interval.evaluate(formula_values);
  std::int64_t cycles = unit.period.cycles(std::max<std::int64_t>(interval, 1));
  for (const PortLoad& load : loads) {
    cycles = std::max(cycles, port_cycles(machine.architecture.memories[load.memory], load));
  }
  const auto asked = [&](const Use& use, const RequestTiming& requests) {
    cycles = std::max(cycles, static_cast<std::int64_t>(std::ceil(request_cycles(machine, unit, use, requests))));
  };
  each_request(machine, mapping, step, shape, views, box, formula_values, asked);
  return cycles;
}

}  // namespace

std::int64_t working_cycles(const Machine& machine, const Mapping& mapping, int step, const Match& by,
                            const StepShape& shape, const std::vector<UseView>& views, const Extents& box,
                            const std::vector<std::int64_t>& formula_values) {
  const auto loads = port_loads(machine, mapping, mapping.steps[step], shape, views, box, formula_values);
  return working_cycles(machine, mapping, step, by, shape, views, box, formula_values, loads);
}

RequestTiming requests_of(const Machine& machine, const Mapping& mapping, int step, const StepShape& shape,
                          const std::vector<UseView>& views, const Extents& box,
                          const std::vector<std::int64_t>& formula_values) {
  RequestTiming most;
  DramTraffic dram;
  each_request(machine, mapping, step, shape, views, box, formula_values,
               [&](const Use&, const RequestTiming& requests) {
                 dram += requests.dram;
                 if (requests.link > most.link) most = requests;
               });
  most.dram = dram;
  return most;
}

std::int64_t instruction_cycles(const Unit& unit, std::int64_t working) {
  return unit.kind == UnitKind::mover ? std::max(working, unit.period.cycles(unit.setup)) : working;
}

StepCycles cycles_of(const Machine& machine, const Mapping& mapping, int step, const StepShape& shape,
                     const std::vector<UseView>& views, const Extents& box) {
  const StatementPlan& plan = mapping.steps[step];
  const Capability& capability = machine.capability(plan.match);
  const Unit& unit = machine.architecture.units[plan.match.unit];
  const auto adds_up = [&](int it) { return !depends(mapping.uses[target_use(mapping)].access, it); };
  std::int64_t around = 1, sums_around = plan.opening >= 0 ? 1 : 0;
  for (const int it : shape.loops) {
    around *= box[it];
    if (plan.opening >= 0 && !adds_up(it)) sums_around *= box[it];
  }
  const Match beginning = beginning_match(machine, plan);
  StepCycles total;
  std::vector<std::int64_t> values(shape.dims.size());
  const std::size_t held = static_cast<std::size_t>(
      std::count_if(capability.operands.begin(), capability.operands.end(), [](const auto& o) { return o.held; }));
  values.resize(shape.dims.size() + held, 1);
  const auto add = [&](std::int64_t count, std::int64_t first) {
    total.instructions += count;
    const PortLoads loads = port_loads(machine, mapping, plan, shape, views, box, values);
    const auto taken = [&](const Match& by) {
      return instruction_cycles(unit, working_cycles(machine, mapping, step, by, shape, views, box, values, loads));
    };
    const std::int64_t own = taken(plan.match);
    total.cycles += count * own;
    if (first > 0) total.opening += first * (taken(beginning) - own);
    for (const PortLoad& load : loads) {
      if (machine.architecture.memories[load.memory].off_chip) continue;
      const auto all = static_cast<double>(count);
      total.words.push_back({load.memory, all * load.mean_read, all * load.mean_written});
    }
    const auto asked = [&](const Use& use, const RequestTiming& requests) {
      total.dram[use.role == UseRole::output ? 1 : 0] += requests.dram * static_cast<double>(count);
    };
    each_request(machine, mapping, step, shape, views, box, values, asked);
  };
  // Every combination of whole and remaining chunks of the dims that has instructions, and how many of these are the
  // first of their sums.
  const auto visit = [&](auto&& self, std::size_t d, std::int64_t count, std::int64_t first) -> void {
    if (d == shape.dims.size()) return add(count, first);
    const auto& dim = shape.dims[d];
    const std::int64_t whole = dim.flat / dim.maximum, rest = dim.flat % dim.maximum;
    const bool sums = plan.opening >= 0 && std::ranges::all_of(dim.counted, adds_up);
    if (whole > 0) {
      values[d] = dim.maximum;
      self(self, d + 1, count * whole, first * (sums ? 1 : whole));
    }
    if (rest > 0) {
      values[d] = rest;
      self(self, d + 1, count, sums && whole > 0 ? 0 : first);
    }
  };
  visit(visit, 0, around, sums_around);
  return total;
}

}  // namespace accord

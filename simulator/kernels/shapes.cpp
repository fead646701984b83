#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "archdsl/graph/rates.h"
#include "simulator/kernels/binder.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_points = std::int64_t{1} << 40;  // of one instruction

bool take_extents(const Capability& capability, std::span<const std::int64_t> key, OperationShape& shape,
                  std::string& error) {
  std::int64_t points = 1;
  for (std::size_t d = 0; d < capability.dims.size(); ++d) {
    const CapabilityDim& dim = capability.dims[d];
    const std::int64_t extent = key[d];
    if (extent < dim.minimum || extent > dim.maximum || extent % dim.multiple != 0) {
      error = fmt::format("extent {} of {} is not within {}..{} in multiples of {}", extent, dim.name, dim.minimum,
                          dim.maximum, dim.multiple);
      return false;
    }
    if (extent > 0 && points > most_points / extent) {
      error = "has more than 2^40 iteration points";
      return false;
    }
    points *= extent;
    shape.extents.push_back(extent);
  }
  return true;
}

// Wired and given steps of every operand, then the loads; `next` is the first key after the extents.
std::vector<std::vector<std::int64_t>> take_steps(const Capability& capability, std::span<const std::int64_t> key,
                                                  std::size_t& next) {
  std::vector<std::vector<std::int64_t>> steps;
  for (const CapabilityOperand& operand : capability.operands) {
    auto& of_operand = steps.emplace_back();
    for (const Step& step : operand.steps)
      of_operand.push_back(step.kind == Step::Kind::free ? key[next++] : step.bytes);
  }
  return steps;
}

bool occurs(const Access& access, int iterator) {
  return std::ranges::any_of(access.indices, [&](const AffineIndex& index) {
    return std::ranges::any_of(index.terms, [&](const auto& term) { return term.first == iterator; });
  });
}

}  // namespace

void Binder::add_access_energy(OperationShape& shape, const AccessShape& access, std::int64_t bytes) const {
  const Energy& energy = architecture_.memories[static_cast<std::size_t>(access.memory)].energy;
  const double pj = (access.reads ? energy.read_pj : 0) + (access.writes ? energy.write_pj : 0);
  if (pj > 0) shape.energy.push_back({components_.of_memory(access.memory), static_cast<double>(bytes) * pj});
}

void Binder::add_link_energy(OperationShape& shape) const {
  for (const int link : shape.links) {
    const double pj = architecture_.links[static_cast<std::size_t>(link)].pj_per_byte;
    if (pj > 0) shape.energy.push_back({components_.of_link(link), static_cast<double>(shape.link_bytes) * pj});
  }
}

bool Binder::add_accesses(OperationShape& shape, const PreparedCapability& prepared,
                          const std::vector<std::vector<std::int64_t>>& steps) const {
  const TensorProgram& program = prepared.prepared.program;
  for (std::size_t i = 0; i < program.operands.size(); ++i) {
    const AccessUse& use = prepared.prepared.uses[i];
    const auto operand = static_cast<std::size_t>(use.operand);
    const int memory = prepared.spec->operands[operand].memory;
    shape.placements.push_back(memory < 0 ? Placement{0, std::vector<std::int64_t>(program.iterators.size(), 0)}
                                          : place(use.access, steps[operand], program.iterators.size()));
    const bool loads = shape.loads[operand] != 0;
    if (memory < 0 || !(loads || use.writes)) continue;
    const Placement& placement = shape.placements.back();
    std::vector<Stride> dims;
    for (std::size_t d = 0; d < shape.extents.size(); ++d) {
      if (occurs(use.access, static_cast<int>(d))) dims.push_back({shape.extents[d], placement.step[d]});
    }
    auto footprint = make_footprint(bytes(program.operands[i].type), placement.offset, std::move(dims));
    if (!footprint) return false;
    shape.accesses.push_back(
        {use.operand, memory, loads && use.reads, use.writes, loads && use.in_place, std::move(*footprint)});
  }
  return true;
}

void Binder::add_costs(OperationShape& shape, const PreparedCapability& prepared, const Unit& unit) const {
  double points = 0;
  for (std::size_t s = 0; s < prepared.prepared.iterators.size(); ++s) {
    std::int64_t of_statement = 1;
    for (const int iterator : prepared.prepared.iterators[s])
      of_statement *= shape.extents[static_cast<std::size_t>(iterator)];
    points += static_cast<double>(of_statement);
    if (prepared.prepared.is_mac[s]) shape.lane_macs += of_statement;
  }
  double all = 1;
  for (const std::int64_t extent : shape.extents) all *= static_cast<double>(extent);
  const auto useful = static_cast<Cycle>(std::ceil(std::min(all / prepared.lanes, 1e15)));
  shape.useful = std::min(shape.interval, unit.period.cycles(useful));
  if (prepared.spec->pj_per_point > 0) {
    const auto number = static_cast<int>(&unit - architecture_.units.data());
    shape.energy.push_back({components_.of_unit(number), points * prepared.spec->pj_per_point});
  }
  for (const AccessShape& access : shape.accesses) {
    add_access_energy(shape, access, access.footprint.bytes);
    if (!architecture_.memories[static_cast<std::size_t>(access.memory)].off_chip) continue;
    shape.off_chip_bytes += access.footprint.bytes * (int{access.reads} + int{access.writes});
  }
  if (unit.kind != UnitKind::mover) return;
  if (const Route* const way = capability_route(unit)) {
    shape.links = way->links;
  } else if (unit.link >= 0) {
    shape.links = {unit.link};
  }
  shape.link_bytes = shape.off_chip_bytes;
  add_link_energy(shape);
}

std::shared_ptr<OperationShape> Binder::shape_run(const Plan& plan, std::span<const std::int64_t> key,
                                                  std::string& error) const {
  const Unit& unit = architecture_.units[static_cast<std::size_t>(plan.unit)];
  const PreparedCapability& prepared = capability(plan.unit, plan.mnemonic->capability);
  const Capability& spec = *prepared.spec;
  auto shape = std::make_shared<OperationShape>();
  if (!take_extents(spec, key, *shape, error)) return nullptr;
  std::size_t next = spec.dims.size();
  const auto steps = take_steps(spec, key, next);
  std::vector<std::int64_t> variables = shape->extents;
  for (const CapabilityOperand& operand : spec.operands) {
    shape->loads.push_back(operand.held ? key[next++] : 1);
    if (operand.held) variables.push_back(shape->loads.back());
  }
  if (!add_accesses(*shape, prepared, steps)) {
    error = "steps reach beyond 2^48 bytes";
    return nullptr;
  }
  const auto reference_cycles = [&](const Formula& formula) {
    const Cycle cycles = formula.evaluate(variables);
    if (cycles >= 0 && cycles <= most_points) return unit.period.cycles(cycles);
    error = fmt::format("timing gives {} cycles", cycles);
    return Cycle{0};
  };
  shape->start = reference_cycles(spec.start);
  shape->interval = reference_cycles(spec.interval);
  shape->drain = reference_cycles(spec.drain);
  if (!error.empty()) return nullptr;
  add_costs(*shape, prepared, unit);
  if (unit.kind == UnitKind::mover) add_requests(*shape, false);
  shape->least_cycles = least_cycles(*shape, unit);
  return shape;
}

}  // namespace accord::sim

#include "simulator/kernels/binder.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>

#include "archdsl/graph/rates.h"
#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"

namespace accord::sim {

namespace {

constexpr std::size_t most_shapes = 4096;  // per mnemonic, before forgetting

bool is_run(const Mnemonic& mnemonic) { return mnemonic.meaning == Meaning::run; }

// Integers keep their low bits; floats arrive as the bits of an fp32.
std::uint64_t scalar_value(std::int64_t argument, ElementType type) {
  if (!is_float(type) || type == ElementType::fp32) return static_cast<std::uint64_t>(argument);
  std::uint64_t result = 0;
  store_element(reinterpret_cast<std::byte*>(&result), type,
                std::bit_cast<float>(static_cast<std::uint32_t>(argument)));
  return result;
}

}  // namespace

PreparedCapability::PreparedCapability(const Capability& capability)
    : spec(&capability), prepared(capability.program), lanes(peak_points(capability)) {}

Binder::Binder(const Architecture& architecture, bool keeps_shapes)
    : architecture_(architecture), components_(architecture), keeps_shapes_(keeps_shapes) {
  for (const Unit& unit : architecture.units) {
    auto& prepared = capabilities_.emplace_back();
    for (const Capability& capability : unit.capabilities) {
      if (capability.operands.size() > max_operands) {
        throw Error(fmt::format("{}.{} has {} operands; the simulator takes {}", unit.name, capability.name,
                                capability.operands.size(), max_operands));
      }
      prepared.push_back(std::make_unique<PreparedCapability>(capability));
    }
    for (const Route& route : unit.routes) {
      if (route.walk.size() > most_walk_dims)
        throw Error(fmt::format("{} walks {} dimensions; the simulator takes {}", unit.name, route.walk.size(),
                                most_walk_dims));
    }
  }
  for (const Mnemonic& mnemonic : architecture.isa.mnemonics) {
    auto& plans = plans_.emplace_back();
    if (mnemonic.units.empty()) plans.push_back(make_plan(mnemonic, mnemonic.unit));
    for (const int unit : mnemonic.units) {
      if (unit >= 0) plans.push_back(make_plan(mnemonic, unit));
    }
  }
}

Binder::Plan Binder::make_plan(const Mnemonic& mnemonic, int unit) const {
  Plan plan;
  plan.mnemonic = &mnemonic;
  plan.unit = unit;
  if (is_run(mnemonic)) plan_run(plan);
  if (mnemonic.meaning == Meaning::transfer) plan_transfer(plan);
  return plan;
}

Binder::Plan& Binder::plan_of(int mnemonic, int unit) {
  auto& plans = plans_[static_cast<std::size_t>(mnemonic)];
  if (plans.size() == 1) return plans[0];
  return *std::ranges::find(plans, unit, &Plan::unit);
}

std::size_t Binder::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::int64_t value : key)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u ^ hash >> 29;
  return hash;
}

// Arguments of a run: extents; bases; free steps; loads; scalars (Capability).
void Binder::plan_run(Plan& plan) const {
  const Capability& capability = *this->capability(plan.unit, plan.mnemonic->capability).spec;
  const int operands = static_cast<int>(capability.operands.size());
  const auto operand = [&](int o) -> const CapabilityOperand& {
    return capability.operands[static_cast<std::size_t>(o)];
  };
  int next = 0;
  for (std::size_t d = 0; d < capability.dims.size(); ++d) plan.key.push_back(next++);
  for (int o = 0; o < operands; ++o) {
    if (operand(o).memory >= 0) plan.bases.emplace_back(next++, o);
  }
  for (int o = 0; o < operands; ++o) {
    for (const Step& step : operand(o).steps) {
      if (step.kind == Step::Kind::free) plan.key.push_back(next++);
    }
  }
  for (int o = 0; o < operands; ++o) {
    if (operand(o).held) plan.key.push_back(next++);
  }
  for (int o = 0; o < operands; ++o) {
    if (operand(o).memory < 0) plan.scalars.emplace_back(next++, o);
  }
  assert(static_cast<std::size_t>(next) == plan.mnemonic->arguments.size());
}

// Arguments of a transfer: bases; extents, strides, padding; base of the list; rows (Route).
void Binder::plan_transfer(Plan& plan) const {
  const Route& route =
      architecture_.units[static_cast<std::size_t>(plan.unit)].routes[static_cast<std::size_t>(plan.mnemonic->route)];
  const int arguments = static_cast<int>(plan.mnemonic->arguments.size());
  const int list = route.gather ? arguments - 2 : -1;
  plan.bases = {{0, 0}, {1, 1}};
  if (route.gather) plan.bases.emplace_back(list, 2);
  for (int a = 2; a < arguments; ++a) {
    if (a != list) plan.key.push_back(a);
  }
}

bool Binder::bind(int mnemonic, int unit, std::span<const std::int64_t> arguments, Operation& out, std::string& error) {
  Plan& plan = plan_of(mnemonic, unit);
  if (!select_shape(plan, arguments, error)) return false;
  if (out.shape != plan.last) out.shape = plan.last;
  for (const auto& [argument, operand] : plan.bases) {
    out.base[static_cast<std::size_t>(operand)] = arguments[static_cast<std::size_t>(argument)];
  }
  for (const auto& [argument, operand] : plan.scalars) {
    const Capability& capability = *this->capability(plan.unit, plan.mnemonic->capability).spec;
    out.scalar[static_cast<std::size_t>(operand)] =
        scalar_value(arguments[static_cast<std::size_t>(argument)],
                     capability.program.operands[static_cast<std::size_t>(operand)].type);
  }
  return add_ranges(out, error);
}

bool Binder::select_shape(Plan& plan, std::span<const std::int64_t> arguments, std::string& error) {
  bool same = keeps_shapes_ && plan.last != nullptr;
  if (same) {
    for (std::size_t i = 0; i < plan.key.size(); ++i) {
      same &= plan.last_key[i] == arguments[static_cast<std::size_t>(plan.key[i])];
    }
    if (same) return true;
  }
  Key& key = plan.wanted;
  key.clear();
  for (const int argument : plan.key) key.push_back(arguments[static_cast<std::size_t>(argument)]);
  auto found = keeps_shapes_ ? plan.shapes.find(key) : plan.shapes.end();
  if (found == plan.shapes.end()) {
    auto shape = is_run(*plan.mnemonic) ? shape_run(plan, key, error) : shape_transfer(plan, key, error);
    if (!shape) return false;
    if (!keeps_shapes_ || plan.shapes.size() >= most_shapes) plan.shapes.clear();
    found = plan.shapes.emplace(key, std::move(shape)).first;
  }
  plan.last = found->second;
  plan.last_key = key;
  return true;
}

bool Binder::add_ranges(Operation& operation, std::string& error) const {
  operation.ranges.clear();
  operation.touched = operation.written = operation.results = 0;
  for (const AccessShape& access : operation.shape->accesses) {
    if (access.footprint.extent == 0) continue;
    const Memory& memory = architecture_.memories[static_cast<std::size_t>(access.memory)];
    const std::int64_t base = operation.base_of(access);
    if (base >= -access.footprint.offset &&
        base <= memory.capacity - access.footprint.offset - access.footprint.extent) {
      const bool result = access.reads && !access.in_place;
      operation.ranges.push_back(
          {operation.low(access), operation.high(access), access.memory, memory.off_chip, result, access.writes});
      const MemorySet bit = memory_bit(access.memory);
      operation.touched |= bit;
      if (access.writes) operation.written |= bit;
      if (result) operation.results |= bit;
      continue;
    }
    error = fmt::format("touches {} bytes from address {} of {}, which has {}", access.footprint.extent,
                        base + access.footprint.offset, memory.name, memory.capacity);
    return false;
  }
  return true;
}

}  // namespace accord::sim

#include "compiler/lowering/step_instructions.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <iterator>

#include "archdsl/graph/rates.h"
#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/port_loads.h"

namespace accord {
namespace {

/// A scalar argument as the instruction carries it: the bits of an fp32, or the integer.
std::int64_t scalar_bits(ElementType type, double value) {
  if (is_float(type)) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::int64_t>(std::clamp(value, lowest(type), highest(type)));
}

}  // namespace

std::vector<std::int64_t> scalar_arguments(const Capability& capability, const Match& match) {
  std::vector<std::int64_t> values;
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    if (capability.operands[o].memory >= 0) continue;
    values.push_back(scalar_bits(capability.program.operands[o].type, match.operands[o].constant));
  }
  return values;
}

void set_requests(LowOp& op, const RequestTiming& requests) {
  op.requests = static_cast<std::int32_t>(requests.count);
  op.request = static_cast<std::int32_t>(requests.bytes);
  op.link = static_cast<std::int32_t>(std::ceil(requests.link));
  op.dram = static_cast<std::int32_t>(std::ceil(requests.dram.cycles));
  op.batches = static_cast<float>(requests.dram.batches);
}

StepInstructions::StepInstructions(const Machine& machine, const Mapping& mapping, int step,
                                   std::vector<PlacedUse> uses, Extents box, bool begins)
    : machine_(machine),
      mapping_(mapping),
      plan_(mapping.steps[step]),
      step_(step),
      capability_(machine.capability(plan_.match)),
      uses_(std::move(uses)),
      box_(std::move(box)),
      beginning_(beginning_match(machine, plan_)),
      point_(box_.size(), 0) {
  for (auto& use : uses_) {
    views_.push_back(use.view);
    use.base = 0;
  }
  shape_ = shape_step(machine, mapping, step, views_, box_);
  if (!shape_.error.empty()) throw Error("cannot cover a tile: " + shape_.error);
  if (begins) opening_ = machine.limits.run(beginning_.unit, beginning_.capability)->mnemonic;
  op_.mnemonic = machine.limits.run(plan_.match.unit, plan_.match.capability)->mnemonic;
  op_.unit = plan_.match.unit;
  op_.statement = plan_.statement;
  op_.adds =
      mapping.uses[uses_[use_of(target())].view.use].role == UseRole::accumulator && step != starting_step(mapping);
  place_arguments();
  op_.count = static_cast<std::uint32_t>(template_.size());
  make_loops();
  HeldTiles held{std::vector<std::vector<std::int64_t>>(loads_.size()), 0};
  visit(0, held);
}

std::size_t StepInstructions::base_argument(int operand) const {
  const auto memory = [](const CapabilityOperand& o) { return o.memory >= 0; };
  const auto first = capability_.operands.begin();
  return capability_.dims.size() + static_cast<std::size_t>(std::count_if(first, first + operand, memory));
}

std::size_t StepInstructions::use_of(int operand) const {
  const auto is = [&](const PlacedUse& use) { return mapping_.uses[use.view.use].operand == operand; };
  const auto found = std::ranges::find_if(uses_, is);
  assert(found != uses_.end());
  return static_cast<std::size_t>(found - uses_.begin());
}

/// Fills what does not change from instruction to instruction; remembers where bases and load flags stand.
void StepInstructions::place_arguments() {
  std::size_t at = capability_.dims.size();
  template_.assign(at, std::nullopt);
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    if (capability_.operands[o].memory < 0) continue;
    bases_.emplace_back(use_of(static_cast<int>(o)), at++);
    template_.emplace_back();
  }
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    const auto& steps = capability_.operands[o].steps;
    for (std::size_t p = 0; p < steps.size(); ++p) {
      if (steps[p].kind == Step::Kind::free) template_.emplace_back();
    }
  }
  set_strides();
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    if (!capability_.operands[o].held) continue;
    const int operand = static_cast<int>(o);
    loads_.push_back({use_of(operand), template_.size(), decisive_arguments(operand)});
    template_.emplace_back(1);
  }
  std::ranges::copy(scalar_arguments(capability_, plan_.match), std::back_inserter(template_));
}

/// Base, dims and strides of the operand.
std::vector<std::size_t> StepInstructions::decisive_arguments(int operand) const {
  std::vector<std::size_t> arguments = {base_argument(operand)};
  for (std::size_t d = 0; d < capability_.dims.size(); ++d) {
    if (depends(access_of(capability_, operand), static_cast<int>(d))) arguments.push_back(d);
  }
  std::size_t at = capability_.dims.size() + bases_.size();
  for (int o = 0; o <= operand; ++o) {
    for (const Step& step : capability_.operands[o].steps) {
      if (step.kind != Step::Kind::free) continue;
      if (o == operand) arguments.push_back(at);
      ++at;
    }
  }
  return arguments;
}

/// Free steps of each operand: what its address does from one count of the dim to the next.
void StepInstructions::set_strides() {
  std::size_t at = capability_.dims.size() + bases_.size();
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    const auto& steps = capability_.operands[o].steps;
    for (std::size_t p = 0; p < steps.size(); ++p) {
      if (steps[p].kind != Step::Kind::free) continue;
      const UseView& view = uses_[use_of(static_cast<int>(o))].view;
      template_[at] = free_step(mapping_, capability_, shape_, view, p, box_).bytes;
      ++at;
    }
  }
}

/// Held operands outermost, so that they are loaded once; then reductions, so that what they read is done with soon.
void StepInstructions::make_loops() {
  auto holds = [&](int it) {
    return std::any_of(uses_.begin(), uses_.end(), [&](const PlacedUse& use) {
      const Use& u = mapping_.uses[use.view.use];
      return capability_.operands[u.operand].held && depends(u.access, it);
    });
  };
  const Access& result = mapping_.uses[uses_[use_of(target())].view.use].access;
  auto reduces = [&](int it) { return !depends(result, it); };
  for (const int it : shape_.loops) loops_.push_back({it, -1, box_[it], holds(it), reduces(it)});
  chunk_.assign(shape_.dims.size(), 1);
  for (std::size_t d = 0; d < shape_.dims.size(); ++d) {
    const auto& dim = shape_.dims[d];
    const bool held = std::any_of(dim.counted.begin(), dim.counted.end(), holds);
    const bool reduced = std::any_of(dim.counted.begin(), dim.counted.end(), reduces);
    loops_.push_back({-1, static_cast<int>(d), ceil_div(dim.flat, dim.maximum), held, reduced});
  }
  std::stable_sort(loops_.begin(), loops_.end(), [](const Loop& a, const Loop& b) {
    return std::pair(a.holds, a.reduces) > std::pair(b.holds, b.reduces);
  });
}

void StepInstructions::visit(std::size_t loop, HeldTiles& held) {
  if (loop == loops_.size()) {
    emit(held);
    return;
  }
  const Loop& now = loops_[loop];
  for (std::int64_t i = 0; i < now.count; ++i) {
    if (now.reduces && i == 1) ++beyond_first_;
    if (now.iterator >= 0) {
      point_[now.iterator] = i;
    } else {
      const auto& dim = shape_.dims[now.dim];
      std::int64_t flat = i * dim.maximum;
      chunk_[now.dim] = std::min(dim.maximum, dim.flat - flat);
      for (auto it = dim.counted.rbegin(); it != dim.counted.rend(); ++it) {
        point_[*it] = flat % box_[*it];
        flat /= box_[*it];
      }
    }
    visit(loop + 1, held);
  }
  if (now.iterator >= 0) point_[now.iterator] = 0;
  if (now.reduces && now.count > 1) --beyond_first_;
}

std::int64_t StepInstructions::address(const PlacedUse& use) {
  if (mapping_.uses[use.view.use].filled) return use.base;
  if (use.view.layout == nullptr) {
    std::int64_t offset = use.base;
    for (std::size_t it = 0; it < point_.size(); ++it) {
      if (point_[it] != 0) offset += point_[it] * view_step(mapping_, use.view, static_cast<int>(it));
    }
    return offset;
  }
  inside_ = point_;
  for (std::size_t it = 0; it < inside_.size(); ++it) inside_[it] += use.start[it];
  return use.base + offset_of(*use.view.layout, inside_);
}

void StepInstructions::remember(std::size_t operand, const MaybeValue* values, HeldTiles& held) const {
  auto& loaded = held.loaded[operand];
  loaded.clear();
  for (const std::size_t argument : loads_[operand].decisive) loaded.push_back(values[argument].value_or(0));
}

/// Sets the flags of held operands: 0 where the unit has one already, and nobody else's instructions come between.
void StepInstructions::set_loads(const LowOp& op, MaybeValue* values, HeldTiles& held) const {
  const bool known = held.mnemonic == op.mnemonic && !plan_.shares_unit;
  held.mnemonic = op.mnemonic;
  for (std::size_t h = 0; h < loads_.size(); ++h) {
    const auto same = [&](std::int64_t before, std::size_t argument) { return before == values[argument].value_or(0); };
    const bool keep = known && std::ranges::equal(held.loaded[h], loads_[h].decisive, same);
    values[loads_[h].load] = keep ? 0 : 1;
    if (!keep) remember(h, values, held);
  }
}

/// Of each operand on chip. A result is written as often as read, if at all.
decltype(LowOp::words) StepInstructions::port_words_on_chip() const {
  LowOp touching;
  for (const auto& [use, at] : bases_) {
    const PortWords words = port_words(machine_, mapping_, plan_, shape_, uses_[use].view, box_, formula_values_);
    touching.touch(uses_[use].buffer, false, std::llround(std::max(words.read, words.written)));
  }
  return touching.words;
}

void StepInstructions::set_timing(LowOp& op, const MaybeValue* values) {
  formula_values_.clear();
  for (std::size_t d = 0; d < chunk_.size(); ++d) formula_values_.push_back(*values[d]);
  for (const HeldOperand& held : loads_) formula_values_.push_back(*values[held.load]);
  auto known = std::ranges::find_if(timings_, [&](const Timing& timing) {
    return timing.mnemonic == op.mnemonic && timing.formula_values == formula_values_;
  });
  if (known == timings_.end()) {
    const Match& by = op.mnemonic == opening_ ? beginning_ : plan_.match;
    const std::int64_t working = working_cycles(machine_, mapping_, step_, by, shape_, views_, box_, formula_values_);
    const Unit& unit = machine_.architecture.units[plan_.match.unit];
    timings_.push_back({op.mnemonic, formula_values_, static_cast<std::int32_t>(instruction_cycles(unit, working)),
                        static_cast<std::int32_t>(working + latency_around(machine_, by, formula_values_)),
                        requests_of(machine_, mapping_, step_, shape_, views_, box_, formula_values_),
                        port_words_on_chip()});
    known = timings_.end() - 1;
  }
  op.busy = known->busy;
  op.latency = known->latency;
  set_requests(op, known->requests);
  op.words = known->words;
}

void StepInstructions::emit(HeldTiles& held) {
  LowOp op = op_;
  op.first = static_cast<std::uint32_t>(values_.size());
  if (opening_ >= 0 && beyond_first_ == 0) {
    op.mnemonic = opening_;
    op.adds = false;
  }
  values_.insert(values_.end(), template_.begin(), template_.end());
  MaybeValue* values = values_.data() + op.first;
  for (std::size_t d = 0; d < chunk_.size(); ++d) values[d] = round_up(chunk_[d], shape_.dims[d].multiple);
  for (const auto& [use, at] : bases_) values[at] = address(uses_[use]);
  set_loads(op, values, held);
  set_timing(op, values);
  ops_.push_back(op);
}

/// The unit has what it loaded until it does something else; that is what memory holds until that is written.
void StepInstructions::forget_changed(const OpList& list, const std::vector<PlacedUse>& uses, HeldTiles& held) const {
  held.loaded.resize(loads_.size());
  if (loads_.empty()) return;
  for (std::size_t i = held.ops; i < list.ops.size(); ++i) {
    const LowOp& op = list.ops[i];
    for (std::size_t h = 0; h < loads_.size(); ++h) {
      const int buffer = uses[loads_[h].use].buffer;
      const auto rewrites = [&](const BufferAccess& access) {
        return access.write && static_cast<int>(access.buffer) == buffer;
      };
      const bool unknown = buffer < 0 || op.unit == plan_.match.unit;
      if (unknown || std::ranges::any_of(op.buffers(), rewrites)) held.loaded[h].clear();
    }
  }
}

/// The first instruction finds held what those before left; what the others find does not depend on where tiles lie.
void StepInstructions::append(OpList& list, const std::vector<PlacedUse>& uses, HeldTiles& held) {
  forget_changed(list, uses, held);
  if (ops_.empty()) return;
  const std::size_t first = list.ops.size(), first_value = list.values.size(), count = template_.size();
  list.ops.insert(list.ops.end(), ops_.begin(), ops_.end());
  list.values.insert(list.values.end(), values_.begin(), values_.end());
  LowOp touching;
  for (const auto& [use, at] : bases_) {
    touching.touch(uses[use].buffer, mapping_.uses[uses[use].view.use].operand == target());
    for (std::size_t v = first_value + at; v < list.values.size(); v += count) *list.values[v] += uses[use].base;
  }
  for (LowOp& op : std::span(list.ops).subspan(first)) {
    op.first += static_cast<std::uint32_t>(first_value);
    op.accesses = touching.accesses;
    op.access_count = touching.access_count;
  }
  held.ops = list.ops.size();
  if (loads_.empty()) return;
  MaybeValue* values = list.values.data() + first_value;
  set_loads(list.ops[first], values, held);
  set_timing(list.ops[first], values);
  held.mnemonic = ops_.back().mnemonic;
  for (std::size_t h = 0; h < loads_.size(); ++h) remember(h, &list.values[list.values.size() - count], held);
}

}  // namespace accord

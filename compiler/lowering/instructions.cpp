#include "compiler/lowering/instructions.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "archdsl/graph/rates.h"
#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

/// A scalar argument as the instruction carries it: the bits of an fp32, or the integer.
std::int64_t scalar_bits(ElementType type, double value) {
  if (is_float(type)) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::int64_t>(std::clamp(value, lowest(type), highest(type)));
}

/// One loop over a step's instructions: an iterator, or the chunks of a dim.
struct Loop {
  int iterator = -1;
  int dim = -1;
  std::int64_t count = 0;
  bool holds = false;    ///< moves a held operand
  bool reduces = false;  ///< leaves the target where it is
};

/// A held operand of the instruction.
struct HeldOperand {
  const PlacedUse* use = nullptr;
  std::size_t load = 0;               ///< argument of its load flag
  std::vector<std::size_t> decisive;  ///< arguments that say which elements are loaded
};

void set_requests(LowOp& op, const RequestTiming& requests) {
  op.requests = static_cast<std::int32_t>(requests.count);
  op.request = static_cast<std::int32_t>(requests.bytes);
  op.link = static_cast<std::int32_t>(std::ceil(requests.link));
  op.dram = static_cast<std::int32_t>(std::ceil(requests.dram.cycles));
  op.batches = static_cast<float>(requests.dram.batches);
}

/// Emits the instructions of one step over one box.
class StepEmitter {
 public:
  StepEmitter(const Machine& machine, const Mapping& mapping, OpList& list, int s, const std::vector<PlacedUse>& uses,
              const Extents& box, HeldTiles& held)
      : machine_(machine),
        mapping_(mapping),
        list_(list),
        plan_(mapping.steps[s]),
        step_(s),
        capability_(machine.capability(plan_.match)),
        uses_(uses),
        box_(box),
        held_(held),
        point_(box.size(), 0) {
    for (const auto& use : uses) views_.push_back(use.view);
    shape_ = shape_step(machine, mapping, s, views_, box);
    if (!shape_.error.empty()) throw Error("cannot cover a tile: " + shape_.error);
    mnemonic_ = machine.limits.run(plan_.match.unit, plan_.match.capability)->mnemonic;
  }

  void run() {
    place_arguments();
    forget_changed();
    make_loops();
    visit(0);
    held_.ops = list_.ops.size();
  }

 private:
  void place_arguments();
  void forget_changed();
  void make_loops();
  void visit(std::size_t loop);
  void emit();
  void set_load(std::size_t held, MaybeValue* values);
  std::int64_t address(const PlacedUse& use);
  /// What instructions with the same values of the formulas take.
  struct Timing {
    std::vector<std::int64_t> formula_values;
    std::int32_t busy, latency;
    RequestTiming requests;
  };
  const Timing& timing();
  std::vector<std::size_t> decisive_arguments(int operand) const;
  void set_strides(std::vector<MaybeValue>& values) const;
  std::size_t base_argument(int operand) const {
    const auto memory = [](const CapabilityOperand& o) { return o.memory >= 0; };
    const auto first = capability_.operands.begin();
    return capability_.dims.size() + static_cast<std::size_t>(std::count_if(first, first + operand, memory));
  }
  const PlacedUse* use_of(int operand) const {
    for (const auto& use : uses_) {
      if (mapping_.uses[use.view.use].operand == operand) return &use;
    }
    return nullptr;
  }

  const Machine& machine_;
  const Mapping& mapping_;
  OpList& list_;
  const StatementPlan& plan_;
  int step_;
  const Capability& capability_;
  const std::vector<PlacedUse>& uses_;
  std::vector<UseView> views_;
  const Extents& box_;
  HeldTiles& held_;
  Extents point_;
  StepShape shape_;
  int mnemonic_ = -1;
  std::vector<Loop> loops_;
  std::vector<std::int64_t> chunk_;                              ///< extent of each dim now
  std::vector<std::pair<const PlacedUse*, std::size_t>> bases_;  ///< argument index of each base
  std::vector<HeldOperand> loads_;
  std::vector<MaybeValue> template_;
  std::vector<std::int64_t> formula_values_;
  std::vector<Timing> timings_;
  Extents inside_;  ///< the whole that a view's layout is of, at `point_`
};

/// Fills what does not change from instruction to instruction; remembers where bases and load flags stand.
void StepEmitter::place_arguments() {
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
  set_strides(template_);
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    if (!capability_.operands[o].held) continue;
    const int operand = static_cast<int>(o);
    loads_.push_back({use_of(operand), template_.size(), decisive_arguments(operand)});
    template_.emplace_back(1);
  }
  held_.loaded.resize(loads_.size());
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    if (capability_.operands[o].memory >= 0) continue;
    template_.emplace_back(scalar_bits(capability_.program.operands[o].type, plan_.match.operands[o].constant));
  }
}

/// Base, dims and strides of the operand.
std::vector<std::size_t> StepEmitter::decisive_arguments(int operand) const {
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

/// The unit has what it loaded until it does something else; that is what memory holds until that is written.
void StepEmitter::forget_changed() {
  for (std::size_t i = held_.ops; i < list_.ops.size(); ++i) {
    const LowOp& op = list_.ops[i];
    for (std::size_t h = 0; h < loads_.size(); ++h) {
      const auto rewrites = [&](const BufferAccess& access) {
        return access.write && access.buffer == loads_[h].use->buffer;
      };
      const bool unknown = loads_[h].use->buffer < 0 || op.unit == plan_.match.unit;
      if (unknown || std::any_of(op.buffers().begin(), op.buffers().end(), rewrites)) held_.loaded[h].clear();
    }
  }
}

/// Free steps of each operand: what its address does from one count of the dim to the next.
void StepEmitter::set_strides(std::vector<MaybeValue>& values) const {
  std::size_t at = capability_.dims.size() + bases_.size();
  for (std::size_t o = 0; o < capability_.operands.size(); ++o) {
    const auto& steps = capability_.operands[o].steps;
    for (std::size_t p = 0; p < steps.size(); ++p) {
      if (steps[p].kind != Step::Kind::free) continue;
      const UseView& view = use_of(static_cast<int>(o))->view;
      values[at] = free_step(mapping_, capability_, shape_, view, p, box_).bytes;
      ++at;
    }
  }
}

/// Held operands outermost, so that they are loaded once; then reductions, so that what they read is done with soon.
void StepEmitter::make_loops() {
  auto holds = [&](int it) {
    return std::any_of(uses_.begin(), uses_.end(), [&](const PlacedUse& use) {
      const Use& u = mapping_.uses[use.view.use];
      return capability_.operands[u.operand].held && depends(u.access, it);
    });
  };
  const PlacedUse* target = use_of(capability_.program.statements.back().target.operand);
  auto reduces = [&](int it) { return !depends(mapping_.uses[target->view.use].access, it); };
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

void StepEmitter::visit(std::size_t loop) {
  if (loop == loops_.size()) {
    emit();
    return;
  }
  const Loop& now = loops_[loop];
  for (std::int64_t i = 0; i < now.count; ++i) {
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
    visit(loop + 1);
  }
  if (now.iterator >= 0) point_[now.iterator] = 0;
}

std::int64_t StepEmitter::address(const PlacedUse& use) {
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

/// Sets the flag of a held operand, 0 where the unit has it already.
void StepEmitter::set_load(std::size_t held, MaybeValue* values) {
  auto& loaded = held_.loaded[held];
  const auto& decisive = loads_[held].decisive;
  const bool keep = std::ranges::equal(loaded, decisive, [&](std::int64_t before, std::size_t argument) {
    return before == values[argument].value_or(0);
  });
  values[loads_[held].load] = keep ? 0 : 1;
  formula_values_.push_back(keep ? 0 : 1);
  if (keep) return;
  loaded.clear();
  for (const std::size_t argument : decisive) loaded.push_back(values[argument].value_or(0));
}

const StepEmitter::Timing& StepEmitter::timing() {
  const auto known = std::ranges::find(timings_, formula_values_, &Timing::formula_values);
  if (known != timings_.end()) return *known;
  const std::int64_t working = working_cycles(machine_, mapping_, step_, shape_, views_, box_, formula_values_);
  const Unit& unit = machine_.architecture.units[plan_.match.unit];
  timings_.push_back({formula_values_, static_cast<std::int32_t>(instruction_cycles(unit, working)),
                      static_cast<std::int32_t>(working + latency_around(machine_, plan_.match, formula_values_)),
                      requests_of(machine_, mapping_, step_, shape_, views_, box_, formula_values_)});
  return timings_.back();
}

void StepEmitter::emit() {
  LowOp op;
  op.mnemonic = mnemonic_;
  op.unit = plan_.match.unit;
  op.statement = plan_.statement;
  op.first = static_cast<std::uint32_t>(list_.values.size());
  op.count = static_cast<std::uint32_t>(template_.size());
  list_.values.insert(list_.values.end(), template_.begin(), template_.end());
  MaybeValue* values = list_.values.data() + op.first;
  formula_values_.assign(chunk_.begin(), chunk_.end());
  for (std::size_t d = 0; d < chunk_.size(); ++d) {
    const auto& dim = shape_.dims[d];
    formula_values_[d] = round_up(chunk_[d], dim.multiple);
    values[d] = formula_values_[d];
  }
  const int target = capability_.program.statements.back().target.operand;
  for (const auto& [use, at] : bases_) {
    values[at] = address(*use);
    op.touch(use->buffer, mapping_.uses[use->view.use].operand == target);
  }
  for (std::size_t h = 0; h < loads_.size(); ++h) set_load(h, values);
  const Timing& time = timing();
  op.busy = time.busy;
  op.latency = time.latency;
  set_requests(op, time.requests);
  list_.ops.push_back(op);
}

}  // namespace

LowOp& append_transfer(const Machine& machine, OpList& list, const Hop& hop, const TransferPiece& piece,
                       std::int64_t source, std::int64_t target) {
  const RouteLimits& limits = *machine.limits.route(hop.unit, hop.route);
  const Route& route = machine.architecture.units[hop.unit].routes[hop.route];
  LowOp op;
  op.mnemonic = limits.mnemonic;
  op.unit = hop.unit;
  op.first = static_cast<std::uint32_t>(list.values.size());
  auto& values = list.values;
  values.emplace_back(source + piece.source);
  values.emplace_back(target + piece.target);
  for (const auto extent : piece.extent) values.emplace_back(extent);
  auto strides = [&](Step WalkDim::*side, const std::vector<std::int64_t>& steps) {
    for (std::size_t d = 1; d < route.walk.size(); ++d) {
      if ((route.walk[d].*side).kind != Step::Kind::free) continue;
      values.push_back(piece.extent[d] > 1 ? MaybeValue(steps[d]) : std::nullopt);
    }
  };
  strides(&WalkDim::source, piece.source_stride);
  strides(&WalkDim::target, piece.target_stride);
  if (route.pad) values.insert(values.end(), 2 * route.walk.size(), 0);  // everything is read, nothing filled
  op.count = static_cast<std::uint32_t>(values.size()) - op.first;
  const TransferTiming timing = transfer_timing(machine.architecture, hop, piece);
  set_requests(op, timing.requests);
  op.busy = static_cast<std::int32_t>(std::ceil(timing.busy));
  op.latency = static_cast<std::int32_t>(std::ceil(timing.stream)) +
               static_cast<std::int32_t>(hop_latency(machine.architecture, hop));
  op.awaited = static_cast<std::int32_t>(timing.awaited);
  op.answer = static_cast<std::int32_t>(timing.answer);
  op.hurry = static_cast<std::int32_t>(timing.hurry);
  list.ops.push_back(op);
  return list.ops.back();
}

void Instructions::step(int s, const std::vector<PlacedUse>& uses, const Extents& box) {
  StepEmitter(machine_, mapping_, list_, s, uses, box, held_[s]).run();
}

}  // namespace accord

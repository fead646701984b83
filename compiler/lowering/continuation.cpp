#include "compiler/lowering/continuation.h"

#include <algorithm>

#include "compiler/lowering/dispatch.h"

namespace accord {

namespace {

bool touches_off_chip(const Architecture& architecture, const Mnemonic& mnemonic) {
  const auto off_chip = [&](int memory) { return memory >= 0 && architecture.memories[memory].off_chip; };
  if (mnemonic.meaning == Meaning::transfer) {
    const Route& route = architecture.units[mnemonic.unit].routes[mnemonic.route];
    return off_chip(route.source) || off_chip(route.target) || std::ranges::any_of(route.also, off_chip);
  }
  if (mnemonic.meaning != Meaning::run) return false;
  const auto& operands = architecture.units[mnemonic.unit].capabilities[mnemonic.capability].operands;
  return std::ranges::any_of(operands, off_chip, &CapabilityOperand::memory);
}

/// By mnemonic: what order between lists depends on. An interlock orders what is on chip.
std::vector<bool> that_matter(const Architecture& architecture) {
  std::vector<bool> result;
  for (const Mnemonic& mnemonic : architecture.isa.mnemonics) {
    result.push_back(architecture.sync.kind != Sync::Kind::interlock || touches_off_chip(architecture, mnemonic));
  }
  return result;
}

}  // namespace

Continuation::Continuation(const Architecture& architecture, std::int64_t tensor_bytes)
    : architecture_(architecture),
      matters_(that_matter(architecture)),
      ranges_(architecture),
      history_(architecture, tensor_bytes),
      synchroniser_(static_cast<int>(architecture.units.size()), architecture.sync.semaphores,
                    architecture.sync.semaphore_max),
      free_(architecture.units.size(), 0) {}

/// What the operation touches and must be ordered by: in all turns of the loops around it.
void Continuation::ranges_of(const OpList& list, std::size_t op) {
  now_.clear();
  if (!matters_[list.ops[op].mnemonic]) return;
  ranges_.in_memories(list, list.ops[op], now_);
  if (architecture_.sync.kind == Sync::Kind::interlock) {
    std::erase_if(now_, [&](const AddressRange& range) { return !architecture_.memories[range.memory].off_chip; });
  }
  for (const LowLoop& loop : list.loops) {
    if (op < loop.first) break;
    if (op >= loop.first + loop.length) continue;
    const std::int64_t* deltas = loop.deltas.data() + (list.ops[op].first - list.ops[loop.first].first);
    for (auto& range : now_) {
      const std::int64_t moved = range.move(deltas) * (loop.turns - 1);
      (moved < 0 ? range.low : range.high) += moved;
    }
  }
}

/// What each operation touches, and when what it conflicts with is predicted to be done; true if anything does.
bool Continuation::find_lead(const OpList& list) {
  const std::size_t count = list.ops.size();
  touched_.clear();
  first_touched_.assign(1, 0);
  earlier_.clear();
  units_.resize(count);
  bool conflicts = false;
  lead_ = {std::vector<std::int64_t>(count, dispatched_), free_};
  for (std::size_t i = 0; i < count; ++i) {
    ranges_of(list, i);
    units_[i] = list.ops[i].unit;
    history_.before(units_[i], now_, [&](int unit, const LayerHistory::Place& place) {
      conflicts = true;
      lead_.ready[i] = std::max(lead_.ready[i], place.done);
      earlier_.add(unit, place.position);
    });
    earlier_.end_operation();
    touched_.insert(touched_.end(), now_.begin(), now_.end());
    first_touched_.push_back(touched_.size());
  }
  return conflicts;
}

/// Where more units wait for each other than their queues hold, instructions may come later for it than behind a fence.
Continuation::Ordered Continuation::with_semaphores(const OpList& list, KnownSchedules& known) {
  auto added = synchroniser_.add(list, schedule_.order, earlier_);
  if (added.across > 0 && !schedule_.done.empty() && fills_a_queue(architecture_, added.order)) {
    const std::int64_t at_once = dispatched_end(architecture_, list, schedule_, added.order, dispatched_, 0);
    const Schedule& alone = known.of(list, architecture_, {});
    auto fenced = synchroniser_.add(list, alone.order, {}, Synchroniser::Start::behind_fence);
    const std::int64_t fence = dispatched_end(architecture_, list, alone, fenced.order, done_, done_);
    if (fence < at_once) {
      fenced_ = true;
      lead_ = {};
      schedule_ = alone;
      last_dispatch_ = dispatched(list);
      added = std::move(fenced);
    } else {
      added = synchroniser_.add(list, schedule_.order, earlier_);
    }
  }
  positions_ = std::move(added.positions);
  return {std::move(added.order), std::move(added.late)};
}

Continuation::Ordered Continuation::order(const OpList& list, KnownSchedules& known) {
  const auto kind = architecture_.sync.kind;
  Ordered ordered;
  const bool conflicts = kind != Sync::Kind::in_order && find_lead(list);
  fenced_ = kind == Sync::Kind::interlock && conflicts;
  if (fenced_) {
    lead_ = {};
    ordered.order.push_back({OrderedOp::Kind::fence, -1, -1, 0});
  }
  schedule_ = known.of(list, architecture_, lead_);
  last_dispatch_ = schedule_.done.empty() ? done_ : dispatched(list);
  if (kind == Sync::Kind::semaphores) return with_semaphores(list, known);
  for (const std::uint32_t op : schedule_.order) {
    ordered.order.push_back({OrderedOp::Kind::operation, list.ops[op].unit, -1, op});
  }
  return ordered;
}

void Continuation::keep() {
  const auto kind = architecture_.sync.kind;
  ++changes_;
  if (kind == Sync::Kind::in_order) return;
  if (kind == Sync::Kind::semaphores) synchroniser_.keep();
  if (fenced_) {
    history_.clear();
    done_ = dispatched_ = 0;
  }
  for (const std::uint32_t op : schedule_.order) {
    const std::int64_t done = schedule_.done.empty() ? 0 : schedule_.done[op];
    history_.record(units_[op], {kind == Sync::Kind::semaphores ? positions_[op] : 0, done}, touched(op));
  }
  if (!schedule_.free.empty()) free_ = schedule_.free;
  done_ = std::max(done_, schedule_.cycles);
  dispatched_ = std::max(dispatched_, last_dispatch_);
}

/// When the list's last operation is dispatched: no queue holds more than it can.
std::int64_t Continuation::dispatched(const OpList& list) const {
  std::vector<std::vector<std::int64_t>> starts(free_.size());
  for (const std::uint32_t op : schedule_.order) {
    starts[list.ops[op].unit].push_back(schedule_.done[op] - list.ops[op].latency);
  }
  std::int64_t last = 0;
  for (std::size_t u = 0; u < starts.size(); ++u) {
    const auto waiting = static_cast<std::size_t>(architecture_.units[u].queue);
    if (starts[u].size() > waiting) last = std::max(last, starts[u][starts[u].size() - 1 - waiting]);
  }
  return last;
}

void Continuation::fence() {
  ++changes_;
  history_.clear();
  synchroniser_.fence();
  std::fill(free_.begin(), free_.end(), done_);
}

}  // namespace accord

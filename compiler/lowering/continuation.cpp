#include "compiler/lowering/continuation.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/lowering/dispatch.h"
#include "compiler/mapping/limits.h"

namespace accord {

Continuation::Continuation(const Architecture& architecture, std::int64_t tensor_bytes)
    : architecture_(architecture),
      ranges_(architecture),
      history_(architecture, tensor_bytes),
      synchroniser_(static_cast<int>(architecture.units.size()), nameable_semaphores(architecture),
                    architecture.sync.semaphore_max),
      free_(architecture.units.size(), 0) {}

/// What the operation touches and must be ordered by: in all turns of the loops around it.
void Continuation::ranges_of(const OpList& list, std::size_t op) {
  ranges_.in_memories(list, list.ops[op], now_);
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
  waits_.clear();
  units_.resize(count);
  bool conflicts = false;
  const bool interlocks = architecture_.sync.kind == Sync::Kind::interlock;
  lead_ = {std::vector<std::int64_t>(count, dispatched_), free_};
  for (std::size_t i = 0; i < count; ++i) {
    ranges_of(list, i);
    units_[i] = list.ops[i].unit;
    bool waits = false;
    history_.before(units_[i], now_, [&](int unit, int memory, const LayerHistory::Place& place) {
      waits = waits || !interlocks || architecture_.memories[memory].off_chip;
      lead_.ready[i] = std::max(lead_.ready[i], place.done);
      earlier_.add(unit, place.position);
    });
    earlier_.end_operation();
    waits_.push_back(waits);
    conflicts = conflicts || waits;
    touched_.insert(touched_.end(), now_.begin(), now_.end());
    first_touched_.push_back(touched_.size());
  }
  return conflicts;
}

/// The list's own schedule, behind a fence.
Synchroniser::Added Continuation::behind_fence(const OpList& list, KnownSchedules& known) {
  fenced_ = true;
  const Lead under_way = std::exchange(lead_, {});
  schedule_ = known.of(list, architecture_, lead_);
  last_dispatch_ = dispatched(list);
  return synchroniser_.add(list, schedule_.order, {}, loads_ahead(list, under_way));
}

/// Behind a fence where that is quicker: where more units wait for each other than their queues hold, instructions may
/// come later for it; and where a fence stands within for want of semaphores, it waits for the loads before it.
Continuation::Ordered Continuation::with_semaphores(const OpList& list, KnownSchedules& known) {
  auto added = synchroniser_.add(list, schedule_.order, earlier_);
  const bool has_fence = std::ranges::count(added.order, OrderedOp::Kind::fence, &OrderedOp::kind) > 0;
  const bool may_gain = has_fence || (added.across > 0 && fills_a_queue(architecture_, added.order));
  if (may_gain && !schedule_.done.empty()) {
    const auto end_of = [&](std::span<const OrderedOp> order) {
      return dispatched_end(architecture_, list, schedule_, order, dispatched_, done_);
    };
    const std::int64_t at_once = end_of(added.order);
    const auto before = std::tuple(schedule_, lead_, last_dispatch_);
    added = behind_fence(list, known);
    if (end_of(added.order) >= at_once) {
      std::tie(schedule_, lead_, last_dispatch_) = before;
      fenced_ = false;
      added = synchroniser_.add(list, schedule_.order, earlier_);
    }
  }
  positions_ = std::move(added.positions);
  const auto fences = std::ranges::count(added.order, OrderedOp::Kind::fence, &OrderedOp::kind);
  return {std::move(added.order), std::move(added.late), fences > (fenced_ ? 1 : 0)};
}

Continuation::Ordered Continuation::order(const OpList& list, KnownSchedules& known) {
  const auto kind = architecture_.sync.kind;
  Ordered ordered;
  const bool conflicts = kind != Sync::Kind::in_order && find_lead(list);
  fenced_ = kind == Sync::Kind::interlock && conflicts;
  const Lead under_way = fenced_ ? std::exchange(lead_, {}) : Lead{};
  schedule_ = known.of(list, architecture_, lead_);
  const std::size_t ahead = fenced_ ? loads_ahead(list, under_way) : 0;
  last_dispatch_ = schedule_.done.empty() ? done_ : dispatched(list);
  if (kind == Sync::Kind::semaphores) return with_semaphores(list, known);
  for (std::size_t at = 0; at < schedule_.order.size(); ++at) {
    const std::uint32_t op = schedule_.order[at];
    if (fenced_ && at == ahead) ordered.order.push_back({OrderedOp::Kind::fence, -1, -1, 0});
    ordered.order.push_back({OrderedOp::Kind::operation, list.ops[op].unit, -1, op});
  }
  return ordered;
}

/// How many of the loads that the list begins with come before its fence, as the schedule has them then: they wait for
/// nothing that it is for, and are predicted to be done by then.
std::size_t Continuation::loads_ahead(const OpList& list, Lead under_way) {
  if (schedule_.done.empty() || !timed_) return 0;
  const auto of_mover = [&](std::uint32_t op) { return architecture_.units[units_[op]].kind == UnitKind::mover; };
  const auto in_loop = [&](std::uint32_t op) {
    return std::ranges::any_of(list.loops, [&](const LowLoop& loop) { return op - loop.first < loop.length; });
  };
  std::set<std::uint32_t> late;  // buffers
  const auto follows = [&](const BufferAccess& access) { return late.contains(access.buffer); };
  std::vector<std::uint32_t> ahead, behind;
  auto op = schedule_.order.begin();
  for (; op != schedule_.order.end() && of_mover(*op) && !in_loop(*op); ++op) {
    const auto buffers = list.ops[*op].buffers();
    const LowOp& load = list.ops[*op];
    std::int64_t& free = under_way.free[units_[*op]];
    const std::int64_t start = std::max(under_way.ready[*op], free);
    const bool waits = waits_[*op] || start + load.latency > done_ || std::ranges::any_of(buffers, follows);
    (waits ? behind : ahead).push_back(*op);
    if (!waits) {
      free = start + load.busy;
      continue;
    }
    for (const BufferAccess& access : buffers) late.insert(access.buffer);
  }
  assert(ahead.size() < schedule_.order.size());  // what the fence is for waits
  std::ranges::copy(behind, std::ranges::copy(ahead, schedule_.order.begin()).out);
  return ahead.size();
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
  timed_ = !schedule_.free.empty();
  if (timed_) free_ = schedule_.free;
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

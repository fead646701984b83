#include "compiler/lowering/dispatch.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace accord {
namespace {

/// A unit's queue, whose entries leave it in order.
class UnitQueue {
 public:
  explicit UnitQueue(int places) : left_(static_cast<std::size_t>(std::max(places, 1)), 0) {}

  /// When the next entry finds a place.
  std::int64_t free_from() const { return left_[next_]; }

  /// An entry that leaves at `ready` at the earliest; returns when it does.
  std::int64_t pass(std::int64_t ready) {
    last_ = std::max(last_, ready);
    left_[next_] = last_;
    if (++next_ == left_.size()) next_ = 0;
    return last_;
  }

 private:
  std::vector<std::int64_t> left_;  ///< of the last entries, as many as there are places
  std::size_t next_ = 0;
  std::int64_t last_ = 0;
};

/// The controller's issue, in order.
class Issue {
 public:
  Issue(const Controller& controller, std::int64_t from)
      : width_(std::max(controller.issue_width, 1)), interval_(std::max(controller.issue_interval, 1)), at_(from) {}

  /// Nothing is issued before.
  void wait_until(std::int64_t cycle) { at_ = std::max(at_, cycle); }

  std::int64_t next(std::int64_t place) {
    if (place > at_ || issued_ == width_) {
      at_ = std::max(at_ + (issued_ > 0 ? interval_ : 0), place);
      issued_ = 0;
    }
    ++issued_;
    return at_;
  }

 private:
  std::int64_t width_, interval_, at_;
  std::int64_t issued_ = 0;  ///< in this cycle
};

}  // namespace

std::int64_t dispatched_end(const Architecture& architecture, const OpList& list, const Schedule& schedule,
                            std::span<const OrderedOp> order, std::int64_t from, std::int64_t done_before) {
  Issue issue(architecture.controller, from);
  std::vector<UnitQueue> queues;
  for (const Unit& unit : architecture.units) queues.emplace_back(unit.queue);
  std::vector<std::int64_t> free(architecture.units.size(), 0);
  std::int64_t end = from, shift = 0;  // of the schedule, by fences
  bool fenced = false;
  for (const OrderedOp& ordered : order) {
    if (ordered.kind == OrderedOp::Kind::fence) {
      end = std::max(end, done_before);
      issue.wait_until(end);
      fenced = true;
      continue;
    }
    UnitQueue& queue = queues[ordered.unit];
    const std::int64_t arrives = issue.next(queue.free_from()) + architecture.controller.latency;
    if (ordered.kind != OrderedOp::Kind::operation) {
      queue.pass(arrives);
      continue;
    }
    const LowOp& op = list.ops[ordered.op];
    const std::int64_t scheduled = schedule.done[ordered.op] - op.latency;
    if (std::exchange(fenced, false)) shift = std::max(shift, end - scheduled);
    const std::int64_t start = queue.pass(std::max({arrives, scheduled + shift, free[ordered.unit]}));
    free[ordered.unit] = start + op.busy;
    end = std::max(end, start + op.latency);
  }
  return end;
}

bool fills_a_queue(const Architecture& architecture, std::span<const OrderedOp> order) {
  std::vector<int> waits(architecture.units.size(), 0);
  for (const OrderedOp& op : order) {
    if (op.kind == OrderedOp::Kind::operation) waits[op.unit] = 0;
    if (op.kind == OrderedOp::Kind::wait && ++waits[op.unit] > architecture.units[op.unit].queue) return true;
  }
  return false;
}

}  // namespace accord

#pragma once

#include <algorithm>

#include "archdsl/graph/architecture.h"
#include "simulator/modules/run_state.h"

namespace accord::sim {

/// A controller's own time: groups of `width` instructions, each `interval` cycles after the one before; it stands
/// still where the run is not timed.
class IssueClock {
 public:
  IssueClock(const accord::Controller& spec, RunState& run, StallAccount account)
      : width_(std::max(1, spec.issue_width)),
        interval_(run.timed ? std::max(1, spec.issue_interval) : 0),
        slot_(run.timed ? 1 : 0),
        graph_(run.graph),
        account_(std::move(account)) {
    graph_.rates().of(Cause::issue, 0).period = {interval_, 1};
    graph_.rates().of(Cause::issue, 0).width = width_;
  }

  /// When the next instruction can issue, or the one so many after it, as a number.
  Cycle at(std::int64_t later = 0) const {
    return std::max(from_.at + (issued_ + later) / width_ * interval_, ready_.at);
  }
  /// When the next instruction can issue.
  Time now() {
    const std::int64_t two = 2 * width_;  // a group of a controller twice as wide
    if (graph_.recording() && issued_ >= two) {
      from_ = after_groups(issued_ / two * 2);
      issued_ %= two;
    }
    return graph_.later(after_groups(issued_ / width_), ready_);
  }
  void issue(std::int64_t instructions) {
    if (instructions == 0) return;
    issued_ += instructions;
    account_.spend(Leaves::working, std::max(from_.at + begun() * interval_, ready_.at) + slot_);
  }
  /// Nothing is issued before `time`.
  void wait_until(Time time, int leaf) {
    wait(time, leaf, [&](Time from) { return graph_.later(from, time); });
  }
  /// Nor before what had the place that is taken now left it (DependenceGraph::later_in_place).
  void wait_for_place(Time left, Cause cause, int component, int leaf) {
    wait(left, leaf, [&](Time from) { return graph_.later_in_place(from, {cause, component, 0}, left); });
  }
  /// The same for a fence, or a stage's end. The interval is that of the port which commands come through: neither
  /// keeps it.
  void wait_for_idle(Time time) {
    if (interval_ > 1) next_cycle();
    wait_until(time, Leaves::fence);
  }
  void issue_fence() {
    issue(1);
    if (interval_ > 1) next_cycle();
  }
  /// When all that was issued has been.
  Time end() const { return after_groups((issued_ + width_ - 1) / width_); }
  StallAccount& account() { return account_; }

 private:
  /// Recorded as the least instructions that are so many groups: at another width these may take one interval more than
  /// the instructions that there were.
  Time after_groups(std::int64_t groups) const {
    const std::int64_t instructions = groups == 0 ? 0 : (groups - 1) * width_ + 1;
    return graph_.after(from_, {Cause::issue, 0, groups * interval_, instructions});
  }
  template <typename Later>
  void wait(Time time, int leaf, const Later& later) {
    const bool waits = time.at > at();
    if (!waits && !graph_.recording()) return;
    if (waits) {
      account_.spend(Leaves::working, at());
      account_.spend(leaf, time);
    }
    ready_ = later(now());
    if (waits ? begins_group(time) : may_begin_group()) {
      from_ = ready_;
      issued_ = 0;
    }
  }
  /// Whether what is issued after waiting until then begins a group of its own.
  bool begins_group(Time time) const { return issued_ % width_ == 0 || time.at >= group_begin() + interval_; }
  /// Whether it would, had the wait been one in a run at other rates or of twice the width.
  bool may_begin_group() const { return issued_ % (2 * width_) == 0 && ready_.at == group_begin(); }
  /// Of the group that the next instruction belongs to.
  Cycle group_begin() const { return from_.at + issued_ / width_ * interval_; }
  /// Groups before the last one that has begun.
  std::int64_t begun() const { return (issued_ + width_ - 1) / width_ - 1; }
  /// To the cycle after the one in which the last group began.
  void next_cycle() {
    if (issued_ > 0) from_ = graph_.after(graph_.later(after_groups(begun()), ready_), {Cause::fixed, 0, slot_});
    issued_ = 0;
  }
  int width_;
  int interval_;
  int slot_;  ///< cycles of an instruction that keeps no interval
  DependenceGraph& graph_;
  Time from_;                ///< a group began here,
  std::int64_t issued_ = 0;  ///< and so many have issued since,
  Time ready_;               ///< the next no sooner than that: a wait may end within a group's interval
  StallAccount account_;
};

}  // namespace accord::sim

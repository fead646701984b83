#include <algorithm>
#include <cassert>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "compiler/lowering/buffer_history.h"
#include "compiler/lowering/contention.h"
#include "compiler/lowering/port_contention.h"
#include "compiler/lowering/request_window.h"
#include "compiler/lowering/schedule.h"

namespace accord {
namespace {

/// For every operation those that must come after it.
struct Successors {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> op;
  std::vector<std::int32_t> pending;  ///< per operation: predecessors
};

Successors successors_of(const OpList& list) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::uint32_t> newest(list.ops.size(), 0);  // per operation: the last that has an edge from it
  BufferHistory history(list);
  Successors result;
  result.pending.assign(list.ops.size(), 0);
  for (std::uint32_t i = 0; i < list.ops.size(); ++i) {
    history.dependences(list.ops[i], [&](std::int64_t p) {
      const auto from = static_cast<std::uint32_t>(p);
      if (std::exchange(newest[from], i) == i) return;
      edges.emplace_back(from, i);
      ++result.pending[i];
    });
    history.record(list.ops[i], i);
  }
  result.first.assign(list.ops.size() + 1, 0);
  for (const auto& edge : edges) ++result.first[edge.first + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.op.resize(edges.size());
  auto next = result.first;
  for (const auto& edge : edges) result.op[next[edge.first]++] = edge.second;
  return result;
}

/// Whether it reads, other than to add to it, what the one before writes.
bool reads_result(const LowOp& later, const LowOp& before) {
  for (const auto& read : later.buffers()) {
    if (read.write) continue;
    for (const auto& write : before.buffers()) {
      if (write.write && write.buffer == read.buffer && write.first <= read.last && read.first <= write.last)
        return true;
    }
  }
  return false;
}

/// The operations of one unit that may come next, each from a time on.
class Queue {
 public:
  /// `ready`: by operation, the time from which it may start; -1: it may not yet.
  Queue(bool keeps_order, std::int64_t free, const std::vector<std::int64_t>& ready)
      : keeps_order_(keeps_order), free_(free), ready_(ready) {}

  struct Choice {
    std::int64_t start = -1;  ///< -1: none may come now
    std::uint32_t op = 0;
  };

  void append(std::uint32_t op) { in_order_.push_back(op); }

  void offer(std::uint32_t op) {
    if (!keeps_order_) waiting_.push({ready_[op], op});
  }

  /// The operation that could start first; of several the oldest.
  Choice next() {
    if (keeps_order_) {
      if (in_order_.empty() || ready_[in_order_.front()] < 0) return {};
      return {std::max(free_, ready_[in_order_.front()]), in_order_.front()};
    }
    while (!waiting_.empty() && waiting_.top().first <= free_) {
      available_.push(waiting_.top().second);
      waiting_.pop();
    }
    if (!available_.empty()) return {free_, available_.top()};
    return waiting_.empty() ? Choice{} : Choice{waiting_.top().first, waiting_.top().second};
  }

  std::int64_t free() const { return free_; }
  bool keeps_order() const { return keeps_order_; }

  void free_from(std::int64_t time) { free_ = time; }

  /// Takes out what next() gave.
  void take() {
    if (keeps_order_) {
      in_order_.pop_front();
    } else if (!available_.empty()) {
      available_.pop();
    } else {
      waiting_.pop();
    }
  }

 private:
  using Timed = std::pair<std::int64_t, std::uint32_t>;
  bool keeps_order_;
  std::int64_t free_;
  const std::vector<std::int64_t>& ready_;
  std::deque<std::uint32_t> in_order_;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> waiting_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> available_;
};

/// When the controller has issued so many operations; its other instructions are not known here.
class IssueSlots {
 public:
  IssueSlots(const Controller& controller, std::int64_t from)
      : width_(std::max(controller.issue_width, 1)), interval_(std::max(controller.issue_interval, 1)), from_(from) {}

  std::int64_t next() { return from_ + issued_++ / width_ * interval_; }

 private:
  std::int64_t width_, interval_, from_;
  std::int64_t issued_ = 0;
};

/// Entries of the station in which interlocked operations wait and work: each is taken until its result is there.
class Station {
 public:
  explicit Station(const Sync& sync)
      : entries_(sync.kind == Sync::Kind::interlock ? static_cast<std::size_t>(std::max(sync.entries, 1)) : SIZE_MAX) {}

  /// When the next operation finds an entry.
  std::int64_t free_from() const { return done_.size() < entries_ ? 0 : done_.top(); }

  void enter(std::int64_t done) {
    if (done_.size() == entries_) done_.pop();
    if (entries_ < SIZE_MAX) done_.push(done);
  }

 private:
  std::size_t entries_;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> done_;  ///< of those that have one
};

/// Places in a unit's queue, each taken from an operation's issue until it begins, which is the controller's latency
/// later at least.
class Places {
 public:
  Places(int places, std::int64_t latency) : latency_(latency), begun_(static_cast<std::size_t>(std::max(places, 1))) {}

  /// When what is issued next can begin.
  std::int64_t free_from() const { return latency_ == 0 ? 0 : begun_[next_] + latency_; }

  void begin(std::int64_t start) {
    begun_[next_] = start;
    if (++next_ == begun_.size()) next_ = 0;
  }

 private:
  std::int64_t latency_;
  std::vector<std::int64_t> begun_;  ///< of the last operations, as many as there are places
  std::size_t next_ = 0;
};

class ListScheduler {
 public:
  ListScheduler(const OpList& list, const Architecture& architecture, const Lead& lead)
      : list_(list),
        successors_(successors_of(list)),
        contention_(architecture, list),
        ports_(architecture, list),
        from_(lead.ready),
        ready_(list.ops.size(), -1),
        slots_(architecture.controller, from_.empty() ? 0 : *std::ranges::min_element(from_)),
        station_(architecture.sync),
        latency_(architecture.controller.latency),
        streams_(architecture.units.size()),
        answered_(architecture.units.size(), 0) {
    from_.resize(list.ops.size(), 0);
    schedule_.done.resize(list.ops.size());
    for (std::size_t u = 0; u < architecture.units.size(); ++u) {
      const Unit& unit = architecture.units[u];
      const bool keeps_order = unit.kind == UnitKind::compute || holds_operands(unit);
      queues_.emplace_back(keeps_order, lead.free.empty() ? 0 : lead.free[u], ready_);
      windows_.emplace_back(architecture.units[u].in_flight);
      places_.emplace_back(architecture.units[u].queue, latency_);
    }
    for (std::uint32_t i = 0; i < list.ops.size(); ++i) {
      queues_[list.ops[i].unit].append(i);
      if (successors_.pending[i] == 0) release(i);
    }
    for (std::size_t u = 0; u < queues_.size(); ++u) offer(static_cast<int>(u));
  }

  Schedule run() {
    schedule_.order.reserve(list_.ops.size());
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (streams_[event.unit].left > 0) {
        if (event == streams_[event.unit].next) stream(event.unit);
      } else if (const Queue::Choice choice = queues_[event.unit].next(); event == of(event.unit, choice)) {
        begin(event.unit, choice);
      }
    }
    assert(schedule_.order.size() == list_.ops.size());
    for (const Queue& queue : queues_) schedule_.free.push_back(queue.free());
    return std::move(schedule_);
  }

 private:
  /// What a unit would do next: begin an operation, or go on with the one that it has begun. Those that no longer
  /// agree with the unit's state have been overtaken.
  struct Event {
    std::int64_t at = -1;
    std::uint32_t op = 0;
    int unit = -1;
    auto operator<=>(const Event&) const = default;
  };

  /// An operation that was begun; a transfer may take turns with those of other units.
  struct Stream {
    std::int64_t start = 0, waited = 0;
    std::int64_t late = 0;  ///< its results beside that
    int all = 0, left = 0;  ///< stretches
    Event next;
  };

  static Event of(int unit, const Queue::Choice& choice) { return {choice.start, choice.op, unit}; }

  void offer(int unit) {
    if (streams_[unit].left > 0) return;
    const Queue::Choice choice = queues_[unit].next();
    if (choice.start >= 0) events_.push(of(unit, choice));
  }

  void begin(int unit, const Queue::Choice& choice) {
    const LowOp& op = list_.ops[choice.op];
    const int stretches = contention_.stretches(op);
    const std::int64_t issued = std::max(slots_.next(), station_.free_from());
    const std::int64_t start = std::max({choice.start, issued + latency_, places_[unit].free_from()});
    places_[unit].begin(start);
    station_.enter(start + op.latency);
    queues_[unit].take();
    schedule_.order.push_back(choice.op);
    const PortContention::Delay delay = ports_.begin(op, start);
    streams_[unit] = {start, delay.unit, delay.results, stretches, stretches, {start, choice.op, unit}};
    if (stretches == 0) {
      finish(unit, choice.op);
    } else {
      stream(unit);
    }
  }

  /// The next stretch; the others come when they are presented.
  void stream(int unit) {
    Stream& stream = streams_[unit];
    const std::uint32_t index = stream.next.op;
    const LowOp& op = list_.ops[index];
    const std::int64_t around = std::max(op.latency - op.busy, 0), rest = std::max(op.busy - op.link, 0) / stream.all;
    stream.waited += contention_.pass(op, stream.all, stream.next.at + around + rest);
    if (--stream.left == 0) return finish(unit, index);
    const std::int64_t passed = std::int64_t{op.busy} * (stream.all - stream.left) / stream.all;
    stream.next.at = stream.start + passed + stream.waited;
    events_.push(stream.next);
  }

  /// Whoever reads results sees them when they are there; what the own unit adds up, it works off in order.
  void finish(int unit, std::uint32_t index) {
    const LowOp& op = list_.ops[index];
    const std::int64_t begun =
        streams_[unit].start + streams_[unit].waited + windows_[unit].wait(op, streams_[unit].start);
    std::int64_t done = begun + op.latency + streams_[unit].late;
    // What a mover brings leaves it in order.
    if (!queues_[unit].keeps_order()) done = answered_[unit] = std::max(answered_[unit], done);
    queues_[unit].free_from(begun + op.busy);
    schedule_.cycles = std::max(schedule_.cycles, done);
    schedule_.done[index] = done;
    for (std::uint32_t s = successors_.first[index]; s < successors_.first[index + 1]; ++s) {
      const std::uint32_t next = successors_.op[s];
      const int other = list_.ops[next].unit;
      if (other != unit || reads_result(list_.ops[next], op)) from_[next] = std::max(from_[next], done);
      if (--successors_.pending[next] > 0) continue;
      release(next);
      if (other != unit) offer(other);
    }
    offer(unit);
  }

  void release(std::uint32_t op) {
    ready_[op] = from_[op];
    queues_[list_.ops[op].unit].offer(op);
  }

  const OpList& list_;
  Successors successors_;
  Contention contention_;
  PortContention ports_;
  std::vector<std::int64_t> from_;   ///< results that the operation needs are there
  std::vector<std::int64_t> ready_;  ///< the same once it may start
  IssueSlots slots_;
  Station station_;
  std::int64_t latency_;        ///< from an operation's issue to its unit's queue
  std::vector<Places> places_;  ///< by unit
  std::vector<Queue> queues_;
  std::vector<RequestWindow> windows_;  ///< by unit
  std::vector<Stream> streams_;         ///< by unit
  std::vector<std::int64_t> answered_;  ///< by unit: all that a mover brought so far is there
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Schedule schedule_;
};

}  // namespace

Schedule schedule(const OpList& list, const Architecture& architecture, const Lead& lead) {
  return ListScheduler(list, architecture, lead).run();
}

Schedule schedule_for(const OpList& list, const Architecture& architecture, const Lead& lead) {
  const bool in_order = architecture.sync.kind == Sync::Kind::in_order || !list.loops.empty();
  return in_order ? schedule_in_order(list, architecture) : schedule(list, architecture, lead);
}

const Schedule& KnownSchedules::of(const OpList& list, const Architecture& architecture, const Lead& lead) {
  const auto known = std::ranges::find(known_, lead, &std::pair<Lead, Schedule>::first);
  if (known != known_.end()) return known->second;
  if (known_.size() == most_known) known_.pop_front();
  return known_.emplace_back(lead, schedule_for(list, architecture, lead)).second;
}

}  // namespace accord

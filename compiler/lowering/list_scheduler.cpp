#include <algorithm>
#include <cassert>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/lowering/buffer_history.h"
#include "compiler/lowering/schedule.h"

namespace accord {
namespace {

/// For every operation those that must come after it.
struct Successors {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> op;
  std::vector<std::int32_t> pending;  ///< per operation: predecessors
};

Successors successors_of(const OpList& list, int units) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  BufferHistory history(list.buffers.size(), units);
  Successors result;
  result.pending.assign(list.ops.size(), 0);
  for (std::uint32_t i = 0; i < list.ops.size(); ++i) {
    const std::size_t before = edges.size();
    history.dependences(list.ops[i], [&](std::int64_t p) {
      const std::pair edge(static_cast<std::uint32_t>(p), i);
      const auto from = edges.begin() + static_cast<std::ptrdiff_t>(before);
      if (std::find(from, edges.end(), edge) == edges.end()) edges.push_back(edge);
    });
    result.pending[i] = static_cast<std::int32_t>(edges.size() - before);
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
  Queue(bool keeps_order, std::int64_t free) : keeps_order_(keeps_order), free_(free) {}

  struct Choice {
    std::int64_t start = -1;  ///< -1: none may come now
    std::uint32_t op = 0;
  };

  void append(std::uint32_t op) { in_order_.push_back(op); }

  void ready(std::uint32_t op, std::int64_t at) {
    if (!keeps_order_) {
      waiting_.push({at, op});
    } else {
      ready_[op] = at;
    }
  }

  /// The operation that could start first; of several the oldest.
  Choice next() {
    if (keeps_order_) {
      const auto head = in_order_.empty() ? ready_.end() : ready_.find(in_order_.front());
      return head == ready_.end() ? Choice{} : Choice{std::max(free_, head->second), head->first};
    }
    while (!waiting_.empty() && waiting_.top().first <= free_) {
      available_.push(waiting_.top().second);
      waiting_.pop();
    }
    if (!available_.empty()) return {free_, available_.top()};
    return waiting_.empty() ? Choice{} : Choice{waiting_.top().first, waiting_.top().second};
  }

  std::int64_t free() const { return free_; }

  /// Starts what next() gave.
  void start(const Choice& choice, std::int64_t busy) {
    free_ = choice.start + busy;
    if (keeps_order_) {
      ready_.erase(choice.op);
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
  std::deque<std::uint32_t> in_order_;
  std::unordered_map<std::uint32_t, std::int64_t> ready_;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> waiting_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> available_;
};

/// Links that several units share serve one transfer after the other. Not on machines where many units share one,
/// arrays of elements: in what order their transfers come is not known well enough, and work would be divided less than
/// it can.
class SharedLinks {
 public:
  explicit SharedLinks(const Architecture& architecture) : lanes_(architecture.units.size()) {
    std::vector<std::size_t> users(2 * architecture.links.size(), 0);
    for (std::size_t u = 0; u < lanes_.size(); ++u) {
      lanes_[u] = lanes_of(architecture, architecture.units[u]);
      for (const std::size_t lane : lanes_[u]) ++users[lane];
    }
    const bool crowded = std::ranges::any_of(users, [](std::size_t count) { return count > most_users; });
    for (auto& lanes : lanes_) std::erase_if(lanes, [&](std::size_t lane) { return crowded || users[lane] < 2; });
    busy_.resize(users.size());
  }

  /// Cycles that a transfer waits whose bytes, were it alone, would pass from `from` on, in `busy` cycles.
  std::int64_t pass(int unit, std::int64_t from, std::int64_t busy) {
    std::int64_t wait = 0;
    for (const std::size_t lane : lanes_[unit]) {
      if (from >= busy_[lane].begin) wait = std::max(wait, busy_[lane].end - from);
    }
    for (const std::size_t lane : lanes_[unit]) busy_[lane].add(from + wait, busy);
    return wait;
  }

 private:
  static constexpr std::size_t most_users = 4;

  /// When a lane is taken last; what comes later in the schedule may pass before it.
  struct Stretch {
    std::int64_t begin = 0, end = 0;
    void add(std::int64_t from, std::int64_t busy) {
      if (from < begin) {
        end += std::clamp<std::int64_t>(from + busy - begin, 0, busy);
      } else {
        if (from > end) begin = from;
        end = std::max(end, from) + busy;
      }
    }
  };

  /// A unit's links, each once: twice the link's index, one more where it is duplex and what passes comes from off-chip
  /// memory.
  static std::vector<std::size_t> lanes_of(const Architecture& architecture, const Unit& unit) {
    std::vector<std::size_t> lanes;
    const auto add = [&](int link, bool inwards) {
      const std::size_t lane =
          2 * static_cast<std::size_t>(link) + (architecture.links[link].duplex && inwards ? 1 : 0);
      if (std::ranges::find(lanes, lane) == lanes.end()) lanes.push_back(lane);
    };
    if (unit.kind != UnitKind::mover) return lanes;
    for (const Route& route : unit.routes) {
      for (const int link : route.links) add(link, architecture.memories[route.source].off_chip);
    }
    if (unit.link >= 0 && unit.routes.empty()) add(unit.link, false);
    return lanes;
  }

  std::vector<std::vector<std::size_t>> lanes_;  ///< by unit: those that others use too
  std::vector<Stretch> busy_;                    ///< by lane
};

class ListScheduler {
 public:
  ListScheduler(const OpList& list, const Architecture& architecture, const Lead& lead)
      : list_(list),
        successors_(successors_of(list, static_cast<int>(architecture.units.size()))),
        links_(architecture),
        from_(lead.ready) {
    from_.resize(list.ops.size(), 0);
    schedule_.done.resize(list.ops.size());
    for (std::size_t u = 0; u < architecture.units.size(); ++u) {
      queues_.emplace_back(architecture.units[u].kind == UnitKind::compute, lead.free.empty() ? 0 : lead.free[u]);
    }
    for (std::uint32_t i = 0; i < list.ops.size(); ++i) {
      queues_[list.ops[i].unit].append(i);
      if (successors_.pending[i] == 0) queues_[list.ops[i].unit].ready(i, from_[i]);
    }
  }

  Schedule run() {
    schedule_.order.reserve(list_.ops.size());
    while (schedule_.order.size() < list_.ops.size()) pick();
    for (const Queue& queue : queues_) schedule_.free.push_back(queue.free());
    return std::move(schedule_);
  }

 private:
  void pick() {
    Queue* best = nullptr;
    Queue::Choice choice;
    for (Queue& queue : queues_) {
      const Queue::Choice now = queue.next();
      if (now.start < 0) continue;
      if (best != nullptr && (now.start > choice.start || (now.start == choice.start && now.op > choice.op))) continue;
      best = &queue;
      choice = now;
    }
    assert(best != nullptr);
    const LowOp& op = list_.ops[choice.op];
    const std::int64_t wait = links_.pass(op.unit, choice.start + op.latency - op.link, op.link);
    best->start(choice, op.busy + wait);
    schedule_.order.push_back(choice.op);
    release(choice, wait);
  }

  /// Whoever reads results sees them when they are there; what the own unit adds up, it works off in order.
  void release(const Queue::Choice& choice, std::int64_t wait) {
    const LowOp& op = list_.ops[choice.op];
    const std::int64_t done = choice.start + op.latency + wait;
    schedule_.cycles = std::max(schedule_.cycles, done);
    schedule_.done[choice.op] = done;
    for (std::uint32_t s = successors_.first[choice.op]; s < successors_.first[choice.op + 1]; ++s) {
      const std::uint32_t next = successors_.op[s];
      const int unit = list_.ops[next].unit;
      if (unit != op.unit || reads_result(list_.ops[next], op)) from_[next] = std::max(from_[next], done);
      if (--successors_.pending[next] == 0) queues_[unit].ready(next, from_[next]);
    }
  }

  const OpList& list_;
  Successors successors_;
  SharedLinks links_;
  std::vector<std::int64_t> from_;  ///< results that the operation needs are there
  std::vector<Queue> queues_;
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

}  // namespace accord

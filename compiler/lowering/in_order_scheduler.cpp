#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "compiler/lowering/item_graph.h"
#include "compiler/lowering/request_window.h"
#include "compiler/lowering/schedule.h"

namespace accord {
namespace {

/// Items that may begin on one unit, each from a time on.
class Waiting {
 public:
  void add(std::uint32_t item, std::int64_t from) { later_.push({from, item}); }

  /// The oldest of those that may begin at `now`, else the one that may begin first; false: there is none.
  bool next(std::int64_t now, std::int64_t& start, std::uint32_t& item) {
    while (!later_.empty() && later_.top().first <= now) {
      ready_.push(later_.top().second);
      later_.pop();
    }
    if (!ready_.empty()) {
      start = now;
      item = ready_.top();
      return true;
    }
    if (later_.empty()) return false;
    std::tie(start, item) = later_.top();
    return true;
  }

  void take() {
    if (!ready_.empty()) {
      ready_.pop();
    } else {
      later_.pop();
    }
  }

 private:
  using Timed = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> later_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready_;
};

/// When the controller can issue: so many operations at once, the next ones an interval later.
class IssueTimes {
 public:
  explicit IssueTimes(const Controller& controller)
      : width_(std::max(controller.issue_width, 1)), interval_(std::max(controller.issue_interval, 1)), left_(width_) {}

  std::int64_t next() const { return left_ > 0 ? at_ : at_ + interval_; }

  /// One more, not before `start`.
  void issue(std::int64_t start) {
    const std::int64_t from = std::max(start, next());
    if (from > at_ || left_ == 0) left_ = width_;
    at_ = from;
    --left_;
  }
  /// Nothing before `time`.
  void skip_to(std::int64_t time) {
    if (time <= next()) return;
    at_ = time;
    left_ = width_;
  }

 private:
  std::int64_t width_, interval_;
  std::int64_t at_ = 0;  ///< of the last
  std::int64_t left_;    ///< that can be issued with it
};

class InOrderScheduler {
 public:
  InOrderScheduler(const ItemGraph& graph, const Architecture& architecture)
      : architecture_(architecture),
        graph_(graph),
        pending_(graph.pending),
        from_(graph_.items.size(), 0),
        waiting_(architecture.units.size()),
        free_(architecture.units.size(), 0),
        streamed_(architecture.units.size(), 0),
        answered_(architecture.units.size(), 0),
        issue_(architecture.controller) {
    for (const Unit& unit : architecture.units) windows_.emplace_back(unit.in_flight);
  }

  ItemSchedule run() {
    for (std::uint32_t i = 0; i < graph_.items.size(); ++i) {
      if (pending_[i] == 0) waiting_[graph_.op(i).unit].add(i, 0);
    }
    for (std::size_t left = graph_.items.size(); left > 0; --left) pick();
    return std::move(schedule_);
  }

 private:
  void pick() {
    int best = -1;
    std::int64_t best_start = 0;
    std::uint32_t best_item = 0;
    for (std::size_t u = 0; u < waiting_.size(); ++u) {
      std::int64_t start = 0;
      std::uint32_t item = 0;
      if (!waiting_[u].next(std::max(free_[u], issue_.next()), start, item)) continue;
      if (best >= 0 && std::pair(start, item) > std::pair(best_start, best_item)) continue;
      best = static_cast<int>(u);
      best_start = start;
      best_item = item;
    }
    assert(best >= 0);
    waiting_[best].take();
    begin(best, best_item, best_start);
  }

  void begin(int unit, std::uint32_t index, std::int64_t start) {
    const Item& item = graph_.items[index];
    issue_.issue(start);
    std::int64_t begins = start, late = 0, done = start + item.latency;
    if (!item.loops.empty()) {
      issue_.skip_to(start + item.busy);
    } else if (architecture_.units[unit].kind == UnitKind::mover) {
      // A mover sets the next operation up while this one's requests are under way.
      const Unit& mover = architecture_.units[unit];
      const std::int64_t set_up = start + mover.period.cycles(mover.setup);
      begins = std::max(set_up, streamed_[unit]);
      // Who else has the link then is not known here: none is taken to be sooner done than among others at once.
      const std::int64_t for_room = std::max<std::int64_t>(windows_[unit].wait(graph_.op(index), begins), 0);
      late = begins - set_up + for_room;
      streamed_[unit] = set_up + late + item.busy;
      free_[unit] = begins;
      // What it moves leaves it in order.
      done = answered_[unit] = std::max(answered_[unit], done + late);
    } else {
      free_[unit] = start + item.busy;
    }
    schedule_.cycles = std::max(schedule_.cycles, done);
    schedule_.order.push_back({index, begins});
    for (std::uint32_t e = graph_.first_edge[index]; e < graph_.first_edge[index + 1]; ++e) {
      const Edge& edge = graph_.edges[e];
      const std::int64_t after = start + late + edge.delay;
      from_[edge.to] = std::max({from_[edge.to], after, edge.waits ? done : after});
      if (--pending_[edge.to] == 0) waiting_[graph_.op(edge.to).unit].add(edge.to, from_[edge.to]);
    }
  }

  const Architecture& architecture_;
  const ItemGraph& graph_;
  std::vector<std::int32_t> pending_;
  std::vector<std::int64_t> from_;
  std::vector<Waiting> waiting_;
  std::vector<std::int64_t> free_;      ///< per unit: takes another operation
  std::vector<std::int64_t> streamed_;  ///< per mover: its last request so far is on its way
  std::vector<std::int64_t> answered_;  ///< per mover: all that it moved so far is there
  std::vector<RequestWindow> windows_;  ///< per unit
  IssueTimes issue_;
  ItemSchedule schedule_;
};

}  // namespace

ItemSchedule place_items(const ItemGraph& graph, const Architecture& architecture) {
  return InOrderScheduler(graph, architecture).run();
}

Schedule schedule_in_order(const OpList& list, const Architecture& architecture) {
  const ItemGraph graph(list, architecture);
  const ItemSchedule placed = place_items(graph, architecture);
  Schedule schedule;
  schedule.cycles = placed.cycles;
  schedule.order.reserve(list.ops.size());
  for (const auto& [index, start] : placed.order) {
    const Item& item = graph.items[index];
    for (std::uint32_t i = item.first; i < item.first + item.length; ++i) schedule.order.push_back(i);
  }
  return schedule;
}

}  // namespace accord

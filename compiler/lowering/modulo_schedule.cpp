#include "compiler/lowering/modulo_schedule.h"

#include <algorithm>
#include <limits>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max() / 4;

std::vector<std::int64_t> busy_of_units(const LoopProblem& problem) {
  std::vector<std::int64_t> busy(static_cast<std::size_t>(problem.units), 0);
  for (const auto& op : problem.ops) busy[op.unit] += op.busy;
  return busy;
}

/// One attempt with a given interval.
class Attempt {
 public:
  Attempt(const LoopProblem& problem, std::int32_t interval, int critical)
      : problem_(problem),
        interval_(interval),
        critical_(critical),
        start_(problem.ops.size(), nowhere),
        taken_(static_cast<std::size_t>(problem.units) * interval, false),
        issued_(interval, 0),
        in_(problem.ops.size()),
        out_(problem.ops.size()) {
    for (const auto& edge : problem.edges) {
      in_[edge.to].push_back(&edge);
      out_[edge.from].push_back(&edge);
    }
  }

  std::optional<ModuloSchedule> run() {
    if (!place_critical() || !place_needed() || !place_rest()) return std::nullopt;
    ModuloSchedule schedule;
    schedule.interval = interval_;
    const std::int64_t first = *std::min_element(start_.begin(), start_.end());
    for (const auto start : start_) schedule.start.push_back(static_cast<std::int32_t>(start - first));
    return schedule;
  }

 private:
  /// Starts that the operations placed so far leave open.
  struct Window {
    std::int64_t from = -nowhere;
    std::int64_t to = nowhere;
  };

  Window window(std::size_t op) const {
    Window open;
    for (const auto* edge : in_[op]) {
      if (edge->from == op) continue;
      const std::int64_t before = start_[edge->from];
      if (before != nowhere) open.from = std::max(open.from, before + edge->delay - shift(*edge));
    }
    for (const auto* edge : out_[op]) {
      if (edge->to == op) continue;
      const std::int64_t after = start_[edge->to];
      if (after != nowhere) open.to = std::min(open.to, after - edge->delay + shift(*edge));
    }
    return open;
  }

  std::int64_t shift(const LoopProblem::Edge& edge) const {
    return static_cast<std::int64_t>(edge.distance) * interval_;
  }

  std::int64_t modulo(std::int64_t at) const { return (at % interval_ + interval_) % interval_; }

  bool fits(std::size_t op, std::int64_t at) const {
    for (std::int64_t first = at - problem_.issue_interval + 1; first <= at; ++first) {
      int issued = 0;
      for (int c = 0; c < problem_.issue_interval; ++c) issued += issued_[modulo(first + c)];
      if (issued >= problem_.issue_width) return false;
    }
    const auto& [unit, busy] = problem_.ops[op];
    for (std::int32_t c = 0; c < busy; ++c) {
      if (taken_[static_cast<std::size_t>(unit) * interval_ + modulo(at + c)]) return false;
    }
    return busy <= interval_;
  }

  void place(std::size_t op, std::int64_t at) {
    start_[op] = at;
    ++issued_[modulo(at)];
    const auto& [unit, busy] = problem_.ops[op];
    for (std::int32_t c = 0; c < busy; ++c) taken_[static_cast<std::size_t>(unit) * interval_ + modulo(at + c)] = true;
  }

  bool place_early(std::size_t op, const Window& open) {
    const std::int64_t from = open.from > -nowhere ? open.from : 0;
    for (std::int64_t at = from; at <= open.to && at < from + interval_; ++at) {
      if (!fits(op, at)) continue;
      place(op, at);
      return true;
    }
    return false;
  }

  bool place_late(std::size_t op, const Window& open) {
    for (std::int64_t at = open.to; at >= open.from && at > open.to - interval_; --at) {
      if (!fits(op, at)) continue;
      place(op, at);
      return true;
    }
    return false;
  }

  bool place_critical() {
    std::int64_t last = 0;
    for (std::size_t op = 0; op < problem_.ops.size(); ++op) {
      if (problem_.ops[op].unit != critical_) continue;
      Window open = window(op);
      open.from = std::max(open.from, last);
      if (!place_early(op, open)) return false;
      last = start_[op];
    }
    return true;
  }

  bool place_needed() {
    for (std::size_t op = problem_.ops.size(); op-- > 0;) {
      if (start_[op] != nowhere) continue;
      const bool needed = std::any_of(out_[op].begin(), out_[op].end(), [&](const auto* edge) {
        return edge->distance == 0 && start_[edge->to] != nowhere;
      });
      if (needed && !place_late(op, window(op))) return false;
    }
    return true;
  }

  bool place_rest() {
    for (std::size_t op = 0; op < problem_.ops.size(); ++op) {
      if (start_[op] == nowhere && !place_early(op, window(op))) return false;
    }
    return true;
  }

  const LoopProblem& problem_;
  std::int32_t interval_;
  int critical_;
  std::vector<std::int64_t> start_;
  std::vector<bool> taken_;  ///< [unit][cycle of the interval]
  std::vector<int> issued_;  ///< per cycle of the interval
  std::vector<std::vector<const LoopProblem::Edge*>> in_, out_;
};

/// An operation that must follow itself sooner than the interval allows has no schedule.
bool recurs_in_time(const LoopProblem& problem, std::int32_t interval) {
  return std::all_of(problem.edges.begin(), problem.edges.end(), [&](const auto& edge) {
    return edge.from != edge.to || edge.delay <= static_cast<std::int64_t>(edge.distance) * interval;
  });
}

}  // namespace

std::int32_t least_interval(const LoopProblem& problem) {
  const auto busy = busy_of_units(problem);
  const auto slots = static_cast<std::int64_t>(problem.ops.size());
  const std::int64_t issue = ceil_div(slots, problem.issue_width) * problem.issue_interval;
  return static_cast<std::int32_t>(std::max({std::int64_t{1}, issue, *std::max_element(busy.begin(), busy.end())}));
}

std::optional<ModuloSchedule> modulo_schedule(const LoopProblem& problem) {
  if (problem.ops.empty()) return std::nullopt;
  const auto busy = busy_of_units(problem);
  const std::int64_t most = *std::max_element(busy.begin(), busy.end());
  const std::int32_t least = least_interval(problem);
  for (std::int32_t interval = least; interval <= least + least / 4 + 8;) {
    if (recurs_in_time(problem, interval)) {
      // Units that are nearly as busy may be what all turns on: the loads of a sum that has one for each addition.
      for (int unit = 0; unit < problem.units; ++unit) {
        if (10 * busy[unit] < 9 * most) continue;
        if (auto found = Attempt(problem, interval, unit).run()) return found;
      }
    }
    interval += std::max(1, interval / 64);
  }
  return std::nullopt;
}

}  // namespace accord

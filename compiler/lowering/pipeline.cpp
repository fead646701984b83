#include "compiler/lowering/pipeline.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/lowering/address_history.h"
#include "compiler/lowering/list_copy.h"
#include "compiler/lowering/modulo_schedule.h"
#include "compiler/lowering/turn_overlap.h"

namespace accord {
namespace {

constexpr std::size_t most_modulo = 600;  ///< operations of a body that is scheduled modulo its interval

/// One pass over a list: schedules the loops in which no other is left to do.
class LoopPipeliner {
 public:
  LoopPipeliner(const OpList& list, const Architecture& architecture)
      : list_(list), architecture_(architecture), ranges_(architecture), history_(architecture), copy_(list) {}

  OpList run() {
    walk(0, list_.ops.size(), list_.loops);
    return copy_.take();
  }

 private:
  /// A range of an operation of the body, with what it moves by from turn to turn.
  struct Moving {
    std::size_t op = 0;
    AddressRange range;
    std::int64_t delta = 0;
  };

  void walk(std::size_t first, std::size_t last, LoopSpan loops);
  void schedule(LoopSpan loops);
  bool goes_off_chip(const LowLoop& loop) const;
  bool add_loop(const LowLoop& loop);
  void lay_out(const LowLoop& loop, const ModuloSchedule& schedule);
  std::vector<Moving> ranges_of(const LowLoop& loop) const;
  bool may_meet(const LowLoop& loop, const std::vector<Moving>& ranges) const;
  LoopProblem problem_of(const LowLoop& loop, const std::vector<Moving>& ranges);
  const std::optional<ModuloSchedule>& solve(const LoopProblem& problem);
  const std::int64_t* deltas_of(const LowLoop& loop, std::size_t op) const {
    return loop.deltas.data() + (list_.ops[loop.first + op].first - list_.ops[loop.first].first);
  }
  std::int32_t setup_of(const LowOp& op) const {
    const Unit& unit = architecture_.units[op.unit];
    return static_cast<std::int32_t>(unit.period.cycles(unit.setup));
  }
  std::int32_t latency(const LowOp& op) const { return op.latency + setup_of(op); }

  const OpList& list_;
  const Architecture& architecture_;
  AddressRanges ranges_;
  AddressHistory history_;
  std::int64_t seen_ = 0;  ///< ids of the history that earlier loops took
  std::map<std::vector<std::int32_t>, std::optional<ModuloSchedule>> solved_;
  ListCopy copy_;
};

void LoopPipeliner::walk(std::size_t first, std::size_t last, LoopSpan loops) {
  while (first < last) {
    if (loops.empty() || loops.front().first != first) {
      copy_.operation(first++);
      continue;
    }
    const LoopSpan whole = with_inner(loops);
    const LowLoop& loop = whole.front();
    const LoopSpan inner = whole.subspan(1);
    const auto open = [](const LowLoop& l) { return l.interval == 0; };
    if (loop.interval != 0) {
      copy_.range(loop.first, loop.length, whole);
    } else if (std::any_of(inner.begin(), inner.end(), open)) {
      copy_.open(loop, loop.turns, 0);
      walk(loop.first, loop.first + loop.length, inner);
      copy_.close();
    } else {
      schedule(whole);
    }
    first += loop.length;
    loops = loops.subspan(whole.size());
  }
}

/// Whether the loop waits for off-chip memory, of which latencies are no more than a guess: its transfers begin as
/// early as they can.
bool LoopPipeliner::goes_off_chip(const LowLoop& loop) const {
  return std::any_of(list_.ops.begin() + static_cast<std::ptrdiff_t>(loop.first),
                     list_.ops.begin() + static_cast<std::ptrdiff_t>(loop.first + loop.length), [&](const LowOp& op) {
                       const Mnemonic& mnemonic = architecture_.isa.mnemonics[op.mnemonic];
                       if (mnemonic.meaning != Meaning::transfer) return false;
                       const Route& route = architecture_.units[mnemonic.unit].routes[mnemonic.route];
                       const auto& memories = architecture_.memories;
                       return memories[route.source].off_chip || memories[route.target].off_chip;
                     });
}

void LoopPipeliner::schedule(LoopSpan loops) {
  const bool modulo = loops.size() == 1 && loops.front().length <= most_modulo && !goes_off_chip(loops.front());
  if (!modulo || !add_loop(loops.front())) overlap_turns(list_, loops, architecture_, copy_);
}

std::vector<LoopPipeliner::Moving> LoopPipeliner::ranges_of(const LowLoop& loop) const {
  std::vector<Moving> moving;
  std::vector<AddressRange> ranges;
  for (std::size_t i = 0; i < loop.length; ++i) {
    ranges_.of(list_, list_.ops[loop.first + i], ranges);
    for (const auto& range : ranges) moving.push_back({i, range, range.move(deltas_of(loop, i))});
  }
  return moving;
}

/// Whether something that is written may be met by another turn's access more than one turn away: only where one of the
/// two moves; what stays is met in every turn.
bool LoopPipeliner::may_meet(const LowLoop& loop, const std::vector<Moving>& ranges) const {
  const auto over_all_turns = [&](const Moving& m) {
    const std::int64_t way = m.delta * (loop.turns - 1);
    return std::pair(m.range.low + std::min<std::int64_t>(way, 0), m.range.high + std::max<std::int64_t>(way, 0));
  };
  for (const auto& writer : ranges) {
    if (!writer.range.writes) continue;
    if (writer.delta != 0 && std::abs(writer.delta) < writer.range.high - writer.range.low) return true;
    for (const auto& other : ranges) {
      if (&other == &writer || other.range.memory != writer.range.memory) continue;
      if (writer.delta == 0 && other.delta == 0) continue;
      const auto a = over_all_turns(writer), b = over_all_turns(other);
      if (a.first < b.second && b.first < a.second) return true;
    }
  }
  return false;
}

/// Order within a turn and from each turn to the next.
LoopProblem LoopPipeliner::problem_of(const LowLoop& loop, const std::vector<Moving>& ranges) {
  LoopProblem problem;
  problem.units = static_cast<int>(architecture_.units.size());
  problem.issue_width = std::max(architecture_.controller.issue_width, 1);
  problem.issue_interval = std::max(architecture_.controller.issue_interval, 1);
  const auto length = static_cast<std::int64_t>(loop.length);
  for (std::size_t i = 0; i < loop.length; ++i) {
    const LowOp& op = list_.ops[loop.first + i];
    problem.ops.push_back({op.unit, std::max(op.busy, setup_of(op))});
  }
  std::vector<AddressRange> now;
  for (const int turn : {0, 1}) {
    std::size_t r = 0;
    for (std::size_t i = 0; i < loop.length; ++i) {
      now.clear();
      for (; r < ranges.size() && ranges[r].op == i; ++r) {
        now.push_back(ranges[r].range);
        now.back().low += turn * ranges[r].delta;
        now.back().high += turn * ranges[r].delta;
      }
      const LowOp& op = list_.ops[loop.first + i];
      const std::size_t known = problem.edges.size();
      history_.before(op.unit, now, [&](std::int64_t id, bool waits) {
        if (id < seen_) return;
        const auto from = static_cast<std::uint32_t>((id - seen_) % length);
        const int distance = turn - static_cast<int>((id - seen_) / length);
        if (turn == 1 && distance == 0) return;  // as in turn 0
        const LowOp& earlier = list_.ops[loop.first + from];
        const std::int32_t delay = waits ? latency(earlier) : problem.ops[from].busy;
        for (std::size_t e = known; e < problem.edges.size(); ++e) {
          LoopProblem::Edge& edge = problem.edges[e];
          if (edge.from != from || edge.distance != distance) continue;
          edge.delay = std::max(edge.delay, delay);
          return;
        }
        problem.edges.push_back({from, static_cast<std::uint32_t>(i), delay, distance});
      });
      history_.record(seen_ + turn * length + static_cast<std::int64_t>(i), op.unit, now);
    }
  }
  seen_ += 2 * length;
  return problem;
}

/// Equal problems have equal solutions: a layer repeats few bodies often.
const std::optional<ModuloSchedule>& LoopPipeliner::solve(const LoopProblem& problem) {
  std::vector<std::int32_t> key;
  for (const auto& op : problem.ops) key.insert(key.end(), {op.unit, op.busy});
  for (const auto& edge : problem.edges) {
    key.insert(key.end(),
               {static_cast<std::int32_t>(edge.from), static_cast<std::int32_t>(edge.to), edge.delay, edge.distance});
  }
  const auto it = solved_.find(key);
  return it != solved_.end() ? it->second : solved_.emplace(std::move(key), modulo_schedule(problem)).first->second;
}

/// Turn i's operation of stage s stands in block i + s; blocks in which all stages occur are the kernel's turns.
void LoopPipeliner::lay_out(const LowLoop& loop, const ModuloSchedule& schedule) {
  TurnOrder order;
  order.interval = schedule.interval;
  order.order.resize(loop.length);
  std::iota(order.order.begin(), order.order.end(), 0);
  for (const auto start : schedule.start) order.stage.push_back(start / schedule.interval);
  // Within one cycle, earlier turns first.
  std::stable_sort(order.order.begin(), order.order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(schedule.start[a] % schedule.interval, -order.stage[a]) <
           std::pair(schedule.start[b] % schedule.interval, -order.stage[b]);
  });
  lay_out_turns(loop, order, copy_,
                [&](std::size_t op, std::int64_t turn) { copy_.operation(loop.first + op, &loop, turn); });
}

/// False where no interval has been found.
bool LoopPipeliner::add_loop(const LowLoop& loop) {
  const auto ranges = ranges_of(loop);
  if (may_meet(loop, ranges)) return false;
  const auto& schedule = solve(problem_of(loop, ranges));
  if (schedule) lay_out(loop, *schedule);
  return schedule.has_value();
}

}  // namespace

OpList pipeline_loops(OpList list, const Architecture& architecture) {
  const auto open = [](const LowLoop& loop) { return loop.interval == 0; };
  while (std::any_of(list.loops.begin(), list.loops.end(), open)) list = LoopPipeliner(list, architecture).run();
  return list;
}

}  // namespace accord

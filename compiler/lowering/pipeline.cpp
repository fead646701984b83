#include "compiler/lowering/pipeline.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/lowering/address_history.h"
#include "compiler/lowering/modulo_schedule.h"

namespace accord {
namespace {

class LoopPipeliner {
 public:
  LoopPipeliner(const OpList& list, const Architecture& architecture)
      : list_(list), architecture_(architecture), ranges_(architecture), history_(architecture) {}

  OpList run() {
    result_.buffers = list_.buffers;
    std::size_t at = 0;
    for (const auto& loop : list_.loops) {
      for (; at < loop.first; ++at) append(list_.ops[at], nullptr, 0);
      at += loop.length;
      add_loop(loop);
    }
    for (; at < list_.ops.size(); ++at) append(list_.ops[at], nullptr, 0);
    return std::move(result_);
  }

 private:
  /// A range of an operation of the body, with what it moves by from turn to turn.
  struct Moving {
    std::size_t op = 0;
    AddressRange range;
    std::int64_t delta = 0;
  };

  void add_loop(const LowLoop& loop);
  void keep(const LowLoop& loop);
  void lay_out(const LowLoop& loop, const ModuloSchedule& schedule);
  void append(const LowOp& op, const std::int64_t* deltas, std::int64_t turn);
  std::vector<Moving> ranges_of(const LowLoop& loop) const;
  bool may_meet(const LowLoop& loop, const std::vector<Moving>& ranges) const;
  LoopProblem problem_of(const LowLoop& loop, const std::vector<Moving>& ranges);
  const std::optional<ModuloSchedule>& solve(const LoopProblem& problem);
  const std::int64_t* deltas_of(const LowLoop& loop, std::size_t op) const {
    return loop.deltas.data() + (list_.ops[loop.first + op].first - list_.ops[loop.first].first);
  }
  std::int32_t latency(const LowOp& op) const {
    return op.latency + static_cast<std::int32_t>(architecture_.units[op.unit].setup);
  }

  const OpList& list_;
  const Architecture& architecture_;
  AddressRanges ranges_;
  AddressHistory history_;
  std::int64_t seen_ = 0;  ///< ids of the history that earlier loops took
  std::map<std::vector<std::int32_t>, std::optional<ModuloSchedule>> solved_;
  OpList result_;
};

/// Copies an operation of turn 0, or of a later one by its deltas.
void LoopPipeliner::append(const LowOp& op, const std::int64_t* deltas, std::int64_t turn) {
  LowOp copy = op;
  copy.first = static_cast<std::uint32_t>(result_.values.size());
  for (std::uint32_t v = 0; v < op.count; ++v) {
    MaybeValue value = list_.values[op.first + v];
    if (value && deltas != nullptr) *value += turn * deltas[v];
    result_.values.push_back(value);
  }
  result_.ops.push_back(copy);
}

void LoopPipeliner::keep(const LowLoop& loop) {
  result_.loops.push_back(loop);
  result_.loops.back().first = result_.ops.size();
  for (std::size_t i = 0; i < loop.length; ++i) append(list_.ops[loop.first + i], nullptr, 0);
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
  const auto length = static_cast<std::int64_t>(loop.length);
  for (std::size_t i = 0; i < loop.length; ++i) {
    const LowOp& op = list_.ops[loop.first + i];
    const auto setup = static_cast<std::int32_t>(architecture_.units[op.unit].setup);
    problem.ops.push_back({op.unit, std::max(op.busy, setup)});
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
  std::vector<std::size_t> order(loop.length);
  std::iota(order.begin(), order.end(), 0);
  const auto cycle = [&](std::size_t op) { return schedule.start[op] % schedule.interval; };
  const auto stage = [&](std::size_t op) { return static_cast<std::int64_t>(schedule.start[op] / schedule.interval); };
  // Within one cycle, earlier turns first.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(cycle(a), -stage(a)) < std::pair(cycle(b), -stage(b));
  });
  std::int64_t stages = 1;
  for (const auto op : order) stages = std::max(stages, stage(op) + 1);
  const auto add_block = [&](std::int64_t block) {
    for (const auto op : order) {
      const std::int64_t turn = block - stage(op);
      if (turn >= 0 && turn < loop.turns) append(list_.ops[loop.first + op], deltas_of(loop, op), turn);
    }
  };
  const std::int64_t kernel = loop.turns - stages + 1;
  const std::int64_t blocks = loop.turns + stages - 1;
  if (kernel < 2) {
    for (std::int64_t block = 0; block < blocks; ++block) add_block(block);
    return;
  }
  for (std::int64_t block = 0; block < stages - 1; ++block) add_block(block);
  LowLoop steady{result_.ops.size(), loop.length, kernel, {}};
  add_block(stages - 1);
  for (const auto op : order) {
    const auto* deltas = deltas_of(loop, op);
    steady.deltas.insert(steady.deltas.end(), deltas, deltas + list_.ops[loop.first + op].count);
  }
  result_.loops.push_back(std::move(steady));
  for (std::int64_t block = loop.turns; block < blocks; ++block) add_block(block);
}

void LoopPipeliner::add_loop(const LowLoop& loop) {
  const auto ranges = ranges_of(loop);
  if (may_meet(loop, ranges)) return keep(loop);
  const auto& schedule = solve(problem_of(loop, ranges));
  if (!schedule) return keep(loop);
  lay_out(loop, *schedule);
}

}  // namespace

OpList pipeline_loops(const OpList& list, const Architecture& architecture) {
  if (list.loops.empty()) return list;
  return LoopPipeliner(list, architecture).run();
}

}  // namespace accord

#include "compiler/lowering/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "compiler/lowering/synchroniser.h"

using namespace accord;

namespace {

constexpr unsigned schedule_seed = 815;
constexpr int units = 4;

/// Units 0 and 1 compute, 2 and 3 move.
Architecture four_units() {
  Architecture architecture;
  architecture.units.resize(units);
  for (int u = 0; u < units; ++u) architecture.units[u].kind = u < 2 ? UnitKind::compute : UnitKind::mover;
  return architecture;
}
const Architecture four_at_once = four_units();

int from(std::mt19937& engine, int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); }

OpList random_list(std::mt19937& random, int buffers, int most) {
  const auto from = [&](int low, int high) { return ::from(random, low, high); };
  OpList list;
  list.buffers.resize(static_cast<std::size_t>(buffers));
  for (int n = from(1, most); n > 0; --n) {
    LowOp op;
    op.unit = from(0, units - 1);
    op.busy = from(1, 20);
    op.latency = op.busy + from(0, 30);
    for (int a = from(0, 3); a > 0; --a) op.touch(from(0, buffers - 1), from(0, 1) == 1);
    for (auto& access : op.buffers()) {
      access.first = static_cast<std::uint8_t>(from(0, buffer_parts - 1));
      access.last = static_cast<std::uint8_t>(from(access.first, buffer_parts - 1));
    }
    list.ops.push_back(op);
  }
  return list;
}
OpList random_list(std::mt19937& engine) { return random_list(engine, from(engine, 1, 6), 60); }

bool meet(const BufferAccess& a, const BufferAccess& b) {
  return a.buffer == b.buffer && a.first <= b.last && b.first <= a.last;
}

bool conflict(const LowOp& a, const LowOp& b) {
  for (const auto& x : a.buffers()) {
    for (const auto& y : b.buffers()) {
      if (meet(x, y) && (x.write || y.write)) return true;
    }
  }
  return false;
}

bool share_a_part(const LowOp& a, const LowOp& b) {
  for (const auto& x : a.buffers()) {
    for (const auto& y : b.buffers()) {
      if (meet(x, y)) return true;
    }
  }
  return false;
}

/// before[b][a]: a must be done before b starts; every pair of the list, no shortcuts.
std::vector<std::vector<bool>> dependences(const OpList& list) {
  std::vector<std::vector<bool>> before(list.ops.size(), std::vector<bool>(list.ops.size(), false));
  for (std::size_t b = 0; b < list.ops.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const int unit = list.ops[a].unit;
      const bool ordered = four_at_once.units[unit].kind == UnitKind::compute || share_a_part(list.ops[a], list.ops[b]);
      before[b][a] = (unit == list.ops[b].unit && ordered) || conflict(list.ops[a], list.ops[b]);
    }
  }
  return before;
}

/// Lists that run one after another, as one program over the operations of all.
struct Sequence {
  OpList all;
  std::vector<std::size_t> begins;
  std::vector<OrderedOp> program;
};

struct Semaphores {
  int count = units * units;
  std::int64_t max = 255;
};

Sequence in_sequence(const std::vector<OpList>& lists, const Semaphores& semaphores = {}) {
  Sequence result;
  Synchroniser synchroniser(units, semaphores.count, semaphores.max);
  std::vector<std::vector<std::int64_t>> positions;
  std::vector<OrderedOp> last;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const OpList& list = lists[l];
    Predecessors earlier;
    for (const LowOp& op : list.ops) {
      for (std::size_t k = 0; k < l; ++k) {
        for (std::size_t i = 0; i < lists[k].ops.size(); ++i) {
          if (conflict(lists[k].ops[i], op)) earlier.add(lists[k].ops[i].unit, positions[k][i]);
        }
      }
      earlier.end_operation();
    }
    auto added = synchroniser.add(list, schedule(list, four_at_once).order, earlier);
    synchroniser.keep();
    for (const auto& signal : added.late) {
      // Before what the unit's next operation waits for, or at the list's end.
      std::int64_t left = signal.after;
      auto after = std::find_if(last.begin(), last.end(), [&](const OrderedOp& op) {
        return op.kind == OrderedOp::Kind::operation && op.unit == signal.unit && left-- == 0;
      });
      REQUIRE(after != last.end());
      after = std::find_if(after + 1, last.end(), [&](const OrderedOp& op) {
        return op.kind != OrderedOp::Kind::signal && op.unit == signal.unit;
      });
      last.insert(after, {OrderedOp::Kind::signal, signal.unit, signal.semaphore, 0});
    }
    result.program.insert(result.program.end(), last.begin(), last.end());
    last = std::move(added.order);
    for (auto& op : last) op.op += static_cast<std::uint32_t>(result.all.ops.size());
    result.begins.push_back(result.all.ops.size());
    result.all.ops.insert(result.all.ops.end(), list.ops.begin(), list.ops.end());
    positions.push_back(std::move(added.positions));
  }
  result.program.insert(result.program.end(), last.begin(), last.end());
  return result;
}

/// A unit begins a list's operations after those of the lists before.
std::vector<std::vector<bool>> dependences(const Sequence& sequence) {
  auto before = dependences(sequence.all);
  for (const std::size_t begin : sequence.begins) {
    for (std::size_t b = begin; b < before.size(); ++b) {
      for (std::size_t a = 0; a < begin; ++a) {
        if (sequence.all.ops[a].unit == sequence.all.ops[b].unit) before[b][a] = true;
      }
    }
  }
  return before;
}

/// Executes the units' queues on tokens alone, always the unit that `engine` picks among those that can go on; dispatch
/// is in order into queues of `depth`. Returns, for each operation in the order of its start, what was done by then as
/// far as waits and the units' own order guarantee it; stops short where nothing can go on.
class TokenMachine {
 public:
  TokenMachine(const OpList& list, const std::vector<OrderedOp>& program, std::size_t depth)
      : list_(list), program_(program), depth_(depth), queues_(units), known_(units, Known(list.ops.size(), false)) {}

  /// Operations that run, in order.
  std::vector<std::uint32_t> run(std::mt19937& engine) {
    for (;;) {
      while (next_ < program_.size() && dispatch(program_[next_])) ++next_;
      std::vector<int> ready;
      for (int u = 0; u < units; ++u) {
        if (!queues_[u].empty() && can_go(queues_[u].front())) ready.push_back(u);
      }
      if (ready.empty()) return started_;
      step(ready[engine() % ready.size()]);
    }
  }

  /// Operations guaranteed to be done when `op` started.
  const std::vector<bool>& seen(std::uint32_t op) const { return seen_.at(op); }

  /// Greatest count that a semaphore had.
  std::size_t greatest() const { return greatest_; }

 private:
  using Known = std::vector<bool>;

  /// Whether there is room for it; a fence goes once all queues are empty, and all that was started is done.
  bool dispatch(const OrderedOp& op) {
    if (op.kind != OrderedOp::Kind::fence) {
      if (queues_[op.unit].size() >= depth_) return false;
      queues_[op.unit].push_back(op);
      return true;
    }
    if (std::ranges::any_of(queues_, [](const auto& queue) { return !queue.empty(); })) return false;
    for (Known& known : known_) {
      for (const std::uint32_t done : started_) known[done] = true;
    }
    return true;
  }

  bool can_go(const OrderedOp& op) const {
    const auto it = tokens_.find(op.semaphore);
    return op.kind != OrderedOp::Kind::wait || (it != tokens_.end() && !it->second.empty());
  }

  void step(int unit) {
    const OrderedOp op = queues_[unit].front();
    queues_[unit].pop_front();
    if (op.kind == OrderedOp::Kind::wait) {
      auto& waiting = tokens_[op.semaphore];
      for (std::size_t i = 0; i < known_[unit].size(); ++i) known_[unit][i] = known_[unit][i] || waiting.front()[i];
      waiting.pop_front();
    } else if (op.kind == OrderedOp::Kind::signal) {
      tokens_[op.semaphore].push_back(known_[unit]);
      greatest_ = std::max(greatest_, tokens_[op.semaphore].size());
    } else {
      started_.push_back(op.op);
      seen_[op.op] = known_[unit];
      known_[unit][op.op] = true;
    }
  }

  const OpList& list_;
  const std::vector<OrderedOp>& program_;
  std::size_t depth_;
  std::size_t next_ = 0;
  std::vector<std::deque<OrderedOp>> queues_;
  std::vector<Known> known_;
  std::map<int, std::deque<Known>> tokens_;
  std::size_t greatest_ = 0;
  std::vector<std::uint32_t> started_;
  std::map<std::uint32_t, Known> seen_;
};

}  // namespace

TEST_CASE("does what a mover brings leave it in order") {
  OpList list;
  list.buffers.resize(2);
  const auto add = [&](int unit, int latency, int buffer, bool write) {
    LowOp op;
    op.unit = unit;
    op.busy = 10;
    op.latency = latency;
    op.touch(buffer, write);
    list.ops.push_back(op);
  };
  add(2, 100, 0, true);  // a load from far away
  add(2, 15, 1, false);  // a store behind it
  add(0, 10, 1, true);   // what may write once the store has read
  const Schedule placed = schedule(list, four_at_once);
  CHECK(placed.done == std::vector<std::int64_t>{100, 100, 110});
}

TEST_CASE("does the schedule keep compute units' order and every dependence") {
  for (unsigned i = 0; i < 400; ++i) {
    CAPTURE(schedule_seed + i);
    std::mt19937 engine(schedule_seed + i);
    const OpList list = random_list(engine);
    const auto order = schedule(list, four_at_once).order;
    REQUIRE(order.size() == list.ops.size());
    std::vector<std::size_t> place(order.size(), order.size());
    for (std::size_t at = 0; at < order.size(); ++at) place.at(order[at]) = at;
    const auto before = dependences(list);
    for (std::size_t b = 0; b < before.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (before[b][a]) REQUIRE(place[a] < place[b]);
      }
    }
  }
}

TEST_CASE(
    "do waits imply every dependence between units, never deadlock or overflow, however the units' speeds differ") {
  for (unsigned i = 0; i < 400; ++i) {
    CAPTURE(schedule_seed + i);
    std::mt19937 engine(schedule_seed + i);
    std::vector<OpList> lists;
    const int buffers = from(engine, 1, 6);
    for (int n = i % 2 == 0 ? 1 : from(engine, 2, 5); n > 0; --n) lists.push_back(random_list(engine, buffers, 40));
    const Semaphores semaphores{from(engine, 1, 3 * units * units), from(engine, 1, 4)};
    CAPTURE(semaphores.count);
    CAPTURE(semaphores.max);
    const Sequence sequence = in_sequence(lists, semaphores);
    const auto before = dependences(sequence);
    for (const std::size_t depth : {1, 2, 1000}) {
      TokenMachine four_at_once(sequence.all, sequence.program, depth);
      const auto started = four_at_once.run(engine);
      REQUIRE(started.size() == sequence.all.ops.size());
      REQUIRE(static_cast<std::int64_t>(four_at_once.greatest()) <= semaphores.max);
      for (std::uint32_t b = 0; b < before.size(); ++b) {
        for (std::uint32_t a = 0; a < b; ++a) {
          if (before[b][a]) REQUIRE(four_at_once.seen(b)[a]);
        }
      }
    }
  }
}

TEST_CASE("are signals and waits equal in number, so that no semaphore fills up over the layers") {
  std::mt19937 engine(schedule_seed);
  for (int i = 0; i < 100; ++i) {
    std::map<int, int> count;
    for (const auto& op : in_sequence({random_list(engine, 4, 40), random_list(engine, 4, 40)}).program) {
      if (op.kind == OrderedOp::Kind::signal) ++count[op.semaphore];
      if (op.kind == OrderedOp::Kind::wait) --count[op.semaphore];
    }
    for (const auto& [semaphore, balance] : count) CHECK_MESSAGE(balance == 0, semaphore);
  }
}

TEST_CASE("does a fence order what no semaphore is left for") {
  OpList list;
  list.buffers.resize(1);
  for (const int unit : {0, 1}) {
    LowOp op;
    op.unit = unit;
    op.touch(0, true);
    list.ops.push_back(op);
  }
  Predecessors none;
  for (std::size_t i = 0; i < list.ops.size(); ++i) none.end_operation();
  const auto order = schedule(list, four_at_once).order;
  const auto kinds = [&](int semaphores) {
    std::vector<OrderedOp::Kind> found;
    for (const auto& op : Synchroniser(units, semaphores, 1).add(list, order, none).order) found.push_back(op.kind);
    return found;
  };
  using Kind = OrderedOp::Kind;
  CHECK(kinds(1) == std::vector{Kind::operation, Kind::signal, Kind::wait, Kind::operation});
  CHECK(kinds(0) == std::vector{Kind::operation, Kind::fence, Kind::operation});
}

TEST_CASE("do signals wait outside the queue until they are needed or the unit's next operation comes") {
  OpList list;
  list.buffers.resize(3);
  const auto add = [&](int unit, std::initializer_list<int> reads, std::initializer_list<int> writes) {
    LowOp op;
    op.unit = unit;
    for (const int buffer : reads) op.touch(buffer, false);
    for (const int buffer : writes) op.touch(buffer, true);
    list.ops.push_back(op);
  };
  add(0, {}, {0});
  add(1, {}, {1});
  add(2, {0}, {2});  // waits for unit 0, which does nothing more
  add(1, {}, {1});
  add(2, {1}, {2});  // waits for unit 1's second operation
  Predecessors none;
  for (std::size_t i = 0; i < list.ops.size(); ++i) none.end_operation();
  const auto added = Synchroniser(units, 16, 1).add(list, {0, 1, 2, 3, 4}, none);
  std::vector<std::pair<OrderedOp::Kind, int>> found;
  for (const auto& op : added.order) found.emplace_back(op.kind, op.unit);
  using Kind = OrderedOp::Kind;
  CHECK(found == std::vector<std::pair<Kind, int>>{{Kind::operation, 0},
                                                   {Kind::operation, 1},
                                                   {Kind::signal, 0},
                                                   {Kind::wait, 2},
                                                   {Kind::operation, 2},
                                                   {Kind::operation, 1},
                                                   {Kind::signal, 1},
                                                   {Kind::wait, 2},
                                                   {Kind::operation, 2}});
}

namespace {

LowOp operation(int unit, std::int32_t cycles, std::initializer_list<BufferAccess> accesses) {
  LowOp op;
  op.unit = unit;
  op.busy = op.latency = cycles;
  for (const auto& access : accesses) op.touch(access.buffer, access.write);
  return op;
}

}  // namespace

TEST_CASE("is a load dispatched before computation that can only start later") {
  OpList list;
  list.buffers.resize(2);
  // Load into buffer 0, two computations on it, load into buffer 1, computation on that.
  list.ops = {operation(2, 10, {{0, true}}), operation(1, 50, {{0, false}}), operation(1, 50, {{0, false}}),
              operation(2, 10, {{1, true}}), operation(1, 50, {{1, false}})};
  const Schedule result = schedule(list, four_at_once);
  CHECK(result.order == std::vector<std::uint32_t>{0, 1, 3, 2, 4});
  CHECK(result.cycles == 10 + 3 * 50);
}

TEST_CASE("does a load pass one that waits for a result, and computation never another") {
  OpList list;
  list.buffers.resize(3);
  // Computation into buffer 0, the mover adds to it, loads buffer 1 for the next computation.
  list.ops = {operation(1, 50, {{0, true}}), operation(2, 10, {{0, true}}), operation(2, 10, {{1, true}}),
              operation(1, 50, {{1, false}, {2, true}})};
  const Schedule result = schedule(list, four_at_once);
  CHECK(result.order == std::vector<std::uint32_t>{0, 2, 1, 3});
  CHECK(result.cycles == 100);
}

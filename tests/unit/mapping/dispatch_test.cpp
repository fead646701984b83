// What does it cost that waits and signals pass through queues as well?
#include "compiler/lowering/dispatch.h"

#include <doctest/doctest.h>

using namespace accord;

namespace {

using Kind = OrderedOp::Kind;

Architecture two_units(int places, int width) {
  Architecture architecture;
  architecture.units.resize(2);
  for (Unit& unit : architecture.units) unit.queue = places;
  architecture.controller.issue_width = width;
  return architecture;
}

/// An operation on each unit, of ten cycles, both at once.
struct Pair {
  OpList list;
  Schedule schedule;

  Pair() {
    for (const int unit : {0, 1}) {
      LowOp op;
      op.unit = unit;
      op.busy = op.latency = 10;
      list.ops.push_back(op);
    }
    schedule.done = {10, 10};
  }
};

/// The operations, before the first so many waits.
std::vector<OrderedOp> waiting(int waits) {
  std::vector<OrderedOp> order(static_cast<std::size_t>(waits), {Kind::wait, 0, 0, 0});
  order.push_back({Kind::operation, 0, -1, 0});
  order.push_back({Kind::operation, 1, -1, 1});
  return order;
}

}  // namespace

TEST_CASE("does a list end when its schedule says where nothing holds up its instructions") {
  const Pair pair;
  CHECK(dispatched_end(two_units(4, 8), pair.list, pair.schedule, waiting(0), 0, 0) == 10);
  CHECK(dispatched_end(two_units(4, 8), pair.list, pair.schedule, waiting(4), 0, 0) == 10);
  CHECK(dispatched_end(two_units(4, 8), pair.list, pair.schedule, waiting(0), 0, 25) == 10);
}

TEST_CASE("does a fence shift what stands behind it until all before it is done") {
  const Pair pair;
  const auto ends = [&](std::size_t place, std::int64_t done_before) {
    auto order = waiting(0);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), {Kind::fence, -1, -1, 0});
    return dispatched_end(two_units(4, 8), pair.list, pair.schedule, order, 0, done_before);
  };
  CHECK(ends(0, 0) == 10);
  CHECK(ends(0, 25) == 35);  // lists before are under way
  CHECK(ends(1, 0) == 20);   // the first operation is
  CHECK(ends(1, 25) == 35);
}

TEST_CASE("do instructions take issue slots") {
  const Pair pair;
  // The second operation is the sixth instruction, issued in cycle 5.
  CHECK(dispatched_end(two_units(8, 1), pair.list, pair.schedule, waiting(4), 0, 0) == 15);
  CHECK(dispatched_end(two_units(8, 1), pair.list, pair.schedule, waiting(4), 100, 0) == 115);
}

TEST_CASE("does what finds no place in its queue hold up other units") {
  Architecture architecture = two_units(2, 8);
  architecture.controller.latency = 7;
  const Pair pair;
  // Two waits in cycle 0 arrive in 7; with their places come two more, and the operations, which arrive in 21.
  CHECK(dispatched_end(architecture, pair.list, pair.schedule, waiting(4), 0, 0) == 31);
  CHECK(fills_a_queue(architecture, waiting(3)));
  CHECK_FALSE(fills_a_queue(architecture, waiting(2)));
}

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/lowering/address_history.h"
#include "compiler/lowering/operation.h"

namespace accord {

using LoopSpan = std::span<const LowLoop>;

/// Predicted cycles of all turns: as quick as the busiest unit or the issue slots, where no schedule says better.
/// `loops` begins with the loop and goes on with those in it.
std::int64_t loop_cycles(const OpList& list, LoopSpan loops, const Architecture& architecture);

/// The loop at the front of `loops`, which are ascending, with those in it.
LoopSpan with_inner(LoopSpan loops);

/// Widens the ranges of an operation to what it touches over all turns of those of the loops that it is in.
void widen(const OpList& list, std::size_t op, LoopSpan loops, std::vector<AddressRange>& ranges);

/// What is placed as one: an operation, or a loop with all its turns.
struct Item {
  std::uint32_t first = 0;  ///< operations [first, first + length) of the list
  std::uint32_t length = 1;
  LoopSpan loops;            ///< the loop and those in it, outermost first; empty: an operation
  std::int64_t busy = 1;     ///< cycles until its units take the next one
  std::int64_t latency = 1;  ///< cycles until its results are there
};

struct Edge {
  std::uint32_t to = 0;
  std::int64_t delay = 0;
  bool waits = false;  ///< for results; else until the unit takes the next operation
};

/// Items in list order, with what each must wait for.
class ItemGraph {
 public:
  ItemGraph(const OpList& list, const Architecture& architecture);

  std::vector<Item> items;
  std::vector<std::uint32_t> first_edge;  ///< per item, into `edges`
  std::vector<Edge> edges;
  std::vector<std::int32_t> pending;  ///< per item: edges that lead to it
  const LowOp& op(std::uint32_t item) const { return list_.ops[items[item].first]; }

 private:
  void make_items();
  void add(std::uint32_t item);
  void add_operation(std::uint32_t item, std::size_t op, LoopSpan loops);
  void follow(std::int64_t before, std::uint32_t item, bool waits);
  void sort_edges();

  const OpList& list_;
  const Architecture& architecture_;
  AddressRanges ranges_;
  AddressHistory history_;
  std::vector<AddressRange> now_;
  std::vector<std::int64_t> fence_;                ///< per unit: the last loop that used it
  std::vector<std::vector<std::uint32_t>> since_;  ///< per unit: operations after that
  std::vector<bool> holds_;                        ///< per unit: what it does depends on what it did before
  std::vector<std::pair<std::uint32_t, Edge>> found_;
  std::size_t found_before_ = 0;      ///< edges that lead to earlier items
  std::vector<std::size_t> edge_of_;  ///< per item: its last edge in `found_`, counted from 1
};

/// Items in the order in which they begin.
struct ItemSchedule {
  struct Placed {
    std::uint32_t item = 0;
    std::int64_t start = 0;
  };
  std::vector<Placed> order;
  std::int64_t cycles = 0;  ///< until the last result is there
};

/// List scheduling for machines that begin operations strictly in program order.
ItemSchedule place_items(const ItemGraph& graph, const Architecture& architecture);

}  // namespace accord

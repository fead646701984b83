#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "archdsl/tensor/lane_table.h"

namespace accord {

/// One loop of a run: its extent (at least 2) and where its byte steps are in LoopNest::steps.
struct NestLoop {
  std::int64_t extent = 0;
  std::size_t steps = 0;
};

/// What may be reordered.
struct OrderRules {
  bool ordered = false;       ///< the result depends on the order in which an element is combined
  bool reads_target = false;  ///< the value reads the element it is combined into
};

/// The loops of one run, outermost first, with one byte step per slot; the last slot is the target.
class LoopNest {
 public:
  std::vector<NestLoop> loops;
  std::size_t slots = 0;

  void clear(std::size_t slot_count);
  /// Appends a loop and gives its steps to fill in.
  std::span<std::int64_t> add(std::int64_t extent);

  std::int64_t step(std::size_t loop, std::size_t slot) const { return steps_[loops[loop].steps + slot]; }
  std::int64_t target_step(std::size_t loop) const { return step(loop, slots - 1); }

  /// Joins neighbours that walk every slot as one loop would.
  void merge();
  /// Whether no two iterations of the loops that move the target touch the same element.
  bool is_injective() const;

 private:
  std::vector<std::int64_t> steps_;
};

/// The loops that run inside one block: `column` over consecutive lanes, `row` around it; -1 for none.
struct BlockLoops {
  int column = -1;
  int row = -1;
};

struct BlockLimits {
  std::int64_t lanes = 0;  ///< in a block, at most
  double overhead = 0;     ///< nanoseconds per block, roughly
};

/// Chooses the loops to vectorise among those that keep the results as the interpreter has them.
/// `sizes` are the element sizes of the slots.
BlockLoops choose_block(const LoopNest& nest, std::span<const int> sizes, OrderRules rules, BlockLimits limits);

}  // namespace accord

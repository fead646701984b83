#pragma once

#include "archdsl/tensor/kernel_scratch.h"

namespace accord {

/// What a kernel knows of its statement before it runs.
struct CompiledStatement {
  Tape tape;
  Reduction reduction{};
  ElementType target{};
  OrderRules rules;
  std::vector<int> operands;   ///< of each slot: the accesses, then the target
  std::vector<int> sizes;      ///< bytes of an element of each slot
  std::vector<int> iterators;  ///< program iterators that occur
};

/// Runs the tape over the scratch's loops, block by block.
class BlockRunner {
 public:
  static constexpr std::int64_t lanes = 256;

  BlockRunner(const CompiledStatement& statement, KernelScratch& scratch);
  void run();

 private:
  void bind_scalars();
  static BoundStep bind(const TapeStep& step, const char* is_scalar);
  void run_blocks();
  void run_block(std::int64_t column, std::int64_t row, Block block);
  void load_accesses(std::int64_t column, std::int64_t row, Block block);
  void compute(std::int64_t count);
  const std::byte* full(int reg, LaneType type, bool fill, std::int64_t count);
  void combine(std::byte* at, Block block);
  void combine_rows(std::byte* at, Block block);

  std::byte* slot(int reg) { return lanes_ + static_cast<std::size_t>(reg) * register_bytes; }
  BlockSteps steps(std::size_t slot) const;

  // Beyond a page's multiple, so that registers do not alias in the cache.
  static constexpr std::size_t register_bytes = static_cast<std::size_t>(lanes) * 8 + 64;

  const CompiledStatement& statement_;
  KernelScratch& scratch_;
  const LaneTable& table_;
  BlockLoops loops_;
  std::byte* lanes_ = nullptr;
  bool folds_ = false;
};

}  // namespace accord

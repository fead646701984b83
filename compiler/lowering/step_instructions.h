#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/lowering/operation.h"
#include "compiler/mapping/step_shape.h"
#include "compiler/mapping/timing.h"

namespace accord {

/// A memory operand of a step at a place: its tile's address, and where in the tile the box begins.
struct PlacedUse {
  UseView view;
  std::int64_t base = 0;
  Extents start;    ///< of the box within the tile; empty for off-chip operands (base is the box's)
  int buffer = -1;  ///< -1: off-chip
};

/// What a step's unit has loaded of the operands that it holds.
struct HeldTiles {
  /// Per held operand: base, extents and strides with which it was loaded; empty: nothing known.
  std::vector<std::vector<std::int64_t>> loaded;
  int mnemonic = -1;    ///< of the instruction that loaded them: what others hold is their own
  std::size_t ops = 0;  ///< of the list when the step's last instruction stood there
};

/// Numbers that the capability's instructions carry: the last of their arguments.
std::vector<std::int64_t> scalar_arguments(const Capability& capability, const Match& match);

void set_requests(LowOp& op, const RequestTiming& requests);

/// All instructions of a step over a box: loops around, chunks of the dims, held operands outermost. Where the tiles
/// lie is left open, so that all boxes of a shape share them. The layouts that the uses point to must outlive it.
class StepInstructions {
 public:
  /// The bases of `uses` do not matter. Throws Error where the step cannot cover the box.
  /// `begins`: the sums have their first instructions here, which the step's `opening` does.
  StepInstructions(const Machine& machine, const Mapping& mapping, int step, std::vector<PlacedUse> uses, Extents box,
                   bool begins);

  /// Appends them to a list, for tiles that lie where `uses` say. A held operand is not loaded again while the unit has
  /// it and its bytes in memory are unchanged.
  void append(OpList& list, const std::vector<PlacedUse>& uses, HeldTiles& held);

  std::size_t size() const { return ops_.size(); }

 private:
  /// One loop over the instructions: an iterator, or the chunks of a dim.
  struct Loop {
    int iterator = -1;
    int dim = -1;
    std::int64_t count = 0;
    bool holds = false;    ///< moves a held operand
    bool reduces = false;  ///< leaves the target where it is
  };

  /// A held operand of the instruction.
  struct HeldOperand {
    std::size_t use = 0;                ///< in uses_
    std::size_t load = 0;               ///< argument of its load flag
    std::vector<std::size_t> decisive;  ///< arguments that say which elements are loaded
  };

  /// What instructions with the same values of the formulas take.
  struct Timing {
    int mnemonic;
    std::vector<std::int64_t> formula_values;
    std::int32_t busy, latency;
    RequestTiming requests;
    decltype(LowOp::words) words;
  };

  void place_arguments();
  void make_loops();
  void visit(std::size_t loop, HeldTiles& held);
  void emit(HeldTiles& held);
  std::int64_t address(const PlacedUse& use);
  std::vector<std::size_t> decisive_arguments(int operand) const;
  void set_strides();
  std::size_t base_argument(int operand) const;
  int target() const { return capability_.program.statements.back().target.operand; }
  std::size_t use_of(int operand) const;

  void forget_changed(const OpList& list, const std::vector<PlacedUse>& uses, HeldTiles& held) const;
  void remember(std::size_t operand, const MaybeValue* values, HeldTiles& held) const;
  void set_loads(const LowOp& op, MaybeValue* values, HeldTiles& held) const;
  decltype(LowOp::words) port_words_on_chip() const;
  void set_timing(LowOp& op, const MaybeValue* values);

  const Machine& machine_;
  const Mapping& mapping_;
  const StatementPlan& plan_;
  int step_;
  const Capability& capability_;
  std::vector<PlacedUse> uses_;
  std::vector<UseView> views_;
  Extents box_;
  const Match beginning_;  ///< of the first instruction of each sum
  int opening_ = -1;       ///< its mnemonic; -1: as of others
  int beyond_first_ = 0;   ///< loops over a sum that are past their first turn
  Extents point_;
  StepShape shape_;
  std::vector<Loop> loops_;
  std::vector<std::int64_t> chunk_;                         ///< extent of each dim now
  std::vector<std::pair<std::size_t, std::size_t>> bases_;  ///< a use and the argument of its base
  std::vector<HeldOperand> loads_;
  std::vector<Timing> timings_;
  LowOp op_;                          ///< what all have in common
  std::vector<MaybeValue> template_;  ///< the same of their arguments
  std::vector<std::int64_t> formula_values_;
  Extents inside_;  ///< the whole that a view's layout is of, at `point_`

  std::vector<LowOp> ops_;          ///< as if the unit had nothing of the operands that it holds
  std::vector<MaybeValue> values_;  ///< of `ops_`; bases relative to the tiles
};

}  // namespace accord

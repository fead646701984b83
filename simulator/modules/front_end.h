#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"
#include "simulator/kernels/program_map.h"
#include "simulator/modules/decoded.h"
#include "simulator/modules/hazard_log.h"

namespace accord::sim {

/// What a controller does apart from time: fetches, decodes, keeps registers and hardware loops.
class FrontEnd {
 public:
  /// `keeps_decoded`: what loops repeat is decoded once.
  FrontEnd(const Architecture& architecture, const Program& program, const ProgramMap& map, HazardLog& hazards,
           bool keeps_decoded = true);

  void enter(std::size_t stage);

  /// Executes register and loop instructions up to the next one that a unit (or fence) takes; nullptr at the stage's
  /// end, or where the program is wrong (HazardLog::fatal). Valid until the next call. Throws Error where more than
  /// 10^10 instructions are executed, or surely will be. `arguments` holds the values read before its own register
  /// updates.
  const Decoded* next();
  std::span<const std::int64_t> arguments() const { return arguments_; }

  std::int64_t executed() const { return executed_; }

  /// A run of more instructions than this ends with the hazard cycle_limit.
  void limit(std::int64_t instructions) {
    limit_ = instructions;
    checkpoint_ = std::min(checkpoint_, limit_);
  }

  /// Called once nothing more of a layer will be fetched.
  std::function<void(int layer)> layer_over;
  /// The cycle that the controller has come to; 0 where nothing is set.
  std::function<Cycle()> time;

  /// Called at most once, where the loops still have very many instructions to execute: at least so many in all.
  std::function<void(std::int64_t instructions)> long_run;

 private:
  Cycle now() const { return time ? time() : 0; }
  static constexpr std::int64_t first_checkpoint = std::int64_t{1} << 20;

  struct Loop {
    std::int64_t begin, end, left;
  };
  const Decoded* fetch(std::int64_t index);
  bool look_ahead(const Decoded& decoded);
  bool surely_within(std::int64_t least, const Decoded& decoded);
  std::int64_t least_executed() const;
  bool read(std::int64_t index, Decoded& out, Instruction& raw) const;
  void decode(std::int64_t index, Decoded& out);
  std::int64_t value(const Decoded::Term& term) const;
  void update(const Decoded& decoded);
  bool enter_loop(const Decoded& decoded);
  void advance();
  void end_layers(bool all);
  bool has_left(std::int64_t instruction) const;

  const Architecture& architecture_;
  const Program& program_;
  const ProgramMap& map_;
  HazardLog& hazards_;
  bool keeps_decoded_;
  Decoder decoder_;
  Instruction instruction_;
  std::vector<Decoded> cache_;  ///< what loops execute again and again
  Decoded straight_;            ///< the last instruction outside loops, which is executed once
  std::vector<const Register*> register_of_;
  std::vector<std::int64_t> registers_;
  std::vector<std::int64_t> arguments_;
  std::vector<std::int64_t> amounts_;
  std::vector<Loop> loops_;
  const std::vector<ProgramMap::LayerEnd>* ends_ = nullptr;
  std::size_t next_end_ = 0;
  std::int64_t pc_ = 0, end_ = 0;
  std::int64_t executed_ = 0;
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t checkpoint_ = first_checkpoint;  ///< where the loops are looked at next
};

}  // namespace accord::sim

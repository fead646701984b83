#pragma once

#include <span>
#include <string>
#include <vector>

#include "archdsl/isa/emit.h"
#include "compiler/codegen/address_registers.h"
#include "compiler/lowering/operation.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// Instructions of a nest of hardware loops.
struct LoopPlan {
  std::vector<Instruction> code;  ///< with what sets its registers before
  std::vector<int> statements;    ///< label index of each; -1: as the one before
  std::vector<MaybeValue> known;  ///< register contents afterwards
  std::string reason;             ///< why it cannot be a loop; empty: it can
};

/// Turns a loop with those in it into instructions. Addresses that grow go through register files (AddressRegisters);
/// all other arguments must stay. Other registers are set before the innermost loop that can keep them, else in it.
class LoopPlanner {
 public:
  LoopPlanner(const Isa& isa, const Emitter& emitter, const Limits& limits)
      : isa_(isa), emitter_(emitter), limits_(limits), addresses_(isa) {}

  /// `loops`: the loop and those in it.
  LoopPlan plan(const OpList& list, std::span<const LowLoop> loops, const std::vector<MaybeValue>& known);

 private:
  using Code = std::vector<std::pair<Instruction, int>>;  ///< with label index
  using Settings = std::vector<RegisterWrite>;

  std::vector<int> registers_of_loops() const;
  std::int64_t turns_that_fit(std::int64_t turns, std::int64_t length, const std::vector<MaybeValue>& entry);
  bool repeat(const Code& body, std::int64_t turns, const std::vector<MaybeValue>& entry, Code& code);
  bool begin_loop(std::int64_t turns, std::int64_t length, const std::vector<MaybeValue>& entry, Code& code);
  bool emit_loop(std::span<const LowLoop> loops, Code& code);
  bool emit_body(std::span<const LowLoop> loops, Code& code, Settings& first);
  bool emit_operation(std::size_t op, Code& code, Settings& first);
  bool direct(Instruction& instruction, std::size_t op, const std::vector<MaybeValue>& values) const;
  bool add(const std::vector<AddressRegisters::Add>& adds, Code& code);
  bool set(const Settings& settings, Code& code);
  void append(const Instruction& instruction, int statement, Code& code);

  const Isa& isa_;
  const Emitter& emitter_;
  const Limits& limits_;
  AddressRegisters addresses_;
  const OpList* list_ = nullptr;
  const LowLoop* first_loop_ = nullptr;
  Emission emission_;
  std::vector<MaybeValue> seen_;  ///< registers in the first turn of all loops
  std::vector<MaybeValue> values_;
  std::string reason_;
};

}  // namespace accord

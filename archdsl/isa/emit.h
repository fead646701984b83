#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/isa.h"

namespace accord {

/// Register number and its new value (as the register holds it: sign-extended where it is signed, else not negative).
struct RegisterWrite {
  int reg = -1;
  std::int64_t value = 0;
  bool operator==(const RegisterWrite&) const = default;
};

/// A value, or "don't care" (argument) / "unknown" (register).
using MaybeValue = std::optional<std::int64_t>;

/// What Emitter::emit found. Keep one and reuse it: nothing is allocated once its buffers have grown.
struct Emission {
  Instruction instruction;
  std::vector<RegisterWrite> writes;  ///< needed before the instruction; distinct registers
  std::string reason;                 ///< why it cannot be expressed; empty on success
};

/// Names of a mnemonic's arguments in order: src.base, n0, ... ; `count`, `length` of a loop, `semaphore`.
std::vector<std::string> argument_names(const Architecture& architecture, const Mnemonic& mnemonic);

/// From wanted argument values to instructions: finds fields and register writes. Immutable and thread-safe; the Isa
/// must outlive it. Throws Error where a mnemonic has more than 1024 fields.
class Emitter {
 public:
  explicit Emitter(const Isa& isa);
  /// Explanations name the arguments (src.base) instead of numbering them.
  explicit Emitter(const Architecture& architecture);

  /// Finds fields such that the mnemonic's arguments take `values` (same order as Mnemonic::arguments) under the
  /// `known` register contents (one per register number). May be longer than the arguments by the amounts of
  /// Mnemonic::updates (a post-increment's step, a set's new values). An absent value is free; fields that nothing
  /// determines are 0. A register is left alone where what remains fits the field beside it; a new content is one
  /// that some `set` mnemonic can give. Returns false with `out.reason` where no instruction does it.
  /// Of a mnemonic that chooses among elements, `unit` is the one that the instruction goes to (-1: the first).
  bool emit(int mnemonic, std::span<const MaybeValue> values, std::span<const MaybeValue> known, Emission& out,
            int unit = -1) const;

  /// Fewest `set` instructions that give the registers these values. A mnemonic that sets several registers gives the
  /// others their known (or wanted) values, and 0 where they are unknown. Empty where all is known to hold already;
  /// nullopt with `*reason` where a register has no mnemonic that can set it to its value.
  std::optional<std::vector<Instruction>> set_registers(std::span<const RegisterWrite> writes,
                                                        std::span<const MaybeValue> known,
                                                        std::string* reason = nullptr) const;

  /// The one `set` instruction that does it, where one does and something is to be set; false elsewhere. Keep `out` and
  /// reuse it: most instructions need no more, and nothing is allocated once its fields have grown.
  bool set_at_once(std::span<const RegisterWrite> writes, std::span<const MaybeValue> known, Instruction& out) const;

  /// Register contents after the instruction: set, add, post-increment.
  void track(const Instruction& instruction, std::span<MaybeValue> known) const;

 private:
  struct Term {  ///< one binding: value = register + raw * unit + bias
    int argument = -1;
    int field = -1;
    std::int64_t unit = 1;
    std::int64_t bias = 0;
    std::int64_t lowest = 0;   ///< raw
    std::int64_t highest = 0;  ///< raw
    int shift = -1;            ///< log2(unit) where it is a power of two
  };
  struct RegisterGroup {  ///< terms over the same register (the file's first, where an index is added)
    int reg = -1;
    int count = 1;  ///< registers from `reg` on
    std::vector<Term> terms;
  };
  struct IndexGroup {  ///< registers chosen by one index field
    int index_field = -1;
    std::int64_t count = 0;  ///< legal indices
    std::vector<RegisterGroup> groups;
  };
  struct Plan {
    std::vector<Term> fields;  ///< no register; a constant where field < 0
    std::vector<RegisterGroup> registers;
    std::vector<IndexGroup> indexed;
  };
  struct Settable {  ///< values that one `set` mnemonic can give a register
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    std::int64_t multiple = 1;
    std::int64_t remainder = 0;
  };
  struct Solver;
  struct Sequencer;

  void add_term(Plan& plan, const Mnemonic& mnemonic, const Binding& binding, int argument) const;
  void add_settable(const Mnemonic& mnemonic, const RegisterUpdate& update);
  std::string argument_name(int mnemonic, int argument) const;
  std::string register_name(int number) const;

  const Isa& isa_;
  const Architecture* architecture_ = nullptr;
  std::vector<Plan> plans_;                       ///< by mnemonic
  std::vector<const Register*> registers_;        ///< by register number
  std::vector<std::vector<Settable>> settables_;  ///< by register number, widest first
  std::vector<int> setters_;                      ///< mnemonics that set registers from fields alone
};

}  // namespace accord

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/isa/isa.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// The displacement's raw value that makes the argument `value` beside a register that holds `held`.
bool displacement(const Mnemonic& mnemonic, const Binding& binding, std::int64_t held, std::int64_t value,
                  std::int64_t& raw);

/// Gives each argument of a loop nest that goes through a register file a register of it. A register grows by the same
/// from turn to turn of every loop as the addresses that go through it; it serves those that its displacement reaches,
/// and is moved on to others: by post-increment where the last instruction that went through it has one, else by an
/// `add`. Nothing is set inside the nest.
class AddressRegisters {
 public:
  explicit AddressRegisters(const Isa& isa) : isa_(isa) {}

  /// `loops`: the nest's, ascending, outermost first. Returns the reason why it cannot be done; empty: it can.
  std::string assign(const OpList& list, std::span<const LowLoop> loops);

  struct Add {
    int reg = -1;
    int file = -1;
    std::int64_t amount = 0;
  };
  struct Content {
    int reg = -1;
    std::int64_t value = 0;
  };
  /// Contents before the nest.
  const std::vector<Content>& initial() const { return initial_; }
  /// Adds that stand before an operation, a loop (by its index in `loops`), or at the end of a loop's body.
  const std::vector<Add>& before_operation(std::size_t op) const { return found(before_operation_, op); }
  const std::vector<Add>& before_loop(std::size_t loop) const { return found(before_loop_, loop); }
  const std::vector<Add>& at_end(std::size_t loop) const { return found(at_end_, loop); }
  /// Contents when a loop is done, of the registers that it changed.
  const std::vector<Content>& after_loop(std::size_t loop) const { return found(after_loop_, loop); }
  /// Register of an operation's argument.
  int of(std::size_t op, std::size_t argument) const { return through_.at({op, argument}); }
  /// Post-increment of an operation's update; 0: none.
  std::int64_t increment(std::size_t op, std::size_t update) const {
    const auto it = increments_.find({op, update});
    return it == increments_.end() ? 0 : it->second;
  }
  /// Registers of the files that the nest goes through.
  const std::vector<int>& taken() const { return taken_; }

 private:
  /// The last instruction that went through a register.
  struct LastUse {
    std::size_t op = 0;
    std::size_t argument = 0;
    std::size_t depth = 0;  ///< loops around it; 0: none, the register has moved on since
  };
  struct Pointer {
    int file = -1;
    int reg = -1;
    std::int64_t value = 0;            ///< in the first turn of all loops; stays within the register in all
    std::vector<std::int64_t> grows;   ///< per open loop that it is used in
    std::vector<std::int64_t> starts;  ///< its value when that loop began
    std::size_t used = 0;              ///< when last
    LastUse last;
  };
  using Adds = std::map<std::size_t, std::vector<Add>>;
  using Contents = std::map<std::size_t, std::vector<Content>>;
  template <typename Value>
  static const std::vector<Value>& found(const std::map<std::size_t, std::vector<Value>>& map, std::size_t key) {
    static const std::vector<Value> none;
    const auto it = map.find(key);
    return it == map.end() ? none : it->second;
  }

  bool visit(const OpList& list, std::span<const LowLoop> loops);
  bool visit_operation(const OpList& list, std::size_t op);
  bool place(const Mnemonic& mnemonic, std::size_t op, std::size_t argument, std::int64_t value);
  bool stays(int file, std::int64_t begins) const;
  std::optional<std::int64_t> content_for(const Mnemonic& mnemonic, const Binding& binding, std::int64_t value) const;
  Pointer* reaching(const Mnemonic& mnemonic, const Binding& binding, std::int64_t value, bool entered);
  Pointer* created(const Binding& binding, std::int64_t content);
  Pointer* movable(const Binding& binding, bool entered);
  void enter(Pointer& pointer, std::int64_t value);
  void use(Pointer& pointer, std::size_t op, std::size_t argument);
  void move(Pointer& pointer, std::int64_t to, std::vector<Add>& adds);
  void leave(std::size_t loop, std::int64_t turns);
  bool alike(const Pointer& pointer) const;
  int registers_in(int file) const;

  const Isa& isa_;
  const OpList* list_ = nullptr;
  const LowLoop* first_loop_ = nullptr;
  std::vector<std::size_t> open_;     ///< loops around the current operation
  std::vector<std::int64_t> growth_;  ///< of the current argument, per open loop
  std::vector<Pointer> pointers_;
  std::size_t clock_ = 0;
  std::string reason_;
  std::vector<Content> initial_;
  std::vector<int> taken_;
  Adds before_operation_, before_loop_, at_end_;
  Contents after_loop_;
  std::map<std::pair<std::size_t, std::size_t>, int> through_;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> increments_;
};

}  // namespace accord

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/draw.h"
#include "tests/mutation/listing.h"

namespace accord::test {

/// What is done to a program, once.
enum class Mutation {
  sync_dropped,       ///< a wait, signal or fence is taken out
  sync_pair_dropped,  ///< the k-th wait and the k-th signal of a semaphore are taken out
  sync_moved,         ///< a wait, signal or fence goes up to 8 places up or down, within its stage and loops
  semaphore_changed,  ///< a wait or signal names another semaphore
  semaphore_shared,   ///< the k-th wait and the k-th signal of a semaphore name another one that is in use
  address_changed,    ///< a field that makes an address: a base, an address register, a post-increment
  stride_changed,     ///< a field that makes a step
  extent_changed,     ///< a field that says how many
  loop_changed,       ///< a count or length of a hardware loop
  field_changed,      ///< any other field: loads of held operands, scalars, padding, register and element indices
  command_dropped,    ///< any instruction is taken out
  command_repeated,   ///< any instruction stands twice
  command_moved,      ///< any instruction goes up to 8 places up or down
  bit_flipped         ///< of the text, opcodes included
};

const std::vector<Mutation>& all_mutations();
std::string name(Mutation mutation);
/// Where right values do not excuse: whether order is still kept must be shown.
bool concerns_sync(Mutation mutation);

struct Mutant {
  Mutation mutation{};
  std::string what;  ///< instruction, field, from and to
  Program program;
};

/// Makes mutants of one program. The architecture must outlive it.
class Mutator {
 public:
  /// Throws Error on a program that does not decode.
  Mutator(const Architecture& architecture, const Program& program);

  /// Nothing where the program has no place for it, or the one drawn would leave the program as it is.
  std::optional<Mutant> draw(Mutation mutation, Draw& draw) const;

  /// Each kind that the program has places for is as likely.
  Mutant draw_any(Draw& draw) const;

 private:
  struct Site {
    std::int64_t instruction;
    std::size_t field;
  };
  using Uses = std::vector<std::vector<Mutation>>;  ///< by mnemonic, by field

  void classify();
  void note_registers(const Mnemonic& mnemonic, const std::vector<std::string>& names);
  std::string text(std::int64_t instruction) const;
  std::int64_t other_value(const Site& site, Draw& draw) const;

  std::optional<Mutant> change_field(Mutation mutation, Draw& draw) const;
  std::optional<Mutant> drop(Mutation mutation, const std::vector<std::int64_t>& places, Draw& draw) const;
  struct Pair {
    std::int64_t semaphore, wait, signal;
  };
  /// The k-th wait of a semaphore in the text, and the k-th signal.
  std::optional<Pair> any_pair(Draw& draw) const;
  std::optional<Mutant> drop_pair(Draw& draw) const;
  std::optional<Mutant> share(Draw& draw) const;
  std::optional<Mutant> move(Mutation mutation, const std::vector<std::int64_t>& places, Draw& draw) const;
  std::optional<Mutant> repeat(Draw& draw) const;
  std::optional<Mutant> flip(Draw& draw) const;

  const Architecture& architecture_;
  Listing listing_;
  std::map<int, Mutation> register_uses_;
  Uses uses_;
  std::map<Mutation, std::vector<Site>> sites_;
  std::vector<std::int64_t> all_, syncs_;
  std::map<std::int64_t, std::vector<std::int64_t>> waits_, signals_;  ///< by semaphore, in text order
};

}  // namespace accord::test

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "archdsl/isa/emit.h"
#include "compiler/codegen/register_groups.h"

namespace accord {

/// What the operations of a list became when it was encoded first, for when it is encoded again with other values in
/// some of them. An operation becomes the same again if its values are the same and its registers (RegisterGroups) hold
/// what they held then. Lists without loops, on machines whose waits, signals and fences leave registers alone.
class ListCode {
 public:
  /// What a register held after an operation.
  struct Change {
    int reg = -1;
    MaybeValue value;
  };

  /// What an operation became.
  struct Piece {
    std::span<const std::byte> text;
    std::span<const Change> changes;
  };

  /// So many operations, with the values that they have now.
  explicit ListCode(std::size_t operations) : varies_(operations, false) {}

  /// The operation's values may be others from now on.
  void vary(std::uint32_t op) { varies_[op] = true; }

  /// The list is encoded from here on, with these contents of the registers: again, if it was before. The groups must
  /// live until it is.
  void begin(const RegisterGroups& groups, std::span<const MaybeValue> known);

  /// What the next operation, `op` of the list, becomes; nothing where it must be looked for, and `note`d.
  std::optional<Piece> next(std::uint32_t op, int mnemonic);

  /// What `next` did not know: the operation's instructions, and the registers after them.
  void note(std::uint32_t op, int mnemonic, std::span<const std::byte> text, std::span<const MaybeValue> known);

  /// The list ends here.
  void end() { recorded_ = true; }

 private:
  struct Op {
    std::uint32_t op = 0;
    std::uint32_t bytes = 0;
    std::uint32_t changes = 0;
  };

  Piece piece(const Op& op) const;
  void step(const Piece& piece);
  void record(std::uint32_t op, std::span<const int> registers, std::span<const std::byte> text,
              std::span<const MaybeValue> known);

  std::vector<bool> varies_;  ///< by operation of the list
  std::vector<Op> ops_;       ///< in the order in which they were encoded
  std::vector<std::byte> text_;
  std::vector<Change> changes_;
  std::vector<MaybeValue> before_;  ///< contents when the list began
  bool recorded_ = false;

  // While the list is encoded.
  const RegisterGroups* groups_ = nullptr;
  std::vector<MaybeValue> then_;  ///< contents when it was at this place at first
  std::vector<bool> in_step_;     ///< by group: registers hold what they held then
  bool same_order_ = true;        ///< so far
  std::size_t next_ = 0, text_at_ = 0, changes_at_ = 0;
};

}  // namespace accord

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "archdsl/isa/emit.h"
#include "archdsl/isa/program.h"
#include "compiler/codegen/list_code.h"
#include "compiler/codegen/register_groups.h"
#include "compiler/codegen/text.h"
#include "compiler/lowering/item_graph.h"
#include "compiler/lowering/synchroniser.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// Turns ordered operations into instructions: fields for what fits them, register settings where they changed.
class Encoder {
 public:
  /// Where a list's operations stand: by unit, the instruction with which each begins, or its first wait does.
  struct Places {
    std::int64_t first = 0, end = 0;
    std::vector<std::vector<std::int64_t>> begins;
  };

  Encoder(const Architecture& architecture, const Limits& limits);

  /// Appends a list of a layer, and `late` to the list before; `labels` name the statements. `code`: of a list that
  /// comes again, else null. Throws Error naming the mnemonic that cannot express a value.
  void append(const OpList& list, const std::vector<OrderedOp>& order, const std::vector<LateSignal>& late, int layer,
              const std::vector<std::string>& labels, ListCode* code = nullptr);

  /// A state to return to when a layer turns out to be impossible.
  struct Mark {
    std::int64_t kept = 0;        ///< instructions that stay as they are whatever follows
    std::vector<std::byte> text;  ///< behind those
    std::vector<MapEntry> map;    ///< those that end in it
    std::size_t entries = 0;      ///< of the map, before them
    std::int64_t count = 0;
    std::vector<MaybeValue> known;
    Places places;
    std::size_t stages = 0;
    std::int64_t stage_start = 0;
  };
  Mark mark() const;
  void rollback(const Mark& mark);

  /// Order between what was appended and what follows: a fence, or the end of the stage where there is none.
  void barrier();

  std::int64_t count() const { return count_; }
  std::vector<std::byte> take_text() { return text_.take(); }
  std::vector<MapEntry> take_map() { return std::move(map_); }
  std::vector<Stage>& stages() { return stages_; }
  /// Closes the running stage, if it has instructions.
  void end_stage();

 private:
  void emit_values(int mnemonic, std::span<const MaybeValue> values, int unit = -1);
  void emit_operation(const OpList& list, const LowOp& op);
  void emit_again(const OpList& list, std::uint32_t op, ListCode& code);
  bool can_repeat(const OpList& list) const;
  void emit_loop(const OpList& list, LoopSpan loops, int layer, const std::vector<std::string>& labels);
  void emit_range(const OpList& list, int layer, const std::vector<std::string>& labels);
  void unroll(const OpList& list, LoopSpan loops, int layer, const std::vector<std::string>& labels,
              const std::string& reason);
  void write(const Instruction& instruction);
  void note(int layer, const std::string& statement);

  void insert(const std::vector<LateSignal>& late, Places& places);
  Instruction sync_instruction(const OrderedOp& op);

  const Architecture& architecture_;
  const Limits& limits_;
  Emitter emitter_;
  RegisterGroups groups_;
  Emission emission_;
  Instruction setting_;
  std::vector<MaybeValue> known_;
  Text text_;
  std::vector<MapEntry> map_;
  std::vector<Stage> stages_;
  Places places_;  ///< of the last list
  std::int64_t count_ = 0;
  std::int64_t list_start_ = 0;  ///< instructions before the list
  std::int64_t stage_start_ = 0;
};

}  // namespace accord

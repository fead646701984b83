#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/lowering/item_graph.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Writes a list anew out of another one's operations, in another order or with turns of a loop apart. The loops around
/// what is copied stay loops: `open` and `close` them.
class ListCopy {
 public:
  explicit ListCopy(const OpList& source) : source_(source) { result_.buffers = source.buffers; }

  /// What follows, until `close`, is the body of a loop of the source, with so many turns.
  void open(const LowLoop& loop, std::int64_t turns, std::int64_t interval);
  void close();

  /// An operation as in turn `turn` of a loop around it that is taken apart; null: as it stands.
  void operation(std::size_t op, const LowLoop* apart = nullptr, std::int64_t turn = 0);

  /// Operations [first, first + length) with the loops in them.
  void range(std::size_t first, std::size_t length, LoopSpan loops, const LowLoop* apart = nullptr,
             std::int64_t turn = 0);

  OpList take() { return std::move(result_); }

 private:
  const std::int64_t* deltas(const LowLoop& loop, std::size_t op) const {
    return loop.deltas.data() + (source_.ops[op].first - source_.ops[loop.first].first);
  }

  struct Open {
    const LowLoop* source = nullptr;
    std::size_t loop = 0;  ///< of the result
  };

  const OpList& source_;
  OpList result_;
  std::vector<Open> open_;
};

}  // namespace accord

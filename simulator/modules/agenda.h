#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// What changes memories, ordered by the time at which it does: bytes that arrive, results that are computed, layers
/// that end. Values influence no timing but that of gathers, which ask for all that comes before they read their lists;
/// so they may be worked off late, in order of time, then of the program.
class Agenda {
 public:
  struct Item {
    Cycle time;
    std::int64_t order;    ///< Operation::id, or the greatest for a layer's end
    Operation* operation;  ///< nullptr: end of `layer`
    int layer;
    std::int64_t first, last;  ///< bytes [first, last) of a transfer's walk; equal: all of the operation
    int holds = 1;             ///< on the operation, that end with the item
  };
  static constexpr std::int64_t filled = -1;  ///< Item::first of a transfer's filled bytes

  /// Bytes of one transfer that follow each other with nothing between them come as one item.
  std::function<void(const Item&)> perform;

  void add(const Item& item);
  /// So many items wait that some should be performed before more come.
  bool is_long() const { return waiting_ >= most_waiting; }

  /// Performs all items before `limit`, and those at `limit` of operations before `order`.
  void drain(Cycle limit = std::numeric_limits<Cycle>::max(), std::int64_t order = 0);

 private:
  static constexpr std::size_t most_waiting = std::size_t{1} << 18;

  /// The items of one unit, or the ends of layers: they come in the order in which they are performed, or nearly so.
  class Source {
   public:
    bool empty() const { return next_ == items_.size(); }
    const Item& front() const { return items_[next_]; }
    void pop();
    /// True where it is the first now.
    bool add(const Item& item);

   private:
    std::vector<Item> items_;  ///< ascending from next_ on
    std::size_t next_ = 0;
  };
  static bool before(const Item& a, const Item& b);
  bool later_front(std::size_t a, std::size_t b) const { return before(sources_[b].front(), sources_[a].front()); }

  std::vector<Source> sources_;        ///< of the layers, then by unit
  std::vector<std::size_t> nonempty_;  ///< a heap; the source with the first item on top
  std::size_t waiting_ = 0;
};

}  // namespace accord::sim

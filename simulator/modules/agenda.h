#pragma once

#include <functional>
#include <limits>
#include <queue>
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
  };
  static constexpr std::int64_t filled = -1;  ///< Item::first of a transfer's filled bytes

  std::function<void(const Item&)> perform;

  void add(const Item& item) { items_.push(item); }
  std::size_t size() const { return items_.size(); }

  /// Performs all items before `limit`, and those at `limit` of operations before `order`.
  void drain(Cycle limit = std::numeric_limits<Cycle>::max(), std::int64_t order = 0) {
    while (!items_.empty() &&
           (items_.top().time < limit || (items_.top().time == limit && items_.top().order < order))) {
      const Item item = items_.top();
      items_.pop();
      perform(item);
    }
  }

 private:
  struct Later {
    bool operator()(const Item& a, const Item& b) const {
      if (a.time != b.time) return a.time > b.time;
      if (a.order != b.order) return a.order > b.order;
      return a.first > b.first;
    }
  };
  std::priority_queue<Item, std::vector<Item>, Later> items_;
};

}  // namespace accord::sim

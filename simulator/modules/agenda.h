#pragma once

#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// What changes memories, ordered by the time at which it does: bytes that arrive, results that are computed, layers
/// that end. Values never influence timing, so they may be worked off late, in order of time, then of the program.
class Agenda {
 public:
  struct Item {
    Cycle time;
    std::int64_t order;    ///< Operation::id, or the greatest for a layer's end
    Operation* operation;  ///< nullptr: end of `layer`
    int layer;
    std::int64_t first, last;  ///< bytes [first, last) of a transfer's walk; equal: all of the operation
  };

  std::function<void(const Item&)> perform;

  void add(const Item& item) { items_.push(item); }
  std::size_t size() const { return items_.size(); }

  /// Performs all items before `limit`.
  void drain(Cycle limit = std::numeric_limits<Cycle>::max()) {
    while (!items_.empty() && items_.top().time < limit) {
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

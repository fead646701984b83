#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/modules/layers.h"
#include "simulator/trace/run_listener.h"

namespace accord::sim {

/// Leaves of the stall tree, as numbers. Fixed ones first, then per unit and per semaphore.
class Leaves {
 public:
  enum Fixed : int {
    working,
    padding,
    setup,
    memory_latency,
    link,
    port,
    draining,
    entries,
    fence,
    host,
    nothing_to_do,
    fixed_count
  };
  Leaves(std::vector<std::string> units, int semaphores);

  int operand_of(int unit) const { return fixed_count + unit; }
  int queue_of(int unit) const { return fixed_count + units_ + unit; }
  int semaphore(int number) const { return fixed_count + 2 * units_ + number; }
  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t leaf) const { return names_[leaf]; }

 private:
  int units_;
  std::vector<std::string> names_;
};

/// Cycles by leaf, of those that have any: there are leaves for every unit and semaphore, and a component waits for
/// few.
using LeafCycles = std::map<int, Cycle>;

/// One component's cycles by leaf and by layer. Time only moves forward: `spend` charges what lies between the end of
/// the last call and `until`, and nothing where that is past already.
class StallAccount {
 public:
  /// `settled`: layers' ends before this time are all known (else a stretch could be split wrongly later).
  StallAccount(Layers& layers, const Cycle& settled);

  /// Tells the listener of every stretch from now on.
  void tell(RunListener& listener, int component) {
    listener_ = &listener;
    component_ = component;
  }

  void spend(int leaf, Cycle until) {
    if (until <= spent_) return;
    spent_ = until;
    if (!pending_.empty() && pending_.back().leaf == leaf) {
      pending_.back().until = until;
      return;
    }
    if (pending_.size() >= 64) settle(settled_);
    pending_.push_back({leaf, until});
  }
  Cycle spent() const { return spent_; }
  Cycle settled() const { return settled_; }

  /// Charges all and gives the rest up to `total` to nothing_to_do.
  void close(Cycle total);

  /// Per boundary of Layers, then what came after the last.
  const std::vector<LeafCycles>& by_boundary() const { return charged_; }

 private:
  struct Stretch {
    int leaf;
    Cycle until;
  };
  void settle(Cycle limit);
  void charge(int leaf, Cycle until);

  Layers& layers_;
  const Cycle& settled_;
  RunListener* listener_ = nullptr;
  int component_ = -1;
  Cycle spent_ = 0;
  Cycle charged_until_ = 0;
  std::vector<Stretch> pending_;
  std::vector<LeafCycles> charged_;
};

}  // namespace accord::sim

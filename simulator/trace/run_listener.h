#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/graph/components.h"
#include "simulator/time/time.h"

namespace accord::sim {

struct Operation;

/// Hears what a run does. Calls about one thing come in the order of time; those about different things need not.
/// Components: units, memories, links, the controller, each in the covenant's order.
class RunListener {
 public:
  virtual ~RunListener() = default;
  /// The component spent [from, until) on a leaf of the stall tree. Every cycle of every component is told once.
  virtual void spent(int component, int leaf, Cycle from, Cycle until) = 0;
  /// Bytes that passed one of the covenant's links in [first, end).
  virtual void passed(int link, std::int64_t bytes, Cycle first, Cycle end) = 0;
  /// Entries that came into a unit's queue (1) or left it (-1).
  virtual void queued(int unit, Cycle at, int change) = 0;
  /// A semaphore's count rose or fell.
  virtual void signalled(int semaphore, Cycle at, int change) = 0;
  /// An operation has begun (`started`); a unit's come in their order.
  virtual void began(const Operation& operation) = 0;
  /// When it is done is known; a unit's may come in another order.
  virtual void ended(const Operation& operation) = 0;
};

/// Tells several listeners.
class RunListeners final : public RunListener {
 public:
  void add(RunListener& listener) { all_.push_back(&listener); }
  bool empty() const { return all_.empty(); }

  void spent(int component, int leaf, Cycle from, Cycle until) override {
    for (RunListener* listener : all_) listener->spent(component, leaf, from, until);
  }
  void passed(int link, std::int64_t bytes, Cycle first, Cycle end) override {
    for (RunListener* listener : all_) listener->passed(link, bytes, first, end);
  }
  void queued(int unit, Cycle at, int change) override {
    for (RunListener* listener : all_) listener->queued(unit, at, change);
  }
  void signalled(int semaphore, Cycle at, int change) override {
    for (RunListener* listener : all_) listener->signalled(semaphore, at, change);
  }
  void began(const Operation& operation) override {
    for (RunListener* listener : all_) listener->began(operation);
  }
  void ended(const Operation& operation) override {
    for (RunListener* listener : all_) listener->ended(operation);
  }

 private:
  std::vector<RunListener*> all_;
};

/// What listeners call things.
struct RunNames {
  ComponentNumbers numbers;
  std::vector<std::string> components{};  ///< by number
  std::vector<std::string> leaves{};
  std::size_t semaphores = 0;
  int idle = -1;  ///< leaf: nothing to do
};

}  // namespace accord::sim

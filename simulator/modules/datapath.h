#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "simulator/modules/unit.h"

namespace accord::sim {

/// What executes operations at one fidelity: the units, and what lies between them. Controller, queues, sync and
/// hazards do not know which one it is.
class Datapath {
 public:
  virtual ~Datapath() = default;

  /// By index of Architecture::units.
  virtual UnitModule& unit(std::size_t index) = 0;
  /// Accounts of the covenant's memories, then of its links; none where there is no time.
  virtual std::vector<StallAccount*> accounts() { return {}; }
  /// Charges what memories and links did before `total`.
  virtual void settle(Cycle total) { (void)total; }
  /// Moves bytes [first, last) of a transfer's walk, or its filled bytes (Agenda::filled).
  virtual void move(const Operation& operation, std::int64_t first, std::int64_t last) = 0;

  /// Bytes that passed one of the covenant's links, and how many could have passed it in `cycles` at most.
  struct LinkUse {
    std::int64_t bytes, peak;
  };
  virtual LinkUse link(std::size_t index, Cycle cycles) const = 0;
};

/// Elaborates a data path; called when SystemC is ready for modules.
using MakeDatapath = std::function<std::unique_ptr<Datapath>(RunState& run, std::vector<ByteStore>& stores)>;

/// A module's account of its time.
inline StallAccount account_of(const RunState& run) { return {run.leaves, run.layers, run.settled}; }

}  // namespace accord::sim

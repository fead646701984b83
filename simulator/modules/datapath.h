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
  UnitModule& unit(std::size_t index) { return *units_[index]; }
  /// Accounts of the covenant's memories, then of its links; none where there is no time.
  virtual std::vector<StallAccount*> accounts() { return {}; }
  /// When all is where it goes, of a run whose units are done at `end`.
  virtual Time drained(Time end) { return end; }
  /// Charges what memories and links did before `total`.
  virtual void settle(Cycle total) { (void)total; }
  /// Moves bytes [first, last) of a transfer's walk, or its filled bytes (Agenda::filled).
  virtual void move(const Operation& operation, std::int64_t first, std::int64_t last) = 0;

  /// Bytes that passed one of the covenant's links.
  virtual std::int64_t link_bytes(std::size_t index) const = 0;

 protected:
  std::vector<std::unique_ptr<UnitModule>> units_;
};

/// Elaborates a data path; called when SystemC is ready for modules.
using MakeDatapath = std::function<std::unique_ptr<Datapath>(RunState& run, std::vector<ByteStore>& stores)>;

/// A module's account of its time.
inline StallAccount account_of(const RunState& run) { return {run.layers, run.settled}; }

}  // namespace accord::sim

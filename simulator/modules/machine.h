#pragma once

#include <memory>
#include <vector>

#include "simulator/modules/controller.h"
#include "simulator/modules/in_order.h"
#include "simulator/modules/mover.h"
#include "simulator/modules/systemc_session.h"

namespace accord::sim {

/// The machine's modules, elaborated for one run.
class Machine {
 public:
  /// `stores` one per memory.
  Machine(RunState& run, FrontEnd& front, Sequence& sequence, std::vector<ByteStore>& stores);

  /// Works the program off; reports a deadlock where it does not end.
  void run();

  /// Closes all accounts at the end of the last operation; returns that time.
  Cycle close();

  /// Every component's account, by its name in the covenant.
  struct Component {
    std::string name;
    StallAccount* account;
  };
  std::vector<Component> components();
  const LinkModule& link(std::size_t index) const { return *links_[index]; }

 private:
  StallAccount account() const { return StallAccount(run_.leaves, run_.layers, run_.settled); }
  void make_unit(int index);
  std::vector<std::vector<LinkModule*>> ways(const Unit& unit);
  void perform(const Agenda::Item& item);
  void report_unmatched_signals();

  SystemcSession session_;
  RunState& run_;
  std::vector<std::unique_ptr<MemoryModule>> memories_;
  std::vector<std::unique_ptr<LinkModule>> links_;  ///< the covenant's, then private wires
  std::vector<std::unique_ptr<UnitModule>> units_;
  std::vector<Mover*> movers_;  ///< by unit; nullptr for compute units
  std::unique_ptr<Semaphores> semaphores_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<InOrderController> in_order_;
};

}  // namespace accord::sim

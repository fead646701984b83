#pragma once

#include <memory>
#include <vector>

#include "simulator/modules/controller.h"
#include "simulator/modules/datapath.h"
#include "simulator/modules/in_order.h"
#include "simulator/modules/systemc_session.h"

namespace accord::sim {

/// The machine's modules, elaborated for one run.
class Machine {
 public:
  /// `stores` one per memory.
  Machine(RunState& run, FrontEnd& front, Sequence& sequence, std::vector<ByteStore>& stores,
          const MakeDatapath& make_datapath);

  /// Works the program off; reports a deadlock where it does not end.
  void run();

  /// Closes all accounts at the end of the last operation; returns that time.
  Time close();

  /// Every component's account, by its name in the covenant.
  struct Component {
    std::string name;
    StallAccount* account;
  };
  std::vector<Component> components();
  const Datapath& datapath() const { return *datapath_; }

 private:
  void perform(const Agenda::Item& item);
  void tell_listener();
  void report_late_unit();
  void report_unmatched_signals();

  SystemcSession session_;
  RunState& run_;
  std::unique_ptr<Datapath> datapath_;
  std::vector<UnitModule*> units_;
  std::unique_ptr<Semaphores> semaphores_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<InOrderController> in_order_;
};

}  // namespace accord::sim

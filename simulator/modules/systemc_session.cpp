#include "simulator/modules/systemc_session.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "archdsl/source/error.h"

namespace accord::sim {

SystemcSession::SystemcSession() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  context_ = std::make_unique<sc_core::sc_simcontext>();
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context_.get();
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
}

SystemcSession::~SystemcSession() { sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = nullptr; }

bool SystemcSession::run(Cycle most_cycles) {
  try {
    const auto longest = sc_core::sc_max_time().value();
    const auto wanted = static_cast<sc_dt::uint64>(most_cycles);
    sc_core::sc_start(cycles(static_cast<Cycle>(std::min(wanted, longest))), sc_core::SC_EXIT_ON_STARVATION);
    return !sc_core::sc_pending_activity();
  } catch (const sc_core::sc_report& report) {
    throw Error(std::string("SystemC: ") + report.what());
  }
}

}  // namespace accord::sim

// SystemC's library asks for it. It stands here so that whoever links a simulation finds it.
int sc_main(int, char**) { return 0; }

#include "simulator/modules/systemc_session.h"

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

void SystemcSession::run() {
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    throw Error(std::string("SystemC: ") + report.what());
  }
}

}  // namespace accord::sim

// SystemC's library asks for it. It stands here so that whoever links a simulation finds it.
int sc_main(int, char**) { return 0; }

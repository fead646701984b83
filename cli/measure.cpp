#include "cli/measure.h"

#include "simulator/simulate.h"

namespace accord {

std::int64_t measure_cycles(const Architecture& architecture, const Program& program) {
  SimulateOptions options;
  options.check_hazards = false;
  options.values = false;
  return simulate(architecture, program, {}, options).total_cycles;
}

}  // namespace accord

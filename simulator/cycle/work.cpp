#include "simulator/cycle/work.h"

#include <fmt/format.h>

#include "archdsl/graph/rates.h"
#include "archdsl/source/error.h"
#include "simulator/kernels/binder.h"
#include "simulator/kernels/program_map.h"
#include "simulator/modules/front_end.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_instructions = 10'000'000;  // that are looked at

double work_of(const Architecture& architecture, const Operation& operation) {
  const OperationShape& shape = *operation.shape;
  const Unit& unit = architecture.units[static_cast<std::size_t>(operation.unit)];
  double work = static_cast<double>(shape.interval);
  for (const AccessShape& access : shape.accesses) {
    if (access.footprint.extent == 0) continue;
    const auto word = static_cast<double>(architecture.memories[static_cast<std::size_t>(access.memory)].word);
    double runs = 1;
    for (const Stride& dim : access.footprint.outer) runs *= static_cast<double>(dim.count);
    const double words = runs * (static_cast<double>(access.footprint.run) / word + 1);
    work += words * (int{access.reads} + int{access.writes});
  }
  for (const RequestPattern& pattern : shape.requests)
    work +=
        static_cast<double>(pattern.runs) * (static_cast<double>(pattern.run) / static_cast<double>(unit.request) + 1);
  for (const int link : shape.links)
    work += static_cast<double>(shape.link_bytes) /
            static_cast<double>(architecture.links[static_cast<std::size_t>(link)].width);
  return work;
}

}  // namespace

void check_work(const Architecture& architecture, const Program& program) {
  const ProgramMap map(program, static_cast<std::int64_t>(program.text.size()) / (architecture.isa.width / 8));
  HazardLog hazards(architecture, map);  // what is wrong with the program shows when it runs
  FrontEnd front(architecture, program, map, hazards);
  front.layer_over = [](int) {};
  Binder binder(architecture);
  Operation operation;
  std::string error;
  double work = 0;
  bool whole = true;
  for (std::size_t stage = 0; stage < map.stages().size() && whole; ++stage) {
    if (map.stages()[stage].host) continue;
    front.enter(stage);
    while (const Decoded* decoded = front.next()) {
      if (decoded->meaning != Meaning::run && decoded->meaning != Meaning::transfer) continue;
      operation.unit = decoded->unit;
      if (!binder.bind(decoded->mnemonic, decoded->unit, front.arguments(), operation, error)) return;
      work += work_of(architecture, operation);
      whole = front.executed() < most_instructions;
      if (!whole) break;
    }
  }
  if (work <= static_cast<double>(most_cycle_work)) return;
  throw Error(
      fmt::format("too large for fidelity cycle: {} {:.2g} words, beats and rows, which it would move one by "
                  "one; it takes up to {:.2g}. Fidelity transaction has no such limit",
                  whole ? "about" : "more than", work, static_cast<double>(most_cycle_work)));
}

}  // namespace accord::sim

#include "simulator/modules/sequence.h"

#include <fmt/format.h>

namespace accord::sim {

Sequence::Sequence(RunState& run, FrontEnd& front, Host& host) : run_(run), front_(front), host_(host) {}

bool Sequence::go_on(Cycle now) {
  const auto& stages = run_.map.stages();
  for (; stage_ < stages.size(); ++stage_) {
    if (!stages[stage_].host) {
      front_.enter(stage_);
      return true;
    }
    run_.agenda.drain();
    if (run_.values) execute(stages[stage_].work, now);
    for (const auto& end : run_.map.ends(stage_)) run_.layers.end_host(end.layer, now);
  }
  run_.agenda.drain();
  return false;
}

void Sequence::execute(const HostWork& work, Cycle now) {
  for (const std::string& symbol : host_.execute(work)) {
    run_.hazards.report("uninitialised_read", now, -1, -1,
                        fmt::format("host work reads of {} what nothing has written", symbol));
  }
}

}  // namespace accord::sim

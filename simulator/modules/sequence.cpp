#include "simulator/modules/sequence.h"

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
    if (run_.values) host_.execute(stages[stage_].work);
    for (const auto& end : run_.map.ends(stage_)) run_.layers.end_host(end.layer, now);
  }
  run_.agenda.drain();
  return false;
}

}  // namespace accord::sim

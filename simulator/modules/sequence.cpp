#include "simulator/modules/sequence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

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
    if (run_.values) execute(stages[stage_], now);
    for (const auto& end : run_.map.ends(stage_)) run_.layers.end_host(end.layer, now);
  }
  run_.agenda.drain();
  return false;
}

void Sequence::execute(const Stage& stage, Cycle now) {
  const std::set<std::string> unwritten = host_.execute(stage.work);
  if (unwritten.empty()) return;
  const auto layer = static_cast<std::size_t>(std::max(stage.layer, 0));
  const auto& layers = run_.program.layers;
  run_.hazards.report_host("uninitialised_read", now, stage.layer, layer < layers.size() ? layers[layer].name : "",
                           fmt::format("host work reads what nothing has written of {}", fmt::join(unwritten, ", ")));
}

}  // namespace accord::sim

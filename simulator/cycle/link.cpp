#include "simulator/cycle/link.h"

#include <algorithm>

#include "simulator/modules/clock.h"
#include "simulator/modules/datapath.h"

namespace accord::sim::cycle {

BeatLink::BeatLink(RunState& run, Schedule& schedule, int number, const Link& spec)
    : run_(run), schedule_(schedule), number_(number), spec_(spec), account_(account_of(run)) {}

void BeatLink::wake(Cycle at) {
  at = std::max(at, now());
  if (woken_ != unknown && woken_ <= at) return;
  woken_ = at;
  schedule_.at(at, [this, at] {
    if (woken_ == at) step();
  });
}

std::vector<BeatLink::Lane*> BeatLink::lanes_of(const Passage& passage) {
  const int memories = static_cast<int>(run_.architecture.memories.size());
  if (spec_.crossbar) return {&lanes_[passage.way.source], &lanes_[memories + passage.way.target]};
  return {&lanes_[passage.way.lane(spec_)]};
}

std::int64_t& BeatLink::held(const LinkModule::Way& way) { return held_[way.fifo(spec_)]; }

bool BeatLink::ready(Passage& passage) {
  const std::int64_t beat = std::min(spec_.width, passage.bytes - passage.passed);
  if (passage.available - passage.passed < beat) return false;
  if (spec_.fifo == 0 || !passage.last) return true;
  const std::int64_t waiting = held(passage.way);
  return waiting == 0 || waiting + beat <= spec_.fifo;
}

bool BeatLink::free(const Passage& passage, Cycle at) {
  return std::ranges::all_of(lanes_of(passage), [&](const Lane* lane) { return lane->next <= at; });
}

bool BeatLink::before(const Passage& a, const Passage& b) {
  const auto begun = [&](const Passage& passage) {
    return std::ranges::any_of(lanes_of(passage), [&](const Lane* lane) { return lane->current == &passage; });
  };
  if (begun(a) != begun(b)) return begun(a);
  if (a.unit != b.unit && spec_.arbitration == Arbitration::priority) return a.unit < b.unit;
  if (a.unit != b.unit && spec_.arbitration == Arbitration::round_robin) {
    const int units = static_cast<int>(run_.architecture.units.size());
    const auto turn = [&](int unit) { return (unit + units - served_ - 1) % units; };
    return turn(a.unit) < turn(b.unit);
  }
  return a.presented != b.presented ? a.presented < b.presented : a.unit < b.unit;
}

Passage* BeatLink::choose(Cycle at) {
  Passage* best = nullptr;
  for (Passage* passage : waiting_) {
    if (ready(*passage) && free(*passage, at) && (!best || before(*passage, *best))) best = passage;
  }
  return best;
}

void BeatLink::step() {
  woken_ = unknown;
  const Cycle at = now();
  while (Passage* const passage = choose(at)) pass(*passage, at);
  Cycle next = unknown;
  for (Passage* passage : waiting_) {
    if (!ready(*passage)) continue;
    Cycle open = at + 1;
    for (const Lane* lane : lanes_of(*passage)) open = std::max(open, lane->next);
    next = next == unknown ? open : std::min(next, open);
  }
  if (next != unknown) wake(next);
}

void BeatLink::pass(Passage& passage, Cycle at) {
  const std::int64_t beat = std::min(spec_.width, passage.bytes - passage.passed);
  passage.passed += beat;
  bytes_ += beat;
  served_ = passage.unit;
  const bool through = passage.passed == passage.bytes;
  Cycle end = at;
  for (Lane* lane : lanes_of(passage)) {
    if (lane->current != &passage || lane->next < at) {
      lane->current = &passage;
      lane->begun = at;
      lane->beats = 0;
    }
    ++lane->beats;
    end = std::max(end, lane->begun + spec_.period.cycles(lane->beats));
    lane->next = lane->begun + lane->beats * spec_.period.numerator / spec_.period.denominator;
    if (!through) continue;
    lane->next = end;  // a request's time is rounded up to a cycle
    lane->current = nullptr;
  }
  if (run_.listener && static_cast<std::size_t>(number_) < run_.architecture.links.size())
    run_.listener->passed(number_, beat, at, end);
  account_.spend(Leaves::nothing_to_do, at);
  account_.spend(Leaves::working, end);
  if (through) std::erase(waiting_, &passage);
  const Cycle arrival = std::max(at, end - 1) + latency();
  const auto arrive = [&passage, passed = passage.passed] { passage.arrive(passed); };
  if (arrival <= now()) return arrive();
  schedule_.at(arrival, arrive);
}

}  // namespace accord::sim::cycle

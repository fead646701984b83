#include "simulator/modules/link.h"

#include <algorithm>
#include <iterator>

#include "archdsl/tensor/rounding.h"
#include "simulator/modules/clock.h"
#include "simulator/modules/mover.h"

namespace accord::sim {

namespace {

/// Cycles. The further a link looks ahead the more seldom it wakes, and the longer what starts meanwhile finds ports
/// taken by requests that are presented later.
constexpr Cycle farthest_ahead = 64;

}  // namespace

LinkModule::LinkModule(const sc_core::sc_module_name& name, RunState& run, int number, const Link& spec,
                       const StallAccount& account)
    : sc_module(name),
      run_(run),
      number_(number),
      spec_(spec),
      latency_(spec.period.cycles(spec.latency)),
      on_reference_clock_(spec.period.is_reference()),
      width_shift_(exact_log2(spec.width)),
      account_(account) {
  run.graph.rates().of(Cause::beats, number) = {spec.width, spec.period};
  SC_HAS_PROCESS(LinkModule);
  SC_METHOD(arbitrate);
  sensitive << wake_;
  dont_initialize();
}

void LinkModule::attach(Mover& mover) {
  if (!movers_.empty() && movers_.back() == &mover) return;
  const Cycle setup = std::clamp<Cycle>(mover.setup(), 1, farthest_ahead);
  lookahead_ = movers_.empty() ? setup : std::min(lookahead_, setup);
  movers_.push_back(&mover);
}

void LinkModule::wake(Cycle at) { notify_at(wake_, at); }

void LinkModule::arbitrate() try {
  run_.settled = now();
  if (run_.agenda.is_long()) run_.agenda.drain(now());
  const Cycle horizon = now() + lookahead_;
  while (!run_.hazards.fatal) {
    Mover* const chosen = choose();
    if (!chosen) return;
    const bool early = chosen->next_presentation() >= (chosen->reads_list() ? now() + 1 : horizon);
    if (early) return wake(chosen->next_presentation());
    if (chosen->reads_list()) {
      chosen->read_list();
      continue;
    }
    served_ = static_cast<std::size_t>(std::ranges::find(movers_, chosen) - movers_.begin());
    chosen->present();
  }
} catch (...) {
  run_.fail();
}

Mover* LinkModule::choose() const {
  Mover* best = nullptr;
  for (Mover* mover : movers_) {
    if (mover->stream_link() == this && (!best || before(*mover, *best))) best = mover;
  }
  return best;
}

bool LinkModule::waits(const Mover& mover) const {
  const Way& way = mover.next_way();
  if (!spec_.crossbar) return mover.next_beat() <= lanes_[way.lane(spec_)].end();
  const auto taken = [&](const std::map<int, Timeline>& ends, int memory) {
    const auto end = ends.find(memory);
    return end != ends.end() && mover.next_beat() <= end->second.end();
  };
  return taken(inputs_, way.source) || taken(outputs_, way.target);
}

bool LinkModule::compete(const Way& a, const Way& b) const {
  if (spec_.crossbar) return a.source == b.source || a.target == b.target;
  return a.lane(spec_) == b.lane(spec_);
}

// Requests whose beats the link is not free for yet wait together; among them the arbitration decides, else who came
// first.
bool LinkModule::before(const Mover& a, const Mover& b) const {
  const bool decides = spec_.arbitration != Arbitration::first_come && !a.reads_list() && !b.reads_list() &&
                       compete(a.next_way(), b.next_way()) && waits(a) && waits(b);
  if (!decides) return a.next_presentation() < b.next_presentation();
  if (spec_.arbitration == Arbitration::priority) return false;  // asked in the covenant's order
  const auto turn = [&](const Mover& mover) {
    const auto at = static_cast<std::size_t>(std::ranges::find(movers_, &mover) - movers_.begin());
    return (at + movers_.size() - served_ - 1) % movers_.size();
  };
  return turn(a) < turn(b);
}

Delay LinkModule::beats(std::int64_t bytes) const {
  const std::int64_t full = bytes + spec_.width - 1,
                     own = width_shift_ >= 0 ? full >> width_shift_ : full / spec_.width;
  return {Cause::beats, number_, on_reference_clock_ ? own : spec_.period.cycles(own), bytes};
}

TimeSlot LinkModule::pass(const Way& way, std::int64_t bytes, Time earliest) {
  DependenceGraph& graph = run_.graph;
  TimeSlot slot;
  if (spec_.crossbar) {
    Timeline& input = inputs_[way.source];
    Timeline& output = outputs_[way.target];
    const Delay length = beats(bytes);
    Cycle at = earliest.at;
    for (Cycle free = unknown; free != at;) {
      free = at;
      at = output.stretch(input.stretch(at, length.cycles), length.cycles);
    }
    const Time both_free = graph.later(graph.next_free(input), graph.next_free(output));
    const Time from = graph.later(earliest, both_free);
    slot = graph.reserve(input, from.at <= at ? from : graph.no_earlier(earliest, at), length);
    graph.reserve(output, slot.first, length);
  } else {
    slot = graph.reserve(lane(way), earliest, beats(bytes));
  }
  bytes_ += bytes;
  if (run_.listener && static_cast<std::size_t>(number_) < run_.architecture.links.size())
    run_.listener->passed(number_, bytes, slot.first, slot.end);
  account_.add(slot.first, slot.end);
  return slot;
}

Time LinkModule::out(const std::vector<Waiting>& waiting, std::int64_t bytes) const {
  auto last = waiting.begin();
  for (; bytes > last->bytes; ++last) bytes -= last->bytes;
  const Cycle takes = last->out.at - last->from;
  const Cycle earlier = takes * (last->bytes - bytes) / last->bytes;
  return run_.graph.after(last->out, {Cause::fixed, 0, -earlier});
}

void LinkModule::hold(const Way& way, std::int64_t bytes, const TimeSlot& slot, Time written) {
  if (spec_.fifo == 0) return;
  auto& all_waiting = waiting_[way.fifo(spec_)];
  const Cycle entered = slot.first.at + latency_;
  std::erase_if(all_waiting, [&](const Waiting& before) { return before.out.at <= entered; });
  // Reads take the link a latency ahead: what passes behind this request is not there yet.
  std::vector<Waiting> waiting;
  std::ranges::copy_if(all_waiting, std::back_inserter(waiting),
                       [&](const Waiting& other) { return other.entered < slot.end.at + latency_; });
  Cycle from = entered;
  std::int64_t all = bytes;
  for (const Waiting& before : waiting) {
    all += before.bytes;
    if (before.target == way.target) from = std::max(from, before.out.at);
  }
  waiting.push_back({way.target, entered, std::min(from, written.at), written, bytes});
  all_waiting.push_back(waiting.back());
  // The next beat passes when there is room for it, or nothing waits: in the last cycle of the word that makes it.
  const std::int64_t over = std::min(all, all + spec_.width - spec_.fifo);
  if (over <= 0) return;
  const Time room = run_.graph.after(out(waiting, over), -latency());
  const Time until = run_.graph.after(room, {Cause::fixed, 0, -1});
  if (until <= slot.end.at) return;
  run_.graph.hold(spec_.crossbar ? outputs_[way.target] : lane(way), slot.end, until);
}

}  // namespace accord::sim

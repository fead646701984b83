#include "simulator/modules/link.h"

#include <algorithm>
#include <limits>

#include "simulator/modules/clock.h"
#include "simulator/modules/mover.h"

namespace accord::sim {

namespace {

constexpr std::size_t most_pieces = 256;

}  // namespace

LinkModule::LinkModule(const sc_core::sc_module_name& name, RunState& run, std::int64_t width, bool duplex,
                       Cycle latency, StallAccount account)
    : sc_module(name), run_(run), width_(width), duplex_(duplex), latency_(latency), account_(std::move(account)) {
  SC_HAS_PROCESS(LinkModule);
  SC_METHOD(arbitrate);
  sensitive << wake_;
  dont_initialize();
}

void LinkModule::attach(Mover& mover) {
  if (std::ranges::find(movers_, &mover) != movers_.end()) return;
  const Cycle setup = std::max<Cycle>(1, mover.spec().setup);
  lookahead_ = movers_.empty() ? setup : std::min(lookahead_, setup);
  movers_.push_back(&mover);
}

void LinkModule::wake(Cycle at) { notify_at(wake_, at); }

void LinkModule::arbitrate() try {
  run_.settled = now();
  const Cycle horizon = now() + lookahead_;
  while (!run_.hazards.fatal) {
    Mover* first = nullptr;
    Cycle presented = std::numeric_limits<Cycle>::max();
    for (Mover* mover : movers_) {
      if (mover->stream_link() != this || mover->next_presentation() >= presented) continue;
      first = mover;
      presented = mover->next_presentation();
    }
    if (!first) return;
    if (presented >= horizon) return wake(presented);
    first->present();
  }
} catch (...) {
  run_.fail();
}

Timeline::Slot LinkModule::pass(bool write, std::int64_t bytes, Cycle earliest) {
  const Cycle cycles = (bytes + width_ - 1) / width_;
  const Timeline::Slot slot = lanes_[duplex_ && write ? 1 : 0].reserve(earliest, cycles);
  bytes_ += bytes;
  busy_.add(slot.first, slot.end);
  if (busy_.pieces() > most_pieces) settle(account_.settled());
  return slot;
}

void LinkModule::settle(Cycle limit) {
  busy_.drain(limit, [&](Cycle first, Cycle end) {
    account_.spend(Leaves::nothing_to_do, first);
    account_.spend(Leaves::working, end);
  });
}

}  // namespace accord::sim

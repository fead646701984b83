#include "simulator/modules/semaphore_order.h"

#include <algorithm>

namespace accord::sim {

namespace {

constexpr std::size_t signals_kept = 256;  // of one unit, beyond those that are still to be waited for

template <class Member>
Member& member_of(std::vector<Member>& members, int unit) {
  const auto found = std::ranges::find(members, unit, &Member::unit);
  return found != members.end() ? *found : members.emplace_back(Member{unit});
}

}  // namespace

int SemaphoreOrder::signal(int semaphore, int unit, VectorClock clock) {
  State& state = states_[static_cast<std::size_t>(semaphore)];
  if (state.given == 0 && state.taken == 0) touched_.push_back(semaphore);
  int misled = -1;
  for (const Waiter& waiter : state.waiters) {
    const bool after = clock[static_cast<std::size_t>(waiter.unit)] >= waiter.tick;
    const bool others = std::ranges::any_of(waiter.relied, [unit](int relied) { return relied != unit; });
    if (!after && others) misled = waiter.unit;
  }
  Signaller& signaller = member_of(state.signallers, unit);
  ++state.given;
  ++signaller.count;
  signaller.last.push_back(std::move(clock));
  forget(state, signaller);
  return misled;
}

// Those that every waiter is past.
void SemaphoreOrder::forget(const State& state, Signaller& signaller) {
  if (signaller.last.size() <= signals_kept || state.waiters.empty()) return;
  const std::int64_t least = std::ranges::min_element(state.waiters, {}, &Waiter::count)->count;
  const std::int64_t first = signaller.count - static_cast<std::int64_t>(signaller.last.size()) + 1;
  if (first <= least - state.left_over) signaller.last.pop_front();
}

void SemaphoreOrder::wait(int semaphore, int unit, std::uint64_t tick) {
  State& state = states_[static_cast<std::size_t>(semaphore)];
  if (state.given == 0 && state.taken == 0) touched_.push_back(semaphore);
  Waiter& waiter = member_of(state.waiters, unit);
  ++state.taken;
  ++waiter.count;
  waiter.waited = tick;
  auto& unsettled = unsettled_[static_cast<std::size_t>(unit)];
  if (std::ranges::find(unsettled, semaphore) == unsettled.end()) unsettled.push_back(semaphore);
}

void SemaphoreOrder::settle(int unit, VectorClock& clock) {
  auto& unsettled = unsettled_[static_cast<std::size_t>(unit)];
  for (const int semaphore : unsettled) {
    State& state = states_[static_cast<std::size_t>(semaphore)];
    settle(state, member_of(state.waiters, unit), clock);
  }
  unsettled.clear();
}

void SemaphoreOrder::settle(const State& state, Waiter& waiter, VectorClock& clock) {
  waiter.tick = waiter.waited;
  for (const Signaller& signaller : state.signallers) {
    const std::int64_t others = state.left_over + state.given - signaller.count;
    const std::int64_t seen = std::min(waiter.count - others, signaller.count);
    const std::int64_t first = signaller.count - static_cast<std::int64_t>(signaller.last.size()) + 1;
    if (seen < first) continue;
    clock.join(signaller.last[static_cast<std::size_t>(seen - first)]);
    if (std::ranges::find(waiter.relied, signaller.unit) == waiter.relied.end())
      waiter.relied.push_back(signaller.unit);
  }
}

void SemaphoreOrder::fence() {
  for (const int semaphore : touched_) {
    State& state = states_[static_cast<std::size_t>(semaphore)];
    state = {state.left_over + state.given - state.taken, 0, 0, {}, {}};
  }
  touched_.clear();
  for (auto& unsettled : unsettled_) unsettled.clear();
}

}  // namespace accord::sim

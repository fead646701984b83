#include "simulator/modules/interlock_order.h"

#include <algorithm>

namespace accord::sim {

void InterlockOrder::begin(Operation& operation, std::uint64_t count) {
  ++operation.holds;
  begun_.push_back({&operation, count});
  if (begun_.size() <= kept) return;
  pool_.release(begun_.front().operation);
  begun_.pop_front();
}

void InterlockOrder::forget() {
  for (const Begun& begun : begun_) pool_.release(begun.operation);
  begun_.clear();
}

bool InterlockOrder::waits_for(const Operation& earlier) const {
  return std::ranges::any_of(before_, [&](const Operation* later) {
    return earlier.id < later->id && earlier.unit != later->unit && conflicts(*later, earlier, Within::on_chip);
  });
}

bool InterlockOrder::comes_after(const Operation& operation, int unit, std::uint64_t count) {
  // What a mover brings leaves it in order; a compute unit's operations may end in another one than they begin in.
  const bool ends_in_order = architecture_.units[static_cast<std::size_t>(unit)].kind == UnitKind::mover;
  std::vector<bool> in(architecture_.units.size(), false);  // a later one of the unit begins before
  in[static_cast<std::size_t>(operation.unit)] = true;
  before_.assign(1, &operation);
  for (auto begun = begun_.rbegin(); begun != begun_.rend(); ++begun) {
    const Operation& earlier = *begun->operation;
    const bool waited_for = waits_for(earlier);
    if (earlier.unit == unit && begun->count <= count) return waited_for && begun->count == count;
    if (!waited_for && !in[static_cast<std::size_t>(earlier.unit)]) continue;
    if (earlier.unit == unit && ends_in_order) return true;
    in[static_cast<std::size_t>(earlier.unit)] = true;
    before_.push_back(&earlier);
  }
  return false;
}

}  // namespace accord::sim

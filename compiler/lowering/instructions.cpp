#include "compiler/lowering/instructions.h"

#include <bit>
#include <cmath>

#include "compiler/mapping/timing.h"

namespace accord {
namespace {

constexpr std::size_t most_kept = 1 << 16;  ///< instructions of steps

}  // namespace

LowOp& append_transfer(const Machine& machine, OpList& list, const Hop& hop, const TransferPiece& piece,
                       const TransferEnd& source, const TransferEnd& target) {
  const RouteLimits& limits = *machine.limits.route(hop.unit, hop.route);
  const Route& route = machine.architecture.units[hop.unit].routes[hop.route];
  LowOp op;
  op.mnemonic = limits.mnemonic;
  op.unit = hop.unit;
  op.first = static_cast<std::uint32_t>(list.values.size());
  auto& values = list.values;
  values.emplace_back(source.address + piece.source);
  values.emplace_back(target.address + piece.target);
  for (const auto extent : piece.extent) values.emplace_back(extent);
  auto strides = [&](Step WalkDim::*side, const std::vector<std::int64_t>& steps) {
    for (std::size_t d = 1; d < route.walk.size(); ++d) {
      if ((route.walk[d].*side).kind != Step::Kind::free) continue;
      values.push_back(piece.extent[d] > 1 ? MaybeValue(steps[d]) : std::nullopt);
    }
  };
  strides(&WalkDim::source, piece.source_stride);
  strides(&WalkDim::target, piece.target_stride);
  if (route.pad) values.insert(values.end(), 2 * route.walk.size(), 0);  // everything is read, nothing filled
  op.count = static_cast<std::uint32_t>(values.size()) - op.first;
  const TransferTiming timing = transfer_timing(machine.architecture, hop, piece);
  set_requests(op, timing.requests);
  op.busy = static_cast<std::int32_t>(std::ceil(timing.busy));
  op.latency = static_cast<std::int32_t>(std::ceil(timing.stream)) +
               static_cast<std::int32_t>(hop_latency(machine.architecture, hop));
  op.awaited = static_cast<std::int32_t>(timing.awaited);
  op.answer = static_cast<std::int32_t>(timing.answer);
  op.hurry = static_cast<std::int32_t>(timing.hurry);
  op.image = source.image;
  op.touch(source.buffer, false, static_cast<std::int64_t>(std::ceil(timing.source_words)));
  op.touch(target.buffer, true, static_cast<std::int64_t>(std::ceil(timing.target_words)));
  list.ops.push_back(op);
  return list.ops.back();
}

StepInstructions& Instructions::of_shape(int s, const std::vector<PlacedUse>& uses, const Extents& box) {
  shape_ = {s};
  shape_.insert(shape_.end(), box.begin(), box.end());
  for (const PlacedUse& use : uses) {
    shape_.push_back(std::bit_cast<std::intptr_t>(use.view.layout));
    shape_.insert(shape_.end(), use.start.begin(), use.start.end());
  }
  if (const auto known = steps_.find(shape_); known != steps_.end()) return known->second;
  if (kept_ > most_kept) {
    steps_.clear();
    kept_ = 0;
  }
  StepInstructions& made = steps_.try_emplace(shape_, machine_, mapping_, s, uses, box).first->second;
  kept_ += made.size() + 1;
  return made;
}

void Instructions::step(int s, const std::vector<PlacedUse>& uses, const Extents& box) {
  of_shape(s, uses, box).append(list_, uses, held_[s]);
}

}  // namespace accord

#include "compiler/lowering/instructions.h"

#include <bit>
#include <cmath>
#include <span>

#include "compiler/mapping/timing.h"

namespace accord {
namespace {

constexpr std::size_t most_kept = 1 << 16;  ///< instructions of steps

void set_times(LowOp& op, const Architecture& architecture, const Hop& hop, const TransferTiming& timing) {
  set_requests(op, timing.requests);
  op.busy = static_cast<std::int32_t>(std::ceil(timing.busy));
  op.latency =
      static_cast<std::int32_t>(std::ceil(timing.stream)) + static_cast<std::int32_t>(hop_latency(architecture, hop));
  op.awaited = static_cast<std::int32_t>(timing.awaited);
  op.answer = static_cast<std::int32_t>(timing.answer);
  op.hurry = static_cast<std::int32_t>(timing.hurry);
}

/// What a transfer with these values of its arguments walks, as `append_transfer` has them.
TransferPiece piece_of(const Route& route, std::span<const MaybeValue> values) {
  const std::size_t dims = route.walk.size();
  TransferPiece piece;
  auto next = values.begin() + 2;  // after the addresses
  for (std::size_t d = 0; d < dims; ++d) piece.extent.push_back((next++)->value_or(1));
  const auto strides = [&](Step WalkDim::*side, std::vector<std::int64_t>& steps) {
    steps.assign(dims, 0);
    for (std::size_t d = 1; d < dims; ++d) {
      const Step& step = route.walk[d].*side;
      steps[d] = step.kind == Step::Kind::free ? (next++)->value_or(0) : step.bytes;
    }
  };
  strides(&WalkDim::source, piece.source_stride);
  strides(&WalkDim::target, piece.target_stride);
  count_bytes(piece);
  return piece;
}

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
  set_times(op, machine.architecture, hop, timing);
  op.image = source.image;
  op.touch(source.buffer, false, static_cast<std::int64_t>(std::ceil(timing.source_words)));
  op.touch(target.buffer, true, static_cast<std::int64_t>(std::ceil(timing.target_words)));
  list.ops.push_back(op);
  return list.ops.back();
}

void bring_by(const Machine& machine, const OpList& list, const Hop& hop, LowOp& op) {
  const Architecture& architecture = machine.architecture;
  const Route& own = architecture.units[op.unit].routes[architecture.isa.mnemonics[op.mnemonic].route];
  const TransferPiece piece = piece_of(own, std::span(list.values).subspan(op.first, op.count));
  set_times(op, architecture, hop, transfer_timing(architecture, hop, piece));
  op.unit = hop.unit;
  op.mnemonic = machine.limits.route(hop.unit, hop.route)->mnemonic;
}

StepInstructions& Instructions::of_shape(int s, const std::vector<PlacedUse>& uses, const Extents& box, bool begins) {
  shape_ = {s, begins};
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
  StepInstructions& made = steps_.try_emplace(shape_, machine_, mapping_, s, uses, box, begins).first->second;
  kept_ += made.size() + 1;
  return made;
}

void Instructions::step(int s, const std::vector<PlacedUse>& uses, const Extents& box, bool begins) {
  of_shape(s, uses, box, begins).append(list_, uses, held_[s]);
}

}  // namespace accord

#include "compiler/mapping/transfer.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "archdsl/tensor/rounding.h"
#include "archdsl/tensor/stride.h"

namespace accord {
namespace {

/// Bytes that lie together on one side, in the order of the walk.
std::int64_t run_of(const TransferPiece& piece, const std::vector<std::int64_t>& strides) {
  std::int64_t run = piece.extent[0];
  for (std::size_t d = 1; d < piece.extent.size(); ++d) {
    if (piece.extent[d] == 1) continue;
    if (strides[d] != run) break;
    run *= piece.extent[d];
  }
  return run;
}

}  // namespace

void count_bytes(TransferPiece& piece) {
  piece.bytes = piece.source_bytes = 1;
  for (std::size_t d = 0; d < piece.extent.size(); ++d) {
    piece.bytes *= piece.extent[d];
    if (d == 0 || piece.extent[d] == 1 || piece.source_stride[d] != 0) piece.source_bytes *= piece.extent[d];
  }
  piece.contiguous = run_of(piece, piece.source_stride);
}

namespace {

bool joins(const CopyDim& inner, const CopyDim& outer) {
  return outer.source == inner.source * inner.extent && outer.target == inner.target * inner.extent;
}

/// Drops unit dims, grows the run by dims that continue it, merges dims that continue each other.
void normalise(Copy& copy) {
  std::erase_if(copy.dims, [](const CopyDim& d) { return d.extent == 1; });
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < copy.dims.size() && !again; ++i) {
      if (copy.dims[i].source == copy.run && copy.dims[i].target == copy.run) {
        copy.run *= copy.dims[i].extent;
        copy.dims.erase(copy.dims.begin() + static_cast<std::ptrdiff_t>(i));
        again = true;
      }
      for (std::size_t j = 0; j < copy.dims.size() && !again; ++j) {
        if (i == j || i >= copy.dims.size() || !joins(copy.dims[i], copy.dims[j])) continue;
        copy.dims[i].extent *= copy.dims[j].extent;
        copy.dims.erase(copy.dims.begin() + static_cast<std::ptrdiff_t>(j));
        again = true;
      }
    }
  }
}

/// Which part of which dim each walk dimension takes.
struct Slot {
  int dim = -1;
  std::int64_t extent = 1;
  std::int64_t source = 0;
  std::int64_t target = 0;
};

struct Choice {
  std::vector<Slot> slots;
  double cycles = std::numeric_limits<double>::infinity();
  std::int64_t instructions = INT64_MAX;
};

bool takes(const Step& step, std::int64_t bytes) { return step.kind == Step::Kind::free || step.bytes == bytes; }

/// Each instruction has to be issued, ordered and waited for: more of them only where they take half of the time.
constexpr double worth_more = 2;

/// Tries every assignment of dims to walk dimensions.
class SlotSearch {
 public:
  SlotSearch(const RouteLimits& limits, std::int64_t run) : limits_(limits), run_(run) {}

  Choice best(const std::vector<CopyDim>& dims) {
    remaining_ = dims;
    slots_.assign(limits_.walk.size(), {});
    visit(1);
    return quickest_.cycles * worth_more <= fewest_.cycles ? quickest_ : fewest_;
  }

 private:
  void visit(std::size_t slot) {
    if (slot == limits_.walk.size()) {
      consider();
      return;
    }
    for (std::size_t d = 0; d < remaining_.size(); ++d) {
      CopyDim& dim = remaining_[d];
      const WalkDim& walk = limits_.walk[slot];
      if (dim.extent == 1 || walk.max < 2 || !takes(walk.source, dim.source) || !takes(walk.target, dim.target)) {
        continue;
      }
      const CopyDim saved = dim;
      const std::int64_t part = std::min(dim.extent, walk.max);
      slots_[slot] = {static_cast<int>(d), part, dim.source, dim.target};
      dim = {ceil_div(dim.extent, part), dim.source * part, dim.target * part};
      visit(slot + 1);
      dim = saved;
      slots_[slot] = {};
    }
    visit(slot + 1);
  }

  void consider() {
    std::int64_t count = 1;
    for (const auto& dim : remaining_) count *= dim.extent;
    std::int64_t bytes = run_, together = run_;
    bool joined = true;
    for (const auto& slot : slots_) {
      if (slot.extent == 1) continue;
      joined = joined && (limits_.pace.asks_at_target ? slot.target : slot.source) == together;
      if (joined) together *= slot.extent;
      bytes *= slot.extent;
    }
    const double cycles = static_cast<double>(count) * limits_.pace.cycles(bytes, run_, together);
    if (std::pair(cycles, count) < std::pair(quickest_.cycles, quickest_.instructions))
      quickest_ = {slots_, cycles, count};
    if (std::pair(count, cycles) < std::pair(fewest_.instructions, fewest_.cycles)) fewest_ = {slots_, cycles, count};
  }

  const RouteLimits& limits_;
  std::int64_t run_;
  std::vector<CopyDim> remaining_;
  std::vector<Slot> slots_;
  Choice quickest_, fewest_;
};

TransferPiece make_piece(const RouteLimits& limits, std::int64_t run, const std::vector<Slot>& slots) {
  TransferPiece piece;
  const std::size_t dims = limits.walk.size();
  piece.extent.assign(dims, 1);
  piece.source_stride.assign(dims, 0);
  piece.target_stride.assign(dims, 0);
  piece.extent[0] = run;
  for (std::size_t d = 1; d < dims; ++d) {
    const WalkDim& walk = limits.walk[d];
    piece.extent[d] = slots[d].extent;
    piece.source_stride[d] = slots[d].extent > 1 ? slots[d].source : walk.source.bytes;
    piece.target_stride[d] = slots[d].extent > 1 ? slots[d].target : walk.target.bytes;
  }
  count_bytes(piece);
  return piece;
}

void append(TransferPlan& plan, TransferPiece piece) {
  plan.bytes += piece.bytes;
  plan.source_bytes += piece.source_bytes;
  plan.pieces.push_back(std::move(piece));
}

/// Emits the pieces of one choice over what the slots leave; ragged ends become smaller pieces.
class PieceEmitter {
 public:
  PieceEmitter(const RouteLimits& limits, std::int64_t run, const std::vector<CopyDim>& dims, TransferPlan& plan)
      : limits_(limits), run_(run), dims_(dims), plan_(plan) {}

  void emit(const std::vector<Slot>& slots) { visit(0, slots, 0, 0); }

 private:
  /// Dimension by dimension: walks what the slots of this dim leave, with shorter slots at the ragged end.
  void visit(std::size_t d, const std::vector<Slot>& slots, std::int64_t source, std::int64_t target) {
    if (d == dims_.size()) {
      TransferPiece piece = make_piece(limits_, run_, slots);
      piece.source = source;
      piece.target = target;
      append(plan_, std::move(piece));
      return;
    }
    visit_part(d, dims_[d].extent, slots, source, target);
  }

  void visit_part(std::size_t d, std::int64_t extent, const std::vector<Slot>& slots, std::int64_t source,
                  std::int64_t target) {
    std::int64_t covered = 1;
    for (const auto& slot : slots) covered *= slot.dim == static_cast<int>(d) ? slot.extent : 1;
    for (std::int64_t at = 0; at < extent;) {
      std::vector<Slot> now = slots;
      const std::int64_t left = extent - at;
      std::int64_t part = covered;
      if (left < covered) part = shrink(now, static_cast<int>(d), left);
      visit(d + 1, now, source + at * dims_[d].source, target + at * dims_[d].target);
      at += part;
    }
  }

  /// Cuts the slots of a dim to at most `left`; returns what they cover.
  static std::int64_t shrink(std::vector<Slot>& slots, int dim, std::int64_t left) {
    std::int64_t covered = 1;
    for (auto& slot : slots) {
      if (slot.dim != dim) continue;
      slot.extent = std::max<std::int64_t>(std::min(slot.extent, left / covered), 1);
      covered *= slot.extent;
    }
    return covered;
  }

  const RouteLimits& limits_;
  std::int64_t run_;
  const std::vector<CopyDim>& dims_;
  TransferPlan& plan_;
};

void plan_run(const RouteLimits& limits, std::int64_t run, std::vector<CopyDim> dims, TransferPlan& plan) {
  SlotSearch search(limits, run);
  const Choice choice = search.best(dims);
  PieceEmitter(limits, run, dims, plan).emit(choice.slots);
}

void shift(TransferPlan& plan, std::size_t from, std::int64_t source, std::int64_t target) {
  for (std::size_t i = from; i < plan.pieces.size(); ++i) {
    plan.pieces[i].source += source;
    plan.pieces[i].target += target;
  }
}

/// Largest packed block of the target range that one transfer covers: walk dims in some order, wired steps obeyed.
struct PackedBlock {
  std::vector<Slot> slots;
  std::int64_t runs = 1;
};

void grow(const RouteLimits& limits, std::int64_t run, std::int64_t left, std::vector<bool>& used, PackedBlock now,
          PackedBlock& best) {
  if (now.runs > best.runs) {
    // Packed source order is walk order; wired source steps must agree with it.
    std::int64_t source = run;
    bool legal = true;
    for (std::size_t d = 1; d < limits.walk.size(); ++d) {
      if (now.slots[d].extent == 1) continue;
      legal = legal && takes(limits.walk[d].source, source);
      now.slots[d].source = source;
      source *= now.slots[d].extent;
    }
    if (legal) best = now;
  }
  for (std::size_t d = 1; d < limits.walk.size(); ++d) {
    const WalkDim& walk = limits.walk[d];
    const std::int64_t step = run * now.runs;
    if (used[d] || !takes(walk.target, step)) continue;
    const std::int64_t extent = std::min(walk.max, left / now.runs);
    if (extent < 2) continue;
    used[d] = true;
    PackedBlock next = now;
    next.slots[d] = {0, extent, 0, step};
    next.runs *= extent;
    grow(limits, run, left, used, next, best);
    used[d] = false;
  }
}

TransferPlan plan_runs(const RouteLimits& limits, const Copy& copy) {
  TransferPlan plan;
  const std::int64_t top = limits.walk[0].max;
  const std::int64_t whole = copy.run / top;
  if (whole == 0) {
    plan_run(limits, copy.run, copy.dims, plan);
    return plan;
  }
  auto dims = copy.dims;
  if (whole > 1) dims.insert(dims.begin(), {whole, top, top});
  plan_run(limits, top, dims, plan);
  if (const std::int64_t rest = copy.run % top; rest != 0) {
    const std::size_t from = plan.pieces.size();
    plan_run(limits, rest, copy.dims, plan);
    shift(plan, from, whole * top, whole * top);
  }
  return plan;
}

}  // namespace

TransferPlan plan_copy(const RouteLimits& limits, const Copy& original) {
  Copy copy = original;
  normalise(copy);
  TransferPlan plan = plan_runs(limits, copy);
  std::vector<Stride> at_target;
  for (const CopyDim& dim : copy.dims) at_target.push_back({dim.extent, dim.target});
  const std::int64_t joined = grown_run(copy.run, at_target);
  for (TransferPiece& piece : plan.pieces) piece.joined = joined;
  return plan;
}

TransferPlan plan_packed(const RouteLimits& limits, std::int64_t bytes) {
  TransferPlan plan;
  const std::int64_t run = std::min(limits.walk[0].max, bytes);
  std::int64_t done = 0;
  while (done < bytes) {
    const std::int64_t now = std::min(run, bytes - done);
    PackedBlock best{std::vector<Slot>(limits.walk.size()), 1};
    std::vector<bool> used(limits.walk.size(), false);
    const std::int64_t left = (bytes - done) / now;
    PackedBlock start = best;
    start.runs = 1;
    best.runs = 0;
    grow(limits, now, left, used, start, best);
    TransferPiece piece = make_piece(limits, now, best.slots);
    piece.source = piece.target = done;
    done += piece.bytes;
    append(plan, std::move(piece));
  }
  return plan;
}

namespace {

/// Requests of so many bytes at most that the transfer makes on this side.
std::int64_t requests_of(const TransferPiece& piece, const std::vector<std::int64_t>& strides, std::int64_t most) {
  std::int64_t points = 1;
  for (const std::int64_t extent : piece.extent) points *= extent;
  const std::int64_t run = run_of(piece, strides);
  return points / run * ceil_div(run, most);
}

/// The same of all its parts, of `step` steps of one dimension each but for the last one.
std::int64_t requests_when_cut(TransferPiece piece, const std::vector<std::int64_t>& strides, std::size_t dim,
                               std::int64_t step, std::int64_t most) {
  const std::int64_t extent = piece.extent[dim];
  std::int64_t requests = 0;
  for (const auto& [count, steps] : {std::pair{extent / step, step}, std::pair{std::int64_t{1}, extent % step}}) {
    piece.extent[dim] = steps;
    if (steps > 0) requests += count * requests_of(piece, strides, most);
  }
  return requests;
}

/// The piece in parts of `step` steps of one dimension of its walk; nothing where one begins between addresses.
std::vector<TransferPiece> cut_along(const TransferPiece& piece, const RouteLimits& limits, std::size_t dim,
                                     std::int64_t step) {
  const std::int64_t extent = piece.extent[dim];
  std::vector<TransferPiece> parts;
  for (std::int64_t at = 0; at < extent; at += step) {
    TransferPiece part = piece;
    part.extent[dim] = std::min(step, extent - at);
    part.source += at * piece.source_stride[dim];
    part.target += at * piece.target_stride[dim];
    if (part.source % limits.source_unit != 0 || part.target % limits.target_unit != 0) return {};
    part.bytes = piece.bytes / extent * part.extent[dim];
    if (piece.source_stride[dim] != 0) part.source_bytes = piece.source_bytes / extent * part.extent[dim];
    part.contiguous = std::min(piece.contiguous, run_of(part, part.source_stride));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

std::vector<TransferPiece> cut(const TransferPiece& piece, const RouteLimits& limits, bool at_target,
                               std::int64_t parts, std::int64_t request) {
  const auto& strides = at_target ? piece.target_stride : piece.source_stride;
  const auto& others = at_target ? piece.source_stride : piece.target_stride;
  std::vector<std::size_t> dims;
  for (std::size_t d = 1; d < piece.extent.size(); ++d) {
    if (piece.extent[d] > 1 && piece.source_stride[d] != 0) dims.push_back(d);  // none that would be read anew
  }
  std::ranges::stable_sort(dims, std::ranges::greater{}, [&](std::size_t d) { return std::abs(strides[d]); });
  const std::int64_t requests = requests_of(piece, others, request);
  for (const std::size_t d : dims) {
    if (parts < 2) break;
    const std::int64_t least = ceil_div(piece.extent[d], parts);
    for (std::int64_t step = least; step < std::min(2 * least, piece.extent[d]); ++step) {
      if (requests_when_cut(piece, others, d, step, request) * 16 > requests * 17) continue;
      if (auto cut = cut_along(piece, limits, d, step); !cut.empty()) return cut;
    }
  }
  return {piece};
}

}  // namespace accord

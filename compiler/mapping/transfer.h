#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/mapping/limits.h"

namespace accord {

/// One dimension of a copy: `extent` steps of so many bytes on either side.
struct CopyDim {
  std::int64_t extent = 1;
  std::int64_t source = 0;
  std::int64_t target = 0;
};

/// A rectangular copy: `run` bytes contiguous on both sides, repeated over dims (innermost first).
struct Copy {
  std::int64_t run = 1;
  std::vector<CopyDim> dims;
};

/// One transfer instruction, relative to the copy's bases.
struct TransferPiece {
  std::int64_t source = 0;
  std::int64_t target = 0;
  std::vector<std::int64_t> extent;         ///< n0 (bytes), n1, ...
  std::vector<std::int64_t> source_stride;  ///< per walk dimension; [0] unused
  std::vector<std::int64_t> target_stride;
  std::int64_t bytes = 0;         ///< written to the target
  std::int64_t source_bytes = 0;  ///< distinct reads: a stride of 0 is read once
  std::int64_t contiguous = 0;    ///< bytes of one contiguous source run
  std::int64_t joined = 0;        ///< bytes of one contiguous target run of the whole copy that it is a piece of
};

/// Sets what the piece writes, reads and has side by side, from its extents and strides.
void count_bytes(TransferPiece& piece);

struct TransferPlan {
  std::vector<TransferPiece> pieces;
  std::int64_t bytes = 0;
  std::int64_t source_bytes = 0;
  bool legal = true;
};

/// Splits a copy into transfers that the mover can walk: the fewest, or more that take half of the time by the route's
/// pace, found by trying every assignment of the copy's dims to the walk's.
TransferPlan plan_copy(const RouteLimits& limits, const Copy& copy);

/// The same where the source is ours to arrange (a constant's image): `bytes` contiguous at the target; pieces read
/// the source from 0 on without gaps, each in the order of its walk.
TransferPlan plan_packed(const RouteLimits& limits, std::int64_t bytes);

/// The piece in at most so many of about equal size, cut where the addresses of one side (`at_target`) are farthest
/// apart and begin at multiples of what the instruction counts, and where that hardly makes more requests of `request`
/// bytes on the other side; the piece alone where it cannot be cut.
std::vector<TransferPiece> cut(const TransferPiece& piece, const RouteLimits& limits, bool at_target,
                               std::int64_t parts, std::int64_t request);

/// Applies fn(source offset, target offset, bytes) to every contiguous run of a piece, in walk order.
template <typename Fn>
void for_each_run(const TransferPiece& piece, Fn&& fn) {
  const std::size_t dims = piece.extent.size();
  std::vector<std::int64_t> at(dims, 0);
  for (;;) {
    std::int64_t source = piece.source;
    std::int64_t target = piece.target;
    for (std::size_t d = 1; d < dims; ++d) {
      source += at[d] * piece.source_stride[d];
      target += at[d] * piece.target_stride[d];
    }
    fn(source, target, piece.extent[0]);
    std::size_t d = 1;
    while (d < dims && ++at[d] == piece.extent[d]) at[d++] = 0;
    if (d >= dims) return;
  }
}

}  // namespace accord

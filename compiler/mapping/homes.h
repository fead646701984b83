#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codelets/work.h"
#include "compiler/mapping/layout.h"

namespace accord {

/// Rows or columns of an image that lie beside each other as channels of the tensor that it lives in: of every `count`,
/// the i-th of channel c is channel `channel` * c + `part` * i there (interleave.h, result_columns.h).
struct SideBySide {
  std::size_t index = 2;   ///< 2: rows, 3: columns
  std::int64_t count = 1;  ///< 1: none
  std::int64_t channel = 1, part = 1;
  bool operator==(const SideBySide&) const = default;
};

/// How a tensor lies in memory between layers: by rule channels innermost for images, else row-major; a margin around
/// it holds what reads beyond it yield (padding), so that no transfer needs a special case at the border.
struct Home {
  int memory = -1;                   ///< that keeps it on chip; -1: off-chip memory
  std::vector<std::size_t> order{};  ///< of the indices, outermost first
  std::int64_t pitch = 1;            ///< rows of the innermost index begin at multiples of so many bytes
  std::vector<std::int64_t> before;  ///< elements of margin per index
  std::vector<std::int64_t> after;
  double outside = 0;        ///< value in the margin
  std::vector<bool> relied;  ///< per index: results hang on the margin's value, so that no result may spill into it
  HomeStrides strides;       ///< bytes per index
  std::int64_t origin = 0;   ///< bytes from the start of the allocation to element 0
  std::int64_t bytes = 0;    ///< of the allocation
  int alias = -1;            ///< lives inside this tensor's home, at `alias_offset` from its element 0
  std::int64_t alias_offset = 0;
  bool foreseen_inside = false;  ///< another's (`foresee_strides`), before it is allocated
  SideBySide side_by_side;
  std::int64_t address = -1;  ///< of element 0, once allocated
  /// Whether what lies between its rows may be another tensor's.
  bool is_inside() const { return alias >= 0 || foreseen_inside; }
  bool has_margin() const { return margin_bytes > 0; }
  std::int64_t margin_bytes = 0;
  bool operator==(const Home&) const = default;
};

/// Homes of all tensors of a network, same index.
using Homes = std::vector<Home>;

/// Dense homes without margins. Tensors of rank 4, or 3 with a plane as one index, are images where an operator with
/// windows reads or writes them, or what is computed from them element by element.
Homes initial_homes(const Network& network);

/// The order in which indices with these strides lie; what has an extent of 1 stays outside.
std::vector<std::size_t> order_of(const Shape& shape, const HomeStrides& strides);

/// Widens the margins to what the access reaches beyond its tensor over these extents.
void reach(Home& home, const Shape& shape, const Access& access, const std::vector<std::int64_t>& extents);

/// A home of nothing but the margins that the access alone needs over these extents.
Home margins_of(const Shape& shape, const Access& access, const std::vector<std::int64_t>& extents);

/// The strides of a home once it has the margin that the access over these extents needs; others' margins are as they
/// are. Those of what lies inside another tensor stay.
HomeStrides reached_strides(const Home& home, const Shape& shape, const Access& access,
                            const std::vector<std::int64_t>& extents);

/// Strides, origin and size from order and margins.
void settle(Home& home, const Shape& shape, ElementType type);

}  // namespace accord

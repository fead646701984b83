#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/mapping/plan.h"

namespace accord {

/// One axis of a tile: an iterator, or a window's sum of iterators.
struct LayoutAxis {
  std::vector<std::pair<int, std::int64_t>> terms;  ///< iterator, coefficient
  std::int64_t extent = 1;
  std::int64_t home_step = 0;  ///< bytes between neighbours in the home layout
  std::int64_t weight = 1;     ///< within its group's flat index
  int group = -1;
};

/// Axes that are counted as one flat index f, stored at (f / block) * block_step + (f % block) * step.
struct LayoutGroup {
  std::vector<int> axes;  ///< innermost first
  std::int64_t extent = 1;
  std::int64_t block = 1;
  std::int64_t step = 0;
  std::int64_t block_step = 0;
  int dim = -1;        ///< capability dim it serves with a wired step, or -1
  bool dense = false;  ///< holds a window, in one run without blocks: other dims step into it by less than a word
};

/// Where the elements of a tile lie in an on-chip memory, relative to its base.
struct Layout {
  std::vector<LayoutAxis> axes;
  std::vector<LayoutGroup> groups;  ///< innermost first
  std::int64_t bytes = 0;
  std::string error;  ///< why the capability cannot address such a tile; empty: it can
};

/// Whether neighbouring sums overlap (p*stride + r) where the iterators have such extents; g*K + k, where k stays below
/// K, is a product of separate axes.
bool is_window(const AffineIndex& index, const std::vector<std::int64_t>& extents);

/// Bytes per logical index of a tensor in off-chip memory.
using HomeStrides = std::vector<std::int64_t>;

/// Bytes from one count of the iterator to the next, where the tensor lies with these strides.
std::int64_t access_step(const HomeStrides& strides, const Access& access, int iterator);

/// Layout of the tile of `extents` (one per iterator) that the use's capability can address: lanes innermost and
/// blocked to the word, wired rows next, then the free dims, then what no dim covers. Free dims begin with a word where
/// others are wired; where none is, they fill it.
Layout make_layout(const Architecture& architecture, const Mapping& mapping, const Use& use,
                   std::span<const std::int64_t> extents, const HomeStrides& strides, int memory);

/// Whether what lies between rows of so many bytes is sooner brought along than left out.
constexpr bool is_small_gap(std::int64_t row, std::int64_t step) { return row <= step && 2 * step <= 3 * row; }

/// Layout of a tile in a memory of this word on the way to the unit's, as the tensor lies at home: what is closest
/// there is closest, windows in one run; without gaps, but for an input's small ones at home, which come along.
Layout make_home_layout(const Mapping& mapping, const Use& use, std::span<const std::int64_t> extents,
                        const HomeStrides& strides, std::int64_t word);

/// Bytes from one value of the iterator to the next, within a block of lanes.
std::int64_t iterator_step(const Layout& layout, int iterator);

/// Byte offset of the point (iterator values relative to the tile).
std::int64_t offset_of(const Layout& layout, std::span<const std::int64_t> point);

}  // namespace accord

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "compiler/mapping/geometry.h"

using namespace accord;

namespace {

constexpr unsigned copies_seed = 2027;
constexpr std::int64_t element = 4;

/// A tile whose axes, innermost first, are counted as one and lie in blocks of `block` elements.
Layout fused(const std::vector<std::pair<int, std::int64_t>>& axes, std::int64_t block) {
  Layout layout;
  LayoutGroup group;
  for (const auto& [iterator, extent] : axes) {
    group.axes.push_back(static_cast<int>(layout.axes.size()));
    layout.axes.push_back({{{iterator, 1}}, extent, 0, group.extent, 0});
    group.extent *= extent;
  }
  group.block = std::min(block, group.extent);
  group.step = element;
  group.block_step = element * block;
  layout.bytes = (group.extent + block - 1) / block * block * element;
  layout.groups.push_back(std::move(group));
  return layout;
}

/// Where each byte of the tile comes from.
std::map<std::int64_t, std::int64_t> sources(const std::vector<PlacedCopy>& copies) {
  std::map<std::int64_t, std::int64_t> result;
  for (const auto& placed : copies) {
    std::vector<std::int64_t> at(placed.copy.dims.size(), 0);
    for (;;) {
      std::int64_t source = placed.source, target = placed.target;
      for (std::size_t d = 0; d < at.size(); ++d) {
        source += at[d] * placed.copy.dims[d].source;
        target += at[d] * placed.copy.dims[d].target;
      }
      for (std::int64_t byte = 0; byte < placed.copy.run; ++byte) result[target + byte] = source + byte;
      std::size_t d = 0;
      while (d < at.size() && ++at[d] == placed.copy.dims[d].extent) at[d++] = 0;
      if (d == at.size()) break;
    }
  }
  return result;
}

/// Every element of the tile is taken from where the other layout has the same one, or the copy is refused.
bool check_copies(const Layout& tile, const Layout& other, const std::vector<std::int64_t>& extents) {
  std::string error;
  const auto from = sources(tile_copies(tile, &other, element, error));
  if (!error.empty()) return false;
  std::vector<std::int64_t> point(extents.size(), 0);
  bool right = true;
  for (std::size_t it = 0; it < point.size();) {
    const auto found = from.find(offset_of(tile, point));
    right = right && found != from.end() && found->second == offset_of(other, point);
    for (it = 0; it < point.size() && ++point[it] == extents[it]; ++it) point[it] = 0;
  }
  CHECK(right);
  return true;
}

}  // namespace

TEST_CASE("are lanes of several iterators refused where the other tile counts fewer of them") {
  std::string error;
  const Layout sums = fused({{0, 48}, {1, 2}}, 32);
  const Layout bias = fused({{0, 48}}, 32);
  tile_copies(sums, &bias, element, error);
  CHECK(error == "fused lanes do not follow memory");
  CHECK(check_copies(sums, fused({{0, 48}, {1, 2}}, 32), {48, 2}));
}

TEST_CASE("does a copy take each element from where the other tile has it, or is it refused") {
  std::mt19937 engine(copies_seed);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(engine() % static_cast<unsigned>(high - low + 1));
  };
  int copied = 0;
  for (int i = 0; i < 2000; ++i) {
    CAPTURE(copies_seed);
    CAPTURE(i);
    const std::int64_t block = std::int64_t{1} << draw(0, 5);
    const std::vector<std::int64_t> extents = {draw(1, 20), draw(1, 4), draw(1, 3)};
    std::vector<std::pair<int, std::int64_t>> axes, others;
    for (int it = 0; it < 3; ++it) axes.emplace_back(it, extents[static_cast<std::size_t>(it)]);
    for (const auto& axis : axes) {
      if (draw(1, 5) > 1) others.push_back(axis);
    }
    if (draw(1, 4) == 1) std::shuffle(others.begin(), others.end(), engine);
    if (others.empty()) continue;
    const bool cut = draw(1, 3) == 1;  // the tile outside is longer along its outermost axis
    if (cut) others.back().second += draw(1, 9);
    const Layout tile = fused(axes, block), other = fused(others, block);
    // Where one of the two has no blocks, the search refuses tiles that cut the other's (cuts_between_blocks).
    if ((tile.groups[0].extent > block) != (other.groups[0].extent > block)) continue;
    copied += check_copies(tile, other, extents) ? 1 : 0;
  }
  CHECK(copied > 200);
}

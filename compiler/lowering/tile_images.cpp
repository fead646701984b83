#include <algorithm>
#include <cassert>
#include <cstring>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/lowering/lowering.h"

namespace accord {
namespace {

/// Initial values that come right from off-chip memory: their image is the accumulator's lanes, which no walk arranges.
bool is_lanes(const Use& use) { return use.role == UseRole::start && use.depth == 1; }

}  // namespace

/// The use's tiles at the outermost level, in the order of the loops of levels `level` to `last` that choose them.
void Lowering::each_tile(const Use& use, int level, int last, std::size_t depth, Box& box, const Box& outer,
                         const std::function<void(const Box&)>& fn) const {
  const auto& order = mapping_.order[level];
  if (depth == order.size()) {
    if (level == last) return fn(box);
    const Box whole = box;
    return each_tile(use, level + 1, last, 0, box, whole, fn);
  }
  const int it = order[depth];
  const std::int64_t tile = mapping_.tile[level][it];
  const std::int64_t turns = depends(use.access, it) ? ceil_div(outer.extent[it], tile) : 1;
  for (std::int64_t i = 0; i < turns; ++i) {
    box.origin[it] = outer.origin[it] + i * tile;
    box.extent[it] = std::min(tile, outer.extent[it] - i * tile);
    each_tile(use, level, last, depth + 1, box, outer, fn);
  }
}

std::int64_t Lowering::image_size(int u, const Box& box) {
  const Use& use = mapping_.uses[u];
  if (is_lanes(use)) return geometry_.layout(u, 0, box.extent).bytes;
  const TileMove& move = geometry_.move(u, 0, box.extent, mapping_.extent);
  if (!move.error.empty()) throw Error("tile of another shape cannot be moved: " + move.error);
  return move.image_bytes;
}

/// The tile's image; -1: it stands nowhere yet.
std::int64_t Lowering::find_image(int u, const Box& box) {
  const Use& use = mapping_.uses[u];
  int form = 0;
  if (!is_lanes(use)) {
    const TileMove& move = geometry_.move(u, 0, box.extent, mapping_.extent);
    const auto [known, first] = forms_.try_emplace(&move);
    if (first) known->second = images_.form_of(move.pieces);
    form = known->second;
  }
  return images_.find(u, form, use.access, box.origin, box.extent);
}

/// Writes the tile's bytes in the order in which the mover reads them.
void Lowering::write_image(int u, const Box& box, std::byte* image) {
  const Use& use = mapping_.uses[u];
  const auto tile = materialise(network_, work_, use, geometry_.layout(u, 0, box.extent), box.origin, box.extent);
  if (is_lanes(use)) {
    std::ranges::copy(tile, image);
    return;
  }
  for (const auto& piece : geometry_.move(u, 0, box.extent, mapping_.extent).pieces) {
    for_each_run(piece, [&](std::int64_t source, std::int64_t target, std::int64_t run) {
      std::memcpy(image + source, tile.data() + target, static_cast<std::size_t>(run));
    });
  }
}

/// Gives the images of a constant use's tiles addresses side by side in loop order, so that they grow evenly with each
/// loop. Tiles that stand in memory already, as those of another part of divided work, stay where they are.
void Lowering::lay_images(int u) {
  const Use& use = mapping_.uses[u];
  if (off_chip_.empty() || use.depth == 0 || use.hops.empty() || !geometry_.is_constant(u)) return;
  std::vector<std::pair<Box, std::int64_t>> placed;
  std::int64_t size = 0;
  const Box whole{Extents(mapping_.extent.size(), 0), mapping_.extent};
  Box box = whole;
  each_tile(use, 0, is_lanes(use) ? target_level_ : box_level(mapping_, use, 0), 0, box, whole, [&](const Box& tile) {
    if (find_image(u, tile) >= 0) return;
    placed.emplace_back(tile, size);
    size += ceil_div(image_size(u, tile), OffChip::alignment) * OffChip::alignment;
  });
  if (placed.empty()) return;
  OffChip* memory = &off_chip_[0];
  for (auto& candidate : off_chip_) {
    if (candidate.index() == use.home) memory = &candidate;
  }
  const std::int64_t base = address_of_images(u, placed, size, *memory);
  images_.add_block({memory->index(), base, size});
  for (const auto& [tile, offset] : placed) {
    find_image(u, tile);
    images_.add(base + offset);
  }
}

std::int64_t Lowering::address_of_images(int u, const std::vector<std::pair<Box, std::int64_t>>& placed,
                                         std::int64_t size, OffChip& memory) {
  const std::string what = "the model's constants";
  if (!memory.keeps_bytes()) return memory.allocate(size, what);
  std::vector<std::byte> block(static_cast<std::size_t>(size));
  for (const auto& [tile, offset] : placed) write_image(u, tile, block.data() + offset);
  return memory.add_constant(std::move(block), what);
}

TransferEnd Lowering::constant_image(int u, const Box& box) {
  if (off_chip_.empty() && mapping_.spatial.empty()) return {};
  const std::int64_t address = find_image(u, box);
  assert(address >= 0 || off_chip_.empty());
  return {std::max<std::int64_t>(address, 0), -1, images_.number()};
}

}  // namespace accord

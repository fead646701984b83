#pragma once

#include <cstddef>
#include <vector>

#include "compiler/lowering/banks.h"
#include "compiler/lowering/constants.h"
#include "compiler/lowering/operation.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {

/// Operations of a layer: some GB of the compiler's memory, where every turn of its loops stands in the program.
constexpr std::size_t most_in_list = std::size_t{1} << 23;

/// Throws Error where a list of so many is too long.
void check_length(std::size_t operations);

/// Lowers one mapped layer to operations, tile by tile, in the order of its loops: loads, instructions, element-wise
/// statements, stores. Constants' images go to off-chip memory, those that `images` does not know yet. On machines with
/// hardware loops the innermost loop of equal tiles stays a loop. `homes` must be allocated,
/// unless `off_chip` is empty: then no image is made, and off-chip addresses mean nothing. `first`: the first of the
/// parts of divided work, or the mapping itself; `bytes`: of the greatest tiles of all parts.
OpList lower(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             const Mapping& mapping, const Mapping& first, const TileBytes& bytes, ConstantImages& images,
             std::vector<OffChip>& off_chip, LaidFrom from);

/// Only the constants' images, as `lower` would give them places, for each part of the work after another.
void lay_images(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                const std::vector<Mapping>& parts, ConstantImages& images, std::vector<OffChip>& off_chip);

}  // namespace accord

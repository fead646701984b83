#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/alike.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Bytes off chip that a layer's operations touch: the allocation that a tensor lies in, or images of constants' tiles.
struct OffChipPlace {
  int memory = -1;
  std::int64_t start = 0;
  std::int64_t bytes = 0;
  std::int64_t element = 0;  ///< offset of the tensor's element 0
};

/// Those of the tensors that the layer reads and writes, in the order of the mapping's uses.
std::vector<OffChipPlace> tensor_places(const Network& network, const Homes& homes, const MappedWork& layer);

/// An argument value that is an address off chip, and in which of the places it lies.
struct OffChipAddress {
  std::uint32_t op = 0;  ///< of the list
  std::uint32_t value = 0;
  std::uint32_t place = 0;
};

/// All of the list's; nothing where one lies in none of the places.
std::optional<std::vector<OffChipAddress>> off_chip_addresses(const Architecture& architecture, const OpList& list,
                                                              std::span<const OffChipPlace> places);

/// How far each place lies from the one before; nothing where the new ones are no shift of the old ones: they have
/// other sizes, or share bytes otherwise.
std::optional<std::vector<std::int64_t>> shifts(std::span<const OffChipPlace> before,
                                                std::span<const OffChipPlace> now);

}  // namespace accord

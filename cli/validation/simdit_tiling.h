#pragma once

#include <cstdint>

#include "cli/validation/csv_table.h"

namespace accord {

/// A layer as SimDIT sees it, channels padded to the array, and the tile that its internal generator
/// (tiling_generator.py, generate_tile_conv) cuts it into. Inputs and weights have 4 bits, sums and biases 32.
struct SimditTiling {
  std::int64_t array;  ///< rows and columns
  std::int64_t outputs, inputs, kernel, stride, size;
  std::int64_t tile_outputs, tile_inputs, tile_kernel, tile_size;  ///< of a tile; the last of a loop may be smaller

  /// Throws Error where the row's values make no sense or no tile fits the buffers.
  explicit SimditTiling(const CsvRow& row);

  std::int64_t tiles() const;
};

}  // namespace accord

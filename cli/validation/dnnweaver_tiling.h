#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/validation/csv_table.h"

namespace accord {

/// DNNWeaver2's loops over a layer: outer trips step from tile to tile, inner ones run in the array.
struct DnnweaverTiling {
  enum Loop { batch, output_channel, input_channel, height, width, kernel_height, kernel_width, loops };
  std::array<std::int64_t, loops> outer{}, inner{};
  std::vector<Loop> order;  ///< innermost first

  /// From the row's `tiling`: LOOP/loop:OUTERxINNER joined by ';'. Throws Error where it is not that.
  explicit DnnweaverTiling(const CsvRow& row);

  std::int64_t tiles() const;
  /// As `tiling` has it.
  static std::string_view name(Loop loop);
};

}  // namespace accord

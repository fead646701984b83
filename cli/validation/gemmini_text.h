#pragma once

#include <cstdint>

#include "cli/validation/assembly_text.h"

namespace accord {

/// What all of Gemmini's programs begin with.
class GemminiText : protected AssemblyText {
 protected:
  static constexpr std::int64_t dim = 16, row_stride = 1024;

  /// Memories of zeros, `off_chip` bytes outside.
  void images(std::int64_t off_chip) {
    add(".image dram 0 zeros {}\n.image spad 0 zeros 262144\n.image acc 0 zeros 65536\n.image scales 0 zeros 64\n",
        off_chip);
  }

  /// Layer 0: registers for a product of so many columns of blocks are set before the clock of the bench starts; a load
  /// makes the layer end.
  void configure(std::int64_t columns) {
    add(".at 0 \"\"\n  config_ld ld_stride={}, ld_block={}\n  config_ex a_step={}\n", row_stride, dim * dim, dim);
    add("  config_act lo=0xc3000000, hi=0x42fe0000\n  config_st st_stride={}\n", dim * columns);
    add("  mvin dst=0, src=0, cols=16, blocks=1, rows=1\n  fence\n.at 1 \"\"\n");
  }
};

}  // namespace accord

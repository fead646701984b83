#pragma once

#include <cstdint>
#include <string>

namespace accord {

/// The product that Gemmini's bench runs, in blocks of 16, and how.
struct GemminiProduct {
  std::int64_t i = 1, k = 1, j = 1;  ///< M, K, N in blocks
  bool fenced = false;               ///< wait for idle after each phase
  bool output_stationary = false;
};

/// Its assembly (output stationary, both loads are one phase) for tests/validation/gemmini_rtl/gemmini16_rtl.yaml.
/// Layer 0 configures the machine; with fences, layer 1 loads B, 2 loads A, 3 computes and 4 stores; without, all of it
/// is layer 1.
std::string gemmini_assembly(const GemminiProduct& product);

/// The same product by the loop command, block by block of i x k x j blocks of 16.
struct GemminiLoop {
  GemminiProduct product;
  std::int64_t i = 1, k = 1, j = 1;
};

/// Layer 0 configures the machine, layer 1 is the rest.
std::string gemmini_assembly(const GemminiLoop& loop);

}  // namespace accord

#pragma once

#include <cstddef>
#include <cstdint>

#include "archdsl/tensor/element_type.h"

namespace accord {

/// Largest blocks of rows, columns and packed steps of k that are worked on at once.
inline constexpr std::int64_t block_rows = 64;
inline constexpr std::int64_t block_columns = 64;
inline constexpr std::int64_t block_depth = 128;
inline constexpr std::int64_t scratch_cells = (block_rows + block_columns) * block_depth;

/// c[i,j] += a[i,k] * b[k,j] over strided memory; steps in bytes. c is i32 with a and b at most 16 bits wide, or fp32
/// with any floats; sums over k in order.
struct MatrixProduct {
  std::int64_t i = 1, j = 1, k = 1;  ///< extents
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* c = nullptr;
  std::int64_t a_i = 0, a_k = 0, b_k = 0, b_j = 0, c_i = 0, c_j = 0;
  ElementType a_type{}, b_type{};
  std::int32_t* scratch = nullptr;  ///< `scratch_cells` cells, aligned to 64 bytes
};

using MultiplyAccumulate = void (*)(const MatrixProduct& product);

}  // namespace accord

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace accord::reference {

/// y[p, k] = bias[k] + sum over l of x[pixels[p] + reduction[l]] * w[l, k]: what convolutions and matrix products have
/// in common. `T` is float, or std::uint32_t for integers that wrap as i32. Sums are in the order of l.
template <typename T>
struct Contraction {
  /// Columns of one panel: two AVX-512 registers.
  static constexpr std::int64_t panel_width = 32;

  const T* x = nullptr;
  std::span<const std::ptrdiff_t> pixels;
  std::span<const std::ptrdiff_t> reduction;
  std::int64_t columns = 0;
  const T* bias = nullptr;  ///< `columns` values, or null

  /// Fills panel[l * panel_width + j] with w[l, first + j] for j < width.
  std::function<void(std::int64_t first, std::int64_t width, T* panel)> pack;

  /// Takes y of pixels p.. and columns first..: tile[i * panel_width + j] for i < count, j < width.
  std::function<void(std::int64_t first, std::int64_t width, std::int64_t p, std::int64_t count, const T* tile)> store;
};

template <typename T>
void contract(const Contraction<T>& contraction, int threads);

}  // namespace accord::reference

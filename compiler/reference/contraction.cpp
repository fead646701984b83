#include "compiler/reference/contraction.h"

#include <algorithm>
#include <cstring>

#include "archdsl/tensor/rounding.h"
#include "compiler/network/parallel.h"
#include "compiler/reference/vector_clones.h"

namespace accord::reference {
namespace {

constexpr std::int64_t panel_width = Contraction<float>::panel_width;
constexpr std::int64_t pixels_per_task = 256;
/// What the vector registers of one instruction set hold of a tile: `rows` pixels times `vectors` registers of sums.
struct Registers {
  int bytes, vectors, rows;
};
constexpr Registers of_baseline{16, 2, 4};  // 16 registers; the weights and a pixel's value need `vectors` + 1
constexpr Registers of_avx2{32, 2, 6};      // 16
constexpr Registers of_avx512{64, 2, 12};   // 32

/// `rows` pixels times as many columns as `vectors` registers hold, kept in them over the whole reduction.
template <typename T, int bytes, int vectors, int rows>
[[gnu::always_inline]] inline void contract_block(const T* x, const std::ptrdiff_t* pixels,
                                                  std::span<const std::ptrdiff_t> reduction, const T* panel,
                                                  const T* start, T* tile) {
  typedef T Vector __attribute__((vector_size(bytes)));
  constexpr std::size_t lanes = bytes / sizeof(T);
  Vector sums[rows][vectors];
  const T* at[rows];
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) std::memcpy(&sums[i][v], start + v * lanes, bytes);
    at[i] = x + pixels[i];
  }
  for (std::ptrdiff_t offset : reduction) {
    Vector weights[vectors];
    for (int v = 0; v < vectors; ++v) std::memcpy(&weights[v], panel + v * lanes, bytes);
    panel += panel_width;
    for (int i = 0; i < rows; ++i) {
      const T value = at[i][offset];
      for (int v = 0; v < vectors; ++v) sums[i][v] += value * weights[v];
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) std::memcpy(tile + i * panel_width + v * lanes, &sums[i][v], bytes);
  }
}

template <typename T, Registers registers>
[[gnu::always_inline]] inline void contract_panel(const T* x, std::span<const std::ptrdiff_t> pixels,
                                                  std::span<const std::ptrdiff_t> reduction, const T* panel,
                                                  const T* start, T* tile) {
  constexpr int bytes = registers.bytes, vectors = registers.vectors, rows = registers.rows;
  constexpr std::int64_t width = bytes / static_cast<int>(sizeof(T)) * vectors;
  static_assert(panel_width % width == 0);
  for (std::int64_t j = 0; j < panel_width; j += width) {
    std::size_t p = 0;
    for (; p + rows <= pixels.size(); p += rows) {
      contract_block<T, bytes, vectors, rows>(x, &pixels[p], reduction, panel + j, start + j,
                                              tile + static_cast<std::int64_t>(p) * panel_width + j);
    }
    for (; p < pixels.size(); ++p) {
      contract_block<T, bytes, vectors, 1>(x, &pixels[p], reduction, panel + j, start + j,
                                           tile + static_cast<std::int64_t>(p) * panel_width + j);
    }
  }
}

template <typename T>
using TileContraction = void(const T* x, std::span<const std::ptrdiff_t> pixels,
                             std::span<const std::ptrdiff_t> reduction, const T* panel, const T* start, T* tile);

template <typename T>
void contract_baseline(const T* x, std::span<const std::ptrdiff_t> pixels, std::span<const std::ptrdiff_t> reduction,
                       const T* panel, const T* start, T* tile) {
  contract_panel<T, of_baseline>(x, pixels, reduction, panel, start, tile);
}

#ifdef ACCORD_VECTOR_TARGETS
template <typename T>
[[gnu::target("avx2")]] void contract_avx2(const T* x, std::span<const std::ptrdiff_t> pixels,
                                           std::span<const std::ptrdiff_t> reduction, const T* panel, const T* start,
                                           T* tile) {
  contract_panel<T, of_avx2>(x, pixels, reduction, panel, start, tile);
}

template <typename T>
[[gnu::target("avx512f,avx512dq")]] void contract_avx512(const T* x, std::span<const std::ptrdiff_t> pixels,
                                                         std::span<const std::ptrdiff_t> reduction, const T* panel,
                                                         const T* start, T* tile) {
  contract_panel<T, of_avx512>(x, pixels, reduction, panel, start, tile);
}
#endif

/// All of them add the products in the same order, each rounded: which one runs cannot be seen in the results.
template <typename T>
TileContraction<T>* of_this_processor() {
#ifdef ACCORD_VECTOR_TARGETS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return contract_avx512<T>;
  if (__builtin_cpu_supports("avx2")) return contract_avx2<T>;
#endif
  return contract_baseline<T>;
}

}  // namespace

template <typename T>
void contract(const Contraction<T>& job, int threads) {
  const auto pixel_count = static_cast<std::int64_t>(job.pixels.size());
  const std::int64_t chunks = ceil_div(pixel_count, pixels_per_task);
  const std::int64_t panels = ceil_div(job.columns, panel_width);
  TileContraction<T>* const contract_tile = of_this_processor<T>();
  parallel_for(threads, panels * chunks, [&](std::int64_t task) {
    const std::int64_t first = task / chunks * panel_width;
    const std::int64_t width = std::min(panel_width, job.columns - first);
    const std::int64_t p = task % chunks * pixels_per_task;
    const std::int64_t count = std::min(pixels_per_task, pixel_count - p);
    std::vector<T> panel(job.reduction.size() * panel_width);
    std::vector<T> tile(static_cast<std::size_t>(count * panel_width));
    T start[panel_width] = {};
    if (job.bias) std::copy_n(job.bias + first, width, start);
    job.pack(first, width, panel.data());
    contract_tile(job.x, job.pixels.subspan(static_cast<std::size_t>(p), static_cast<std::size_t>(count)),
                  job.reduction, panel.data(), start, tile.data());
    job.store(first, width, p, count, tile.data());
  });
}

template void contract<float>(const Contraction<float>&, int);
template void contract<std::uint32_t>(const Contraction<std::uint32_t>&, int);
template void contract<std::uint64_t>(const Contraction<std::uint64_t>&, int);

}  // namespace accord::reference

#include "compiler/reference/contraction.h"

#include <algorithm>
#include <cstring>

#include "archdsl/tensor/rounding.h"
#include "compiler/reference/parallel.h"
#include "compiler/reference/vector_clones.h"

namespace accord::reference {
namespace {

constexpr std::int64_t panel_width = Contraction<float>::panel_width;
constexpr std::int64_t pixels_per_task = 256;
constexpr int lanes = 16;

/// `block` pixels times one panel, held in registers over the whole reduction.
template <typename T, int block>
[[gnu::always_inline]] inline void contract_block(const T* x, const std::ptrdiff_t* pixels,
                                                  std::span<const std::ptrdiff_t> reduction, const T* panel,
                                                  const T* start, T* tile) {
  typedef T Vector __attribute__((vector_size(lanes * sizeof(T))));
  Vector sums[block][2];
  const T* rows[block];
  for (int i = 0; i < block; ++i) {
    std::memcpy(sums[i], start, sizeof sums[i]);
    rows[i] = x + pixels[i];
  }
  for (std::ptrdiff_t offset : reduction) {
    Vector weights[2];
    std::memcpy(weights, panel, sizeof weights);
    panel += panel_width;
    for (int i = 0; i < block; ++i) {
      const T value = rows[i][offset];
      sums[i][0] += value * weights[0];
      sums[i][1] += value * weights[1];
    }
  }
  for (int i = 0; i < block; ++i) std::memcpy(tile + i * panel_width, sums[i], sizeof sums[i]);
}

template <typename T>
[[gnu::always_inline]] inline void contract_panel(const T* x, std::span<const std::ptrdiff_t> pixels,
                                                  std::span<const std::ptrdiff_t> reduction, const T* panel,
                                                  const T* start, T* tile) {
  std::size_t p = 0;
  for (; p + 4 <= pixels.size(); p += 4) {
    contract_block<T, 4>(x, &pixels[p], reduction, panel, start, tile + static_cast<std::int64_t>(p) * panel_width);
  }
  for (; p < pixels.size(); ++p) {
    contract_block<T, 1>(x, &pixels[p], reduction, panel, start, tile + static_cast<std::int64_t>(p) * panel_width);
  }
}

ACCORD_VECTOR_CLONES
void contract_tile(const float* x, std::span<const std::ptrdiff_t> pixels, std::span<const std::ptrdiff_t> reduction,
                   const float* panel, const float* start, float* tile) {
  contract_panel(x, pixels, reduction, panel, start, tile);
}

ACCORD_VECTOR_CLONES
void contract_tile(const std::uint32_t* x, std::span<const std::ptrdiff_t> pixels,
                   std::span<const std::ptrdiff_t> reduction, const std::uint32_t* panel, const std::uint32_t* start,
                   std::uint32_t* tile) {
  contract_panel(x, pixels, reduction, panel, start, tile);
}

ACCORD_VECTOR_CLONES
void contract_tile(const std::uint64_t* x, std::span<const std::ptrdiff_t> pixels,
                   std::span<const std::ptrdiff_t> reduction, const std::uint64_t* panel, const std::uint64_t* start,
                   std::uint64_t* tile) {
  contract_panel(x, pixels, reduction, panel, start, tile);
}

}  // namespace

template <typename T>
void contract(const Contraction<T>& job, int threads) {
  const auto pixel_count = static_cast<std::int64_t>(job.pixels.size());
  const std::int64_t chunks = ceil_div(pixel_count, pixels_per_task);
  const std::int64_t panels = ceil_div(job.columns, panel_width);
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

#include "cli/validation/simdit_tiling.h"

#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"

namespace accord {

namespace {

constexpr std::int64_t greatest = 65536, most_tiles = 1 << 16;
constexpr std::int64_t whole_kernel = 3;  ///< kernels up to this are cut only where they do not fit
constexpr std::int64_t operand_bits = 4, sum_bits = 32;

/// Bits of half of each buffer.
struct Halves {
  std::int64_t inputs, weights, sums, biases;

  explicit Halves(const CsvRow& row)
      : inputs(of(row, "ibuf_kb")), weights(of(row, "wbuf_kb")), sums(of(row, "obuf_kb")), biases(of(row, "bbuf_kb")) {}

  static std::int64_t of(const CsvRow& row, const char* column) {
    const std::int64_t kilobytes = row.integer(column);
    if (kilobytes > greatest) throw Error(fmt::format("{}: {} is more than {}", row.where(), column, greatest));
    return kilobytes * 1024 * 8 / 2;
  }
};

/// Grows `tile` by the array's size while `fits(tile)`, up to `all`.
template <typename Fits>
void grow(std::int64_t& tile, std::int64_t step, std::int64_t all, Fits&& fits) {
  while (tile + step <= all && fits(tile + step)) tile += step;
}

}  // namespace

SimditTiling::SimditTiling(const CsvRow& row)
    : array(row.integer("array")),
      kernel(row.integer("K")),
      stride(row.integer("stride")),
      size(row.integer("OH")),
      tile_outputs(array),
      tile_inputs(array) {
  const std::int64_t oc = row.integer("OC"), ic = row.integer("IC");
  if (std::min({array, kernel, stride, size, oc, ic}) == 0 || std::max({array, stride}) > 256 || kernel > 15 ||
      std::max({size, oc, ic}) > greatest)
    throw Error(fmt::format("{}: sizes are 1 to {}, array and stride up to 256, K up to 15", row.where(), greatest));
  outputs = ceil_div(oc, array) * array;
  inputs = ceil_div(ic, array) * array;
  const Halves half(row);
  const auto weights_fit = [&](std::int64_t k, std::int64_t i, std::int64_t o) {
    return k * k * i * o * operand_bits <= half.weights && k * k * i * operand_bits <= half.inputs;
  };
  const auto fits = [&](std::int64_t s, std::int64_t o) {
    const std::int64_t in = (s - 1) * stride + tile_kernel;
    return s * s * o * sum_bits <= half.sums && in * in * tile_inputs * operand_bits <= half.inputs;
  };
  tile_kernel = kernel;
  for (std::int64_t parts = 2; !weights_fit(tile_kernel, array, array); ++parts) {
    if (tile_kernel == 1) throw Error(row.where() + ": the buffers do not hold the array's operands");
    tile_kernel = ceil_div(kernel, parts);
  }
  grow(tile_inputs, array, inputs, [&](std::int64_t i) { return weights_fit(tile_kernel, i, array); });
  tile_size = size;
  for (std::int64_t parts = 2; !fits(tile_size, array) || (kernel <= whole_kernel && size % tile_size != 0); ++parts) {
    if (tile_size == 1) throw Error(row.where() + ": the buffers do not hold the operands of one position");
    const bool divides = size % parts == 0;
    if (kernel > whole_kernel || divides) tile_size = ceil_div(size, parts);
  }
  grow(tile_outputs, array, outputs, [&](std::int64_t o) {
    return weights_fit(tile_kernel, tile_inputs, o) && fits(tile_size, o) && o * sum_bits <= half.biases;
  });
  if (tiles() > most_tiles) throw Error(fmt::format("{}: more than {} tiles", row.where(), most_tiles));
}

std::int64_t SimditTiling::tiles() const {
  std::int64_t tiles = ceil_div(outputs, tile_outputs) * ceil_div(inputs, tile_inputs);
  for (const std::int64_t parts : {ceil_div(kernel, tile_kernel), ceil_div(size, tile_size)})
    tiles = std::min(tiles * parts * parts, most_tiles + 1);
  return tiles;
}

}  // namespace accord

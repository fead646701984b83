// SimDIT's GeneSys: a layer of the systolic array as steps, each of which computes a tile, loads the next one's
// operands and stores the last one's sums.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"
#include "cli/validation/simdit_tiling.h"

namespace accord {

namespace {

/// Sizes of a loop's tiles.
std::vector<std::int64_t> parts(std::int64_t all, std::int64_t tile) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t done = 0; done < all; done += tile) sizes.push_back(std::min(tile, all - done));
  return sizes;
}

struct Tile {
  std::int64_t outputs, inputs, high, wide, kernel_high, kernel_wide;
  bool new_outputs, new_weights, first_sum, last_sum;
};

std::vector<Tile> tiles_of(const SimditTiling& t) {
  std::vector<Tile> tiles;
  const auto kernels = parts(t.kernel, t.tile_kernel), sizes = parts(t.size, t.tile_size);
  for (const std::int64_t o : parts(t.outputs, t.tile_outputs)) {
    const std::size_t group = tiles.size(), positions = sizes.size() * sizes.size();
    for (const std::int64_t i : parts(t.inputs, t.tile_inputs))
      for (const std::int64_t r : kernels)
        for (const std::int64_t s : kernels)
          for (const std::int64_t y : sizes)
            for (const std::int64_t x : sizes)
              tiles.push_back({o, i, y, x, r, s, false, (tiles.size() - group) % positions == 0, false, false});
    tiles[group].new_outputs = true;
    for (std::size_t n = 0; n < positions; ++n) {
      tiles[group + n].first_sum = true;
      tiles[tiles.size() - 1 - n].last_sum = true;
    }
  }
  return tiles;
}

class SimditWriter : AssemblyText {
 public:
  SimditWriter(const CsvRow& row, const SimditTiling& tiling)
      : t_(tiling),
        tiles_(tiles_of(tiling)),
        stays_(row.text("operation") == "gemm"),
        ibuf_(half_of(row, "ibuf")),
        wbuf_(half_of(row, "wbuf")),
        bbuf_(half_of(row, "bbuf")),
        obuf_(half_of(row, "obuf")) {
    add(".image dram 0 zeros {}\n", std::max({ibuf_, wbuf_, bbuf_, obuf_}));
  }

  /// Without what waits for operands or sums.
  std::string array_alone() {
    add(".layer {{\"name\": \"array\"}}\n.at 0 \"\"\n");
    for (std::size_t n = 0; n < tiles_.size(); ++n) compute(n);
    add("  fence\n");
    return take();
  }

  std::string whole() {
    add(".layer {{\"name\": \"layer\"}}\n.at 0 \"\"\n");
    load(0);
    for (std::size_t n = 0; n < tiles_.size(); ++n) {
      add("  fence\n");
      compute(n);
      if (n > 0) store(n - 1);
      if (n + 1 < tiles_.size()) load(n + 1);
    }
    add("  fence\n");
    store(tiles_.size() - 1);
    add("  fence\n");
    return take();
  }

 private:
  std::int64_t half_of(const CsvRow& row, std::string_view buffer) {
    const std::int64_t bytes = row.integer(fmt::format("{}_kb", buffer)) * 1024;
    add(".image {} 0 zeros {}\n", buffer, bytes);
    return bytes / 2;
  }

  // A part of a tile fills that part of the array's pipeline.
  void compute(std::size_t n) {
    const Tile& tile = tiles_[n];
    const auto half = static_cast<std::int64_t>(n % 2);
    const std::int64_t before = fill(filled_);
    filled_ += volume(tile);
    if (const std::int64_t cycles = fill(filled_) - before; cycles > 0)
      add("  fill c={}, bias={}, f={}\n", half * obuf_, half * bbuf_, cycles);
    add("  tile c={}, a={}, b={}, p={}, t={}, i={}, o={}\n", half * obuf_, half * ibuf_, half * wbuf_,
        tile.high * tile.wide, tile.kernel_high * tile.kernel_wide, tile.inputs / t_.array, tile.outputs / t_.array);
  }

  static std::int64_t volume(const Tile& t) {
    return t.outputs * t.inputs * t.high * t.wide * t.kernel_high * t.kernel_wide;
  }

  /// Cycles that `volume` of computation have filled the pipeline for.
  std::int64_t fill(std::int64_t volume) const {
    const std::int64_t whole =
        t_.tile_outputs * t_.tile_inputs * t_.tile_size * t_.tile_size * t_.tile_kernel * t_.tile_kernel;
    const std::int64_t per_tile = 2 * (t_.array - 1);
    return volume / whole * per_tile + (volume % whole * per_tile + whole - 1) / whole;
  }

  void load(std::size_t n) {
    const Tile& tile = tiles_[n];
    const auto half = static_cast<std::int64_t>(n % 2);
    const std::int64_t high = (tile.high - 1) * t_.stride + tile.kernel_high;
    const std::int64_t wide = (tile.wide - 1) * t_.stride + tile.kernel_wide;
    add("  inputs dst={}, n={}\n", half * ibuf_, std::max<std::int64_t>(1, high * wide * tile.inputs / 2));
    if (tile.new_weights)
      add("  weights dst={}, n={}\n", half * wbuf_,
          std::max<std::int64_t>(1, tile.kernel_high * tile.kernel_wide * tile.inputs * tile.outputs / 2));
    if (tile.new_outputs) add("  bias dst={}, n={}\n", half * bbuf_, tile.outputs * 4);
    if (!tile.first_sum && !stays_) add("  sums dst={}, n={}\n", half * obuf_, sums(tile));
  }

  void store(std::size_t n) {
    if (stays_ && !tiles_[n].last_sum) return;
    add("  store src={}, n={}\n", static_cast<std::int64_t>(n % 2) * obuf_, sums(tiles_[n]));
  }

  static std::int64_t sums(const Tile& tile) { return tile.high * tile.wide * tile.outputs * 4; }

  const SimditTiling& t_;
  std::vector<Tile> tiles_;
  bool stays_ = false;                                      ///< sums of a classifier stay until they are complete
  std::int64_t ibuf_ = 0, wbuf_ = 0, bbuf_ = 0, obuf_ = 0;  // bytes of a half
  std::int64_t filled_ = 0;
};

double cycles(const CsvRow& row, const char* column) {
  const double value = row.real(column);
  if (value <= 0) throw Error(fmt::format("{}: {}: expected more than 0", row.where(), column));
  return value;
}

BenchRun bench_run(const CsvRow& row, const char* column, std::string (SimditWriter::*assembly)()) {
  const std::string& operation = row.text("operation");
  if (operation != "conv" && operation != "gemm")
    throw Error(fmt::format("{}: operation is '{}'; there are conv, gemm", row.where(), operation));
  const SimditTiling tiling(row);
  std::map<std::string, std::string> params;
  for (const char* param : {"array", "ibuf_kb", "wbuf_kb", "obuf_kb", "bbuf_kb"}) params[param] = row.text(param);
  return {fmt::format("{} {} to {}, {}x{} stride {}, {}x{}", operation, row.text("IC"), row.text("OC"), tiling.kernel,
                      tiling.kernel, tiling.stride, tiling.size, tiling.size),
          std::move(params),
          (SimditWriter(row, tiling).*assembly)(),
          {{column, cycles(row, column), {0}}}};
}

BenchRun run_array(const CsvRow& row) { return bench_run(row, "sa_cycles", &SimditWriter::array_alone); }
BenchRun run_whole(const CsvRow& row) { return bench_run(row, "total_cycles", &SimditWriter::whole); }

Bench bench(const char* name, const char* title, const char* column, BenchRun (*run)(const CsvRow&), double mean,
            double worst) {
  return {name,
          title,
          {"operation", "OC", "IC", "K", "stride", "OH", "array", "ibuf_kb", "wbuf_kb", "obuf_kb", "bbuf_kb", column},
          nullptr,
          run,
          {"simdit/resnet50.csv"},
          "simdit/genesys.yaml",
          mean,
          worst};
}

}  // namespace

std::vector<Bench> simdit_benches() {
  return {bench("simdit_array", "SimDIT's GeneSys, the systolic array alone", "sa_cycles", run_array, 0, 0),
          bench("simdit_layer", "SimDIT's GeneSys, with loads and stores", "total_cycles", run_whole, 1, 1.5)};
}

}  // namespace accord

// DNNWeaver2's RTL: a tiled layer per row. Tiles go through load, compute and store; an operand that the next tile
// shares stays.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"
#include "cli/validation/dnnweaver_tiling.h"

namespace accord {

namespace {

using Tiling = DnnweaverTiling;

/// An operand's buffer of two halves, each with the tile that it was last loaded for.
struct Buffer {
  std::string_view load;          // mnemonic
  std::int64_t half;              // bytes
  std::int64_t tile;              // bytes
  std::vector<Tiling::Loop> on;   // loops that change the tile
  std::vector<std::int64_t> key;  // their indices for the tile that is there; empty: none
  int loads = 0;

  std::int64_t address() const { return (loads + 1) % 2 * half; }
};

std::int64_t stride_of(const CsvRow& row) {
  const std::int64_t in = row.integer("H"), kernel = row.integer("K"), out = row.integer("OH");
  if (kernel == 0 || in < kernel || in > 4096 || out == 0 || out > in)
    throw Error(row.where() + ": H, K and OH are those of no convolution up to 4096 wide");
  return out > 1 ? (in - kernel) / (out - 1) : 1;
}

/// A mistyped tiling would be another layer's.
void check_covers(const CsvRow& row, const Tiling& tiling) {
  const std::int64_t n = std::max<std::int64_t>(row.integer("array"), 1);
  using enum Tiling::Loop;
  const std::pair<Tiling::Loop, std::int64_t> sizes[] = {{output_channel, ceil_div(row.integer("OC"), n)},
                                                         {input_channel, ceil_div(row.integer("IC"), n)},
                                                         {height, row.integer("OH")},
                                                         {width, row.integer("OH")},
                                                         {kernel_height, row.integer("K")},
                                                         {kernel_width, row.integer("K")}};
  for (const auto& [loop, size] : sizes) {
    const std::int64_t outer = tiling.outer[loop], inner = tiling.inner[loop];
    if (size > (outer - 1) * inner && size <= outer * inner) continue;
    throw Error(
        fmt::format("{}: tiling: {} is {}x{}, the layer has {}", row.where(), Tiling::name(loop), outer, inner, size));
  }
}

class DnnweaverWriter : AssemblyText {
 public:
  DnnweaverWriter(const CsvRow& row, const Tiling& tiling)
      : t_(tiling), n_(row.integer("array")), stride_(stride_of(row)) {
    if (n_ > 64) throw Error(row.where() + ": array: the machine has at most 64 rows");
    const std::int64_t kernel = t_.inner[Tiling::kernel_height] * t_.inner[Tiling::kernel_width];
    high_ = (t_.inner[Tiling::height] - 1) * stride_ + t_.inner[Tiling::kernel_height];
    wide_ = (t_.inner[Tiling::width] - 1) * stride_ + t_.inner[Tiling::kernel_width];
    words_ = t_.inner[Tiling::height] * t_.inner[Tiling::width];
    const std::int64_t in = t_.inner[Tiling::input_channel], out = t_.inner[Tiling::output_channel];
    using enum Tiling::Loop;
    inputs_ = {"inputs",
               4096 * n_,
               in * high_ * wide_ * 2 * n_,
               {input_channel, height, width, kernel_height, kernel_width},
               {}};
    weights_ = {"weights",
                512 * n_ * n_,
                out * in * kernel * 2 * n_ * n_,
                {output_channel, input_channel, kernel_height, kernel_width},
                {}};
    sums_ = {"sums", 16384 * n_, out * words_ * 8 * n_, {output_channel, height, width}, {}};
    bias_ = {"bias", 8192 * n_, out * 4 * n_, {output_channel}, {}};
    for (const Buffer* buffer : {&inputs_, &weights_, &sums_, &bias_}) {
      if (buffer->tile > buffer->half)
        throw Error(fmt::format("{}: a tile's {} take {} bytes; half the buffer has {}", row.where(), buffer->load,
                                buffer->tile, buffer->half));
    }
  }

  std::string write() {
    add(".image dram 0 zeros {}\n.layer {{\"name\": \"layer\"}}\n.at 0 \"\"\n",
        std::max({inputs_.tile, weights_.tile, sums_.tile, bias_.tile}));
    std::array<std::int64_t, Tiling::loops> index{};
    do {
      tile(index);
    } while (next(index));
    drain();
    add("  fence\n");
    return take();
  }

 private:
  bool next(std::array<std::int64_t, Tiling::loops>& index) const {
    for (const Tiling::Loop loop : t_.order) {
      if (++index[loop] < t_.outer[loop]) return true;
      index[loop] = 0;
    }
    return false;
  }

  // Tiles lie contiguously off chip, all at the same place: their contents take no time.
  void load(Buffer& buffer, const std::array<std::int64_t, Tiling::loops>& index) {
    std::vector<std::int64_t> key;
    for (const Tiling::Loop loop : buffer.on) key.push_back(index[loop]);
    if (key == buffer.key) return;
    if (&buffer == &sums_ && !buffer.key.empty()) drain();
    buffer.key = std::move(key);
    ++buffer.loads;
    add("  {} src=0, dst={}, n={}\n", buffer.load, buffer.address(), buffer.tile);
  }

  void tile(const std::array<std::int64_t, Tiling::loops>& index) {
    load(sums_, index);
    for (Buffer* buffer : {&inputs_, &weights_, &bias_}) load(*buffer, index);
    using enum Tiling::Loop;
    const auto& in = t_.inner;
    const std::int64_t word = 2 * n_, matrix = 2 * n_ * n_;
    add("  tile a={}, b={}, c={}, o={}, i={}, y={}, x={}, r={}, s={}, ", inputs_.address(), weights_.address(),
        sums_.address(), in[output_channel], in[input_channel], in[height], in[width], in[kernel_height],
        in[kernel_width]);
    add("a_i={}, a_y={}, a_x={}, a_r={}, a_s={}, ", high_ * wide_ * word, stride_ * wide_ * word, stride_ * word,
        wide_ * word, word);
    add("b_o={}, b_i={}, b_r={}, c_o={}, c_y={}\n", in[input_channel] * in[kernel_height] * in[kernel_width] * matrix,
        in[kernel_height] * in[kernel_width] * matrix, in[kernel_width] * matrix, words_ * 8 * n_, in[width] * 8 * n_);
  }

  // The tile of outputs that is in the buffer leaves through the post-processor.
  void drain() {
    const std::int64_t out = t_.inner[Tiling::output_channel];
    add("  drain x={}, b={}, y={}, o={}, w={}, x_o={}, y_o={}, lo=-32768, hi=32767\n", sums_.address(), bias_.address(),
        target_, out, words_, words_ * 8 * n_, words_ * 2 * n_);
    target_ += out * words_ * 2 * n_;
  }

  const Tiling& t_;
  std::int64_t n_;
  std::int64_t stride_;
  std::int64_t high_ = 1, wide_ = 1;  // of a tile's inputs
  std::int64_t words_ = 1;            // outputs per output channel block
  std::int64_t target_ = 0x10000000;
  Buffer inputs_, weights_, sums_, bias_;
};

BenchRun run_dnnweaver(const CsvRow& row) {
  const Tiling tiling(row);
  check_covers(row, tiling);
  const auto cycles = static_cast<double>(row.integer("rtl_cycles"));
  if (cycles == 0) throw Error(row.where() + ": rtl_cycles is 0");
  return {fmt::format("{0}x{0}: {1}x{1}x{2} to {3}, {4}x{4}, latency {5}", row.text("array"), row.text("H"),
                      row.text("IC"), row.text("OC"), row.text("K"), row.text("ddr_read_latency")),
          {{"n", row.text("array")}, {"ddr_read_latency", row.text("ddr_read_latency")}},
          DnnweaverWriter(row, tiling).write(),
          {{"rtl_cycles", cycles, {0}}}};
}

}  // namespace

std::vector<Bench> dnnweaver_benches() {
  return {{"dnnweaver_rtl",
           "DNNWeaver2 RTL, a tiled layer",
           {"array", "H", "IC", "OC", "K", "OH", "ddr_read_latency", "tiling", "rtl_cycles"},
           nullptr,
           run_dnnweaver,
           {"dnnweaver_rtl/conv.csv"},
           "dnnweaver_rtl/dnnweaver2_rtl.yaml",
           8,
           20}};
}

}  // namespace accord

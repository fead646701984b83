// NVDLA nv_small's RTL: one convolution per row, run from registers. Here its stages are instructions: a fetch of the
// data, a fetch of the weights per group of 8 kernels, and per stripe of output positions a channel operation, a
// hand-over and an output.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"

namespace accord {

namespace {

constexpr std::int64_t atom = 8;     // channels, and kernels, of a step
constexpr std::int64_t stripe = 16;  // positions; the one that takes the remainder has up to 31
constexpr std::int64_t bank = 4096;  // bytes of one of the buffer's 32 banks
constexpr std::int64_t convolution_buffer = 32 * bank;
constexpr std::int64_t most_stripes = 1 << 18;
constexpr std::int64_t weight_source = 0x8000000, target = 0x10000000;

/// What the row says of an output's size, which its other sizes have to agree with.
std::int64_t output_size(const CsvRow& row, const char* out, const char* in, const char* kernel) {
  const std::int64_t padded = row.integer(in) + 2 * row.integer("pad"), stride = row.integer("stride");
  if (stride == 0 || padded < row.integer(kernel))
    throw Error(fmt::format("{}: no window of {}, stride and pad lies in {}", row.where(), kernel, in));
  const std::int64_t size = (padded - row.integer(kernel)) / stride + 1;
  if (row.integer(out) != size)
    throw Error(fmt::format("{}: {} is {}; {}, {}, stride and pad make it {}", row.where(), out, row.text(out), in,
                            kernel, size));
  return size;
}

struct Convolution {
  std::int64_t data_bytes, weight_bytes, kernels, positions, reduction;

  explicit Convolution(const CsvRow& row)
      : data_bytes(row.integer("W") * row.integer("H") * round_up(row.integer("C"), atom)),
        kernels(row.integer("K")),
        positions(output_size(row, "OW", "W", "S") * output_size(row, "OH", "H", "R")),
        reduction(row.integer("R") * row.integer("S") * round_up(row.integer("C"), atom)) {
    weight_bytes = round_up(kernels * reduction, 128);
    if (std::min({data_bytes, kernels, positions, reduction}) <= 0) throw Error(row.where() + ": a size is 0");
    if (round_up(data_bytes, bank) + round_up(weight_bytes, bank) > convolution_buffer ||
        reduction > convolution_buffer)
      throw Error(row.where() + ": data and weights do not lie in the convolution buffer together");
    if (positions / stripe * round_up(kernels, atom) / atom > most_stripes)
      throw Error(fmt::format("{}: more than {} stripes", row.where(), most_stripes));
  }
};

/// Lengths of the stripes: 16, the first with what is left over.
std::vector<std::int64_t> stripes_of(std::int64_t positions) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(std::max<std::int64_t>(1, positions / stripe)), stripe);
  lengths.front() += positions - stripe * static_cast<std::int64_t>(lengths.size());
  return lengths;
}

class ConvolutionWriter : AssemblyText {
 public:
  explicit ConvolutionWriter(const Convolution& convolution)
      : c_(convolution), weights_(round_up(c_.data_bytes, bank)) {}

  std::string write() {
    add(".image dram 0 zeros {}\n.image dram {} zeros {}\n.image credits 0 zeros 16\n"
        ".image cbuf 0 zeros {}\n",
        c_.data_bytes, weight_source, c_.weight_bytes, convolution_buffer);
    add(".layer {{\"name\": \"convolution\"}}\n.at 0 \"\"\n");
    fetch_weights(0);
    add("  data src=0, dst=0, n={}\n", c_.data_bytes);
    for (std::int64_t k = 0; k < c_.kernels; k += atom) {
      if (k + atom < c_.kernels) fetch_weights(k + atom);
      const auto stripes = stripes_of(c_.positions);
      for (std::size_t s = 0; s < stripes.size(); ++s)
        stripe_of(k, stripes[s], k + atom >= c_.kernels && s + 1 == stripes.size());
    }
    add("  fence\n");
    return take();
  }

 private:
  void fetch_weights(std::int64_t kernel) {
    const std::int64_t at = kernel * c_.reduction;
    const std::int64_t end = kernel + atom < c_.kernels ? (kernel + atom) * c_.reduction : c_.weight_bytes;
    add("  weights src={}, dst={}, n={}\n", weight_source + at, weights_ + at, end - at);
  }

  // Windows overlap in the buffer; here they lie one on the other, which takes the same time.
  void stripe_of(std::int64_t kernel, std::int64_t length, bool last) {
    const std::int64_t group = std::min(atom, c_.kernels - kernel);
    const std::int64_t sums = done_ % 2 * 1024, spent = done_ % 4 * 4, granted = (done_ + 3) % 4 * 4;
    add("  stripe a=0, b={}, c={}, s={}, j={}, k={}, row=0, kernel={}\n", weights_ + kernel * c_.reduction, sums,
        length, group, c_.reduction, c_.reduction);
    if (!last) add("  handover c={}, t={}\n", sums, spent);
    add("  finish x={}, t={}, y={}, s={}, j={}, lo=-128, hi=127\n", sums, granted, target + written_, length, group);
    written_ += length * atom;
    ++done_;
  }

  const Convolution& c_;
  std::int64_t weights_;
  std::int64_t done_ = 0;
  std::int64_t written_ = 0;
};

BenchRun run_nvdla(const CsvRow& row) {
  const Convolution convolution(row);
  std::string name = fmt::format("{} {}x{}x{} to {}, {}x{}", row.text("kind"), row.text("W"), row.text("H"),
                                 row.text("C"), row.text("K"), row.text("S"), row.text("R"));
  for (const char* column : {"stride", "pad", "mem_lat", "mem_rint"})
    name += fmt::format(" {} {}", column, row.text(column));
  const auto cycles = static_cast<double>(row.integer("done_sdp_cycles"));
  if (cycles == 0) throw Error(row.where() + ": done_sdp_cycles is 0");
  return {std::move(name),
          {{"mem_lat", row.text("mem_lat")}, {"mem_rint", row.text("mem_rint")}, {"wlat", row.text("wlat")}},
          ConvolutionWriter(convolution).write(),
          {{"done_sdp_cycles", cycles, {0}}}};
}

}  // namespace

std::vector<Bench> nvdla_benches() {
  return {{"nvdla_rtl",
           "NVDLA nv_small RTL, one convolution from enable to done",
           {"kind", "W", "H", "C", "K", "S", "R", "stride", "pad", "OW", "OH", "mem_lat", "mem_rint", "wlat",
            "done_sdp_cycles"},
           nullptr,
           run_nvdla,
           {"nvdla_rtl/nvdla_nv_small.csv"},
           "nvdla_rtl/nv_small_rtl.yaml",
           5,
           15}};
}

}  // namespace accord

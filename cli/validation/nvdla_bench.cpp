// NVDLA nv_small's RTL: one convolution per row, run from registers. Here its stages are instructions: a fetch of the
// data, a fetch of the weights per group of 8 kernels, and per stripe of output positions its channels but the last 8,
// these, the hand-over of the sums and their output.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"

namespace accord {

namespace {

constexpr std::int64_t atom = 8;           // channels, and kernels, of a step
constexpr std::int64_t longest = 16;       // positions of a stripe, and those that the accumulator has room for
constexpr std::int64_t group_bytes = 512;  // sums of the longest stripe
constexpr std::int64_t credit_words = 1024;
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
    if (positions / longest * round_up(kernels, atom) / atom > most_stripes)
      throw Error(fmt::format("{}: more than {} stripes", row.where(), most_stripes));
  }
};

/// Positions [begin, end) of all groups of kernels one after the other.
struct Stripe {
  std::int64_t kernel;  ///< the group's first
  std::int64_t begin, end;
};

/// 16 while another 16 remain behind; 8 or what is left of fewer (NV_NVDLA_CSC_sg.v, cur_stripe).
std::int64_t length_of(std::int64_t left) {
  return left >= 2 * longest ? longest : left > longest ? longest / 2 : left;
}

std::vector<Stripe> stripes_of(const Convolution& convolution) {
  std::vector<Stripe> stripes;
  std::int64_t begin = 0;
  for (std::int64_t kernel = 0; kernel < convolution.kernels; kernel += atom) {
    for (std::int64_t left = convolution.positions; left > 0; left -= stripes.back().end - stripes.back().begin) {
      stripes.push_back({kernel, begin, begin + length_of(left)});
      begin = stripes.back().end;
    }
  }
  return stripes;
}

class ConvolutionWriter : AssemblyText {
 public:
  explicit ConvolutionWriter(const Convolution& convolution)
      : c_(convolution), stripes_(stripes_of(convolution)), weights_(round_up(c_.data_bytes, bank)) {}

  std::string write() {
    add(".image dram 0 zeros {}\n.image dram {} zeros {}\n.image credits 0 zeros {}\n", c_.data_bytes, weight_source,
        c_.weight_bytes, 4 * credit_words);
    add(".image cbuf 0 zeros {}\n", convolution_buffer);
    add(".layer {{\"name\": \"convolution\"}}\n.at 0 \"\"\n");
    fetch_weights(0);
    add("  data src=0, dst=0, n={}\n", c_.data_bytes);
    if (c_.kernels <= atom) fetch_padding();
    for (std::size_t s = 0; s < stripes_.size(); ++s) {
      const std::int64_t next = stripes_[s].kernel + atom;
      const bool first = s == 0 || stripes_[s - 1].kernel != stripes_[s].kernel;
      if (first && next < c_.kernels) {
        fetch_weights(next);
        if (next + atom >= c_.kernels) fetch_padding();
      }
      put_stripe(s);
    }
    add("  fence\n");
    return take();
  }

 private:
  /// A group's.
  void fetch_weights(std::int64_t kernel) {
    fetch(kernel * c_.reduction, std::min(kernel + atom, c_.kernels) * c_.reduction);
  }
  /// What fills the last group's up; no stripe waits for it.
  void fetch_padding() { fetch(c_.kernels * c_.reduction, c_.weight_bytes); }
  void fetch(std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    add("  weights src={}, dst={}, n={}\n", weight_source + begin, weights_ + begin, end - begin);
  }

  // Windows overlap in the buffer; here they lie one on the other, which takes the same time.
  void put_stripe(std::size_t index) {
    const Stripe& stripe = stripes_[index];
    const std::int64_t length = stripe.end - stripe.begin, group = std::min(atom, c_.kernels - stripe.kernel);
    const std::int64_t before = c_.reduction - atom, weights = weights_ + stripe.kernel * c_.reduction;
    const std::int64_t sums = static_cast<std::int64_t>(index % 4) * group_bytes;
    if (before > 0) {
      add("  head a=0, b={}, c={}, s={}, j={}, k={}, row=0, kernel={}\n", weights, sums, length, group, before,
          c_.reduction);
    }
    add("  {} a=0, b={}, c={}, t={}, s={}, j={}, k={}, row=0, kernel={}\n", before > 0 ? "tail" : "whole",
        weights + before, sums, credit_for(stripe.end - longest), length, group, atom, c_.reduction);
    deliver(index, sums, group);
    add("  finish x={}, y={}, s={}, j={}, lo=-128, hi=127\n", sums, target + stripe.begin * atom, length, group);
  }

  /// Hands the stripe's positions over, in parts where a later stripe waits for no more of them.
  void deliver(std::size_t index, std::int64_t out, std::int64_t group) {
    const Stripe& stripe = stripes_[index];
    std::int64_t from = stripe.begin;
    for (std::size_t later = index + 1; later < stripes_.size(); ++later) {
      const std::int64_t needed = stripes_[later].end - longest;
      if (needed >= stripe.end) break;
      if (needed > from) from = part("part", out, stripe, from, needed, group);
    }
    part("rest", out, stripe, from, stripe.end, group);
  }

  std::int64_t part(const char* mnemonic, std::int64_t out, const Stripe& stripe, std::int64_t from, std::int64_t to,
                    std::int64_t group) {
    parts_.push_back(to);
    add("  {} d={}, t={}, s={}, j={}\n", mnemonic, out + (from - stripe.begin) * 32, credit_of(std::ssize(parts_)),
        to - from, group);
    return to;
  }

  /// Where the news lies that the positions before this one have left; at 0, where no part's lies, if all may be there.
  std::int64_t credit_for(std::int64_t position) {
    while (position > 0 && (left_ == 0 || parts_[static_cast<std::size_t>(left_ - 1)] < position)) ++left_;
    return left_ == 0 ? 0 : credit_of(left_);
  }
  static std::int64_t credit_of(std::int64_t part) { return (1 + part % (credit_words - 1)) * 4; }

  const Convolution& c_;
  std::vector<Stripe> stripes_;
  std::int64_t weights_;
  std::vector<std::int64_t> parts_;  ///< where each ends, in positions
  std::int64_t left_ = 0;            ///< the part, from 1 on, whose news was waited for last
};

BenchRun run_nvdla(const CsvRow& row) {
  const std::string& kind = row.text("kind");
  if (kind != "conv" && kind != "gemm")
    throw Error(fmt::format("{}: kind is {}; the bench runs direct convolutions: conv, gemm", row.where(), kind));
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

// NVDLA's published frames per second: the vendor's estimate of ResNet-50, a layer after the other. Here a layer is the
// products and the traffic that the estimate counts, beside each other; only their sizes are there.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"
#include "cli/validation/resnet50_layers.h"

namespace accord {

namespace {

// Winograd is for windows that move by one.
bool is_winograd(const ConvolutionLayer& l) { return l.kernel == 3 && l.stride == 1; }

// What comes after the first convolution is its pooling.
std::int64_t stored_size(const ConvolutionLayer& l) { return l.name == "conv1" ? l.out / 2 : l.out; }

// A residual is added where a 1x1 quadruples the channels and keeps the size: the last of each bottleneck, and the
// first projection, which has its shape.
bool adds_residual(const ConvolutionLayer& l) {
  return l.kernel == 1 && l.stride == 1 && l.kernels == 4 * l.channels && l.out > 1;
}

/// A layer in the estimate's words: a stride's pixels are channels of their own.
struct Folded {
  std::int64_t size, channels, positions, inputs, kernels, weights, outputs;  // the last four in bytes

  explicit Folded(const ConvolutionLayer& l)
      : size(ceil_div(l.in, l.stride)),
        channels(round_up(l.channels * l.stride * l.stride, 16)),
        positions(size * size),
        inputs(channels * positions) {
    const std::int64_t taps = ceil_div(l.kernel, l.stride) * ceil_div(l.kernel, l.stride);
    const std::int64_t per_kernel = channels * taps * (is_winograd(l) ? 16 : 9) / 9;
    kernels = std::min<std::int64_t>(32, l.kernels) * per_kernel;
    weights = l.kernels * per_kernel;
    outputs = stored_size(l) * stored_size(l) * round_up(l.kernels, 16);
  }
};

/// What is read off chip: the operand that is not kept comes once for every part of the other that the buffer holds.
std::int64_t bytes_read(const ConvolutionLayer& l, std::int64_t buffer) {
  const Folded f(l);
  const std::int64_t kernels = std::min(f.kernels, buffer / 2);
  const std::int64_t rows = f.channels * std::min(l.kernel + 1, f.size) * f.size;
  const std::int64_t residual = adds_residual(l) ? f.outputs : 0;
  if (rows < kernels) return f.inputs + ceil_div(f.inputs, buffer - kernels) * f.weights + residual;
  if (rows >= buffer) throw Error(fmt::format("cbuf_kb: {} B do not hold the rows of {}'s windows", buffer, l.name));
  return f.weights + ceil_div(f.weights, buffer - rows) * f.inputs + residual;
}

class EstimateWriter : AssemblyText {
 public:
  explicit EstimateWriter(std::int64_t buffer) : buffer_(buffer) {}

  std::string write() {
    add(".image dram 0 zeros {}\n.image window 0 zeros 4096\n.image cacc 0 zeros {}\n", buffer_, 16 << 20);
    const auto layers = resnet50_layers();
    for (const auto& layer : layers) add(".layer {{\"name\": \"{}\"}}\n", layer.name);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      add(".at {} \"\"\n", i);
      layer(layers[i]);
      add("  fence\n");
    }
    return take();
  }

 private:
  void layer(const ConvolutionLayer& l) {
    const Folded f(l);
    const std::int64_t channels = f.channels / (l.stride * l.stride), blocks = ceil_div(l.kernels, 16);
    if (is_winograd(l)) {
      add("  winograd p={}, c={}, k={}\n", f.positions, channels, blocks);
    } else {
      add("  direct p={}, t={}, c={}, k={}\n", f.positions, l.kernel * l.kernel, channels, blocks);
    }
    add("  write n={}\n", f.outputs);
    for (std::int64_t left = bytes_read(l, buffer_); left > 0; left -= buffer_)
      add("  read n={}\n", std::min(left, buffer_));
  }

  std::int64_t buffer_;
};

double frames_per_second(const CsvRow& row) {
  const double frames = row.real("fps");
  if (frames <= 0) throw Error(row.where() + ": fps: expected more than 0");
  return frames;
}

BenchRun estimate(const CsvRow& row, Figure figure) {
  const std::int64_t kilobytes = row.integer("cbuf_kb");
  if (kilobytes == 0 || kilobytes > 65536) throw Error(row.where() + ": cbuf_kb is not 1 to 65536");
  for (std::size_t i = 0; i < resnet50_layers().size(); ++i) figure.layers.push_back(static_cast<int>(i));
  return {fmt::format("{} MACs, {} KiB, {} GB/s", row.text("macs"), kilobytes, row.text("dram_gbs")),
          {{"macs", row.text("macs")}, {"cbuf_kb", row.text("cbuf_kb")}, {"dram_gbs", row.text("dram_gbs")}},
          EstimateWriter(kilobytes * 1024).write(),
          {std::move(figure)}};
}

BenchRun estimate_time(const CsvRow& row) {
  return estimate(row, {"cycles a frame", 1e9 / frames_per_second(row), {}, {}});
}

BenchRun estimate_energy(const CsvRow& row) {
  const double milliwatts = row.real("mw_avg");
  if (milliwatts <= 0) throw Error(row.where() + ": mw_avg: expected more than 0");
  return estimate(row, {"uJ a frame", 1000 * milliwatts / frames_per_second(row), {}, {}, FigureKind::energy});
}

}  // namespace

std::vector<Bench> nvdla_estimate_benches() {
  const std::vector<std::string> tables = {"nvdla_perf/resnet50.csv"};
  constexpr auto machine = "nvdla_perf/nvdla_conv.yaml";
  return {{"nvdla_perf",
           "NVDLA's published ResNet-50 frames per second",
           {"macs", "cbuf_kb", "dram_gbs", "fps"},
           nullptr,
           estimate_time,
           tables,
           machine,
           1,
           1},
          {"nvdla_energy",
           "NVDLA's published ResNet-50 power, per frame",
           {"macs", "cbuf_kb", "dram_gbs", "fps", "mw_avg"},
           nullptr,
           estimate_energy,
           tables,
           machine,
           50,
           100}};
}

}  // namespace accord

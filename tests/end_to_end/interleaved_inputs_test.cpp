// Is a convolution right whose image lies with rows side by side, or there several times, or whose result's columns lie
// apart, and does it stay on the machine?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cli/layer_runs.h"
#include "compiler/compilation.h"
#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

Network stem(std::int64_t size, std::int64_t kernel, std::int64_t stride) {
  NetworkBuilder b(3);
  return b.finish(b.relu(b.conv(b.input({1, 3, size, size + 3}), 24, kernel, stride, kernel / 2)));
}

}  // namespace

TEST_CASE("is a first convolution right whose image lies with rows side by side, and on the machine") {
  for (const char* name : {"gemmini16", "dnnweaver64", "bf16npu", "onnxim", "tpu_v1", "genesys", "hvx"}) {
    CAPTURE(std::string(name));
    const Architecture architecture = machine(name);
    for (const auto& [size, kernel, stride] :
         {std::tuple{32, 7, 2}, {30, 3, 3}, {16, 5, 1}, {27, 3, 2}, {33, 4, 2}, {33, 6, 3}}) {
      CAPTURE(size);
      if (architecture.name == "genesys" && stride == 1) continue;  // it steps by whole words of 16 channels
      const auto result = run_checked(architecture, stem(size, kernel, stride), 5);
      const std::int64_t rows = (size + kernel / 2 * 2 - kernel) / stride + 1;
      const std::int64_t columns = (size + 3 + kernel / 2 * 2 - kernel) / stride + 1;
      std::int64_t macs = 0, gathers = 0;
      for (const auto& layer : result.report.layers) {
        CHECK((layer.macs == 0 || layer.placed_on != "host"));
        macs += layer.macs;
        gathers += layer.op == "GatherRows" ? 1 : 0;
      }
      CHECK(macs == 3 * 24 * kernel * kernel * rows * columns);
      CHECK(gathers <= 1);
    }
  }
}

TEST_CASE("does a narrow first convolution take fewer cycles on a wide array for it") {
  // Windows of 7x7x3 alone are 7 runs of 21 of 64 rows; three rows side by side make them 3 of 63.
  const auto wide = run_checked(machine("dnnweaver64"), stem(64, 7, 2), 5).report;
  const auto layer = std::ranges::find_if(wide.layers, [](const auto& l) { return l.macs > 0; });
  REQUIRE(layer != wide.layers.end());
  CHECK(layer->macs == 3 * 24 * 49 * 32 * 34);
  CHECK(layer->cycles < 3.5 * 32 * 34);
}

TEST_CASE("is it so where the model's integers for the image have a zero point") {
  for (const char* name : {"gemmini16", "dnnweaver64", "hvx"}) {
    CAPTURE(std::string(name));
    Network network = stem(33, 7, 2);
    const std::int64_t cycles = run_checked(machine(name), network, 5).report.total_cycles;
    network.tensor(network.inputs[0]).quantisation = Quantisation{{0.02F}, -1, -7, 128};
    const MainJobResult result = run_checked(machine(name), network, 5);
    CHECK(std::ranges::count(result.report.layers, "GatherRows", &LayerReport::op) == 1);
    CHECK(result.report.total_cycles <= 1.01 * static_cast<double>(cycles));
  }
}

TEST_CASE("is such a convolution simulated alone, as the others, to be held against its prediction") {
  const Architecture architecture = machine("dnnweaver64");
  const Network numeric = quantise(stem(64, 7, 2), architecture.numerics, {});
  const CompileOptions options;
  Compilation compilation(architecture, numeric, options);
  int ran = 0;
  for (const auto& layer : explore(compilation)) {
    const auto run = run_layer(compilation, layer);
    if (!run) continue;
    CHECK(run->failure == "");
    CHECK(std::abs(run->error()) < 0.5);
    ++ran;
  }
  CHECK(ran == 1);
}

TEST_CASE("is a convolution right whose result's columns lie apart, and quicker") {
  const Architecture hvx = machine("hvx");
  for (const auto& [stride, kernel, least] : {std::tuple{2, 3, 1.8}, {1, 7, 2.8}, {2, 5, 2.5}, {4, 3, 1.0}}) {
    CAPTURE(stride);
    CAPTURE(kernel);
    NetworkBuilder b(9);
    const TensorId x = b.input({1, 32, 32, 128});
    const Network alone = b.finish(b.relu(b.conv(x, 32, kernel, stride, kernel / 2, 32)));
    const MainJobResult result = run_checked(hvx, alone, 4);
    const auto conv = std::ranges::find_if(result.report.layers, [](const auto& layer) { return layer.macs > 0; });
    REQUIRE(conv != result.report.layers.end());
    CHECK(conv->capability == "dot");
    const std::int64_t pixels = 32 * (32 / stride) * (128 / stride);
    CHECK(conv->macs == pixels * kernel * kernel);
    // By channels, vmpa takes two cycles a tap for 32 of them, and vrequant eight.
    CHECK(least * static_cast<double>(conv->cycles) < static_cast<double>(pixels / 32 * (2 * kernel * kernel + 8)));
  }
}

TEST_CASE("does what a layer of the machine reads keep its columns together") {
  NetworkBuilder b(9);
  const TensorId apart = b.conv(b.input({1, 16, 32, 32}), 16, 3, 2, 1, 16);
  const auto report = run_checked(machine("hvx"), b.finish(b.conv(apart, 8, 1)), 4).report;
  for (const auto& layer : report.layers) CHECK((layer.macs == 0 || layer.placed_on != "host"));
}

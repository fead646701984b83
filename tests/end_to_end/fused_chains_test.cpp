#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "cli/main_job.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

/// Expansion, depthwise convolution, projection; the sum where shapes allow it (Sandler et al., "MobileNetV2").
TensorId inverted_residual(NetworkBuilder& b, TensorId x, std::int64_t channels, std::int64_t expansion,
                           std::int64_t filters, std::int64_t stride) {
  const std::int64_t wide = channels * expansion;
  const TensorId expanded = b.relu(b.conv(x, wide, 1));
  const TensorId filtered = b.relu(b.conv(expanded, wide, 3, stride, 1, wide));
  const TensorId projected = b.conv(filtered, filters, 1);
  return stride == 1 && channels == filters ? b.add(projected, x) : projected;
}

Network mobile_blocks(std::uint64_t seed) {
  NetworkBuilder b(seed);
  TensorId x = b.relu(b.conv(b.input({1, 3, 56, 56}), 16, 3, 2, 1));
  x = inverted_residual(b, x, 16, 6, 24, 1);
  x = inverted_residual(b, x, 24, 4, 24, 1);
  return b.finish(inverted_residual(b, x, 24, 4, 32, 2));
}

/// Convolutions of every kind and pools one after the other, with sums of equal shapes thrown in.
Network random_chain(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  NetworkBuilder b(seed);
  std::int64_t channels = draw(1, 20), size = draw(9, 26);
  TensorId x = b.input({1, channels, size, draw(9, 26)});
  TensorId earlier = x;
  std::int64_t earlier_channels = 0;
  for (std::int64_t layer = draw(3, 6); layer > 0; --layer) {
    const std::int64_t kind = draw(0, 5);
    if (kind == 0) {
      channels = draw(1, 40);
      x = b.relu(b.conv(x, channels, 1));
    } else if (kind == 1) {
      x = b.relu(b.conv(x, channels, 3, 1, 1, channels));
    } else if (kind == 2) {
      channels = draw(1, 24);
      x = b.conv(x, channels, 3, size > 12 ? draw(1, 2) : 1, 1);
      earlier_channels = 0;
    } else if (kind == 3) {
      x = b.relu(b.conv(x, channels, 5, 1, 2, channels));
    } else if (kind == 4) {
      const std::int64_t kernel = draw(2, 3);
      x = b.max_pool(x, kernel, size > 12 ? 2 : 1, kernel == 3 ? 1 : 0);
      earlier_channels = 0;
    } else if (earlier_channels == channels) {
      x = b.add(b.conv(x, channels, 1), earlier);
    }
    if (earlier_channels == 0) {
      earlier = x;
      earlier_channels = channels;
    }
  }
  return b.finish(x);
}

MainJobResult run(const Architecture& architecture, const Network& network, std::uint64_t seed, bool fuse) {
  MainJobOptions options;
  options.fuse = fuse;
  auto job = run_main_job(architecture, network, seeded_inputs_of(network, seed), options);
  CHECK(job.report.verified == true);
  for (const auto& layer : job.report.layers) CHECK_MESSAGE(layer.verdict.empty(), layer.name, ": ", layer.verdict);
  for (const auto& hazard : job.report.hazards) FAIL_CHECK(hazard.kind, " at ", hazard.mnemonic, ": ", hazard.message);
  for (const auto& broken : job.report.broken_invariants) FAIL_CHECK(broken);
  return job;
}

bool in_strips(const LayerReport& layer) { return layer.name.ends_with(']'); }

struct SmallMachine {
  std::string name;
  std::map<std::string, std::string> overrides;
};

/// Machines of all three kinds of synchronisation whose memories are too small for what the chains hand on.
const std::vector<SmallMachine> small_machines = {
    {"avx512_vnni", {{"l2_kib", "64"}}},
    {"hvx", {{"l2_kib", "128"}}},
    {"dnnweaver64", {{"n", "16"}, {"vmem_kib", "24"}, {"ibuf_kib", "24"}}},
    {"ethos_u55", {{"shram_kib", "48"}}},
    {"bf16npu", {{"n", "16"}}}};

}  // namespace

TEST_CASE("do inverted residual blocks spare off-chip bytes where they do not fit whole") {
  const auto architecture = machine("avx512_vnni", {{"l2_kib", "96"}, {"l3_latency", "400"}});  // DRAM
  const Network network = mobile_blocks(3);
  const auto apart = run(architecture, network, 3, false);
  const auto fused = run(architecture, network, 3, true);
  CHECK(std::none_of(apart.report.layers.begin(), apart.report.layers.end(), in_strips));
  CHECK(std::any_of(fused.report.layers.begin(), fused.report.layers.end(), in_strips));
  CHECK(static_cast<double>(fused.report.off_chip_bytes) <= 0.7 * static_cast<double>(apart.report.off_chip_bytes));
  CHECK(fused.report.total_cycles <= apart.report.total_cycles);
  std::int64_t macs_apart = 0, macs_fused = 0;  // rows computed anew are no work that the network asks for
  for (const auto& layer : apart.report.layers) macs_apart += layer.macs;
  for (const auto& layer : fused.report.layers) macs_fused += layer.macs;
  CHECK(macs_fused == macs_apart);
}

TEST_CASE("do random chains give the right values on chip") {
  int chains = 0;
  for (const auto& [name, overrides] : small_machines) {
    const auto architecture = machine(name, overrides);
    for (std::uint64_t seed = 100; seed < 100 + asked("ACCORD_RANDOM_CHAINS", 6); ++seed) {
      CAPTURE(name);
      CAPTURE(seed);
      const auto job = run(architecture, random_chain(seed), seed, true);
      chains += static_cast<int>(std::count_if(job.report.layers.begin(), job.report.layers.end(),
                                               [](const LayerReport& layer) { return !layer.fusion.empty(); }));
    }
  }
  CHECK(chains > 0);
}

TEST_CASE("do strips of a layer whose rows are padded keep their bounds") {
  const auto architecture = machine("ethos_u55", {{"shram_kib", "48"}, {"sram_width", "2"}});  // counts rows in pairs
  NetworkBuilder b(5);
  const TensorId x = b.relu(b.conv(b.input({1, 3, 95, 95}), 64, 3, 2));
  const auto fused = run(architecture, b.finish(b.max_pool(x, 3, 2)), 5, true);  // 47 rows, then 23
  CHECK(std::any_of(fused.report.layers.begin(), fused.report.layers.end(), in_strips));
}

TEST_CASE("does attention keep its scores and their softmax on chip") {
  const auto architecture = machine("bf16npu", {{"n", "16"}});
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto heads = static_cast<std::int64_t>(random() % 4 + 1),
               tokens = static_cast<std::int64_t>(random() % 48 + 64);  // enough for chains to be worth it
    NetworkBuilder b(seed);
    const TensorId x = b.input({1, heads, tokens, tokens});
    const Network network = b.finish(b.matmul(b.softmax(b.matmul(x, x)), x));
    const auto apart = run(architecture, network, seed, false);
    const auto fused = run(architecture, network, seed, true);
    CHECK(fused.report.total_cycles <= apart.report.total_cycles);
    const double scores = static_cast<double>(heads * tokens * tokens * 2);
    CHECK(static_cast<double>(fused.report.off_chip_bytes) <=
          static_cast<double>(apart.report.off_chip_bytes) - 4 * scores);
  }
}

// Do Concats cost nothing where their parts can lie in the whole, and no more than copies of the others?
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "compiler/compilation.h"
#include "compiler/network/canonicalise.h"
#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t concat_seed = 11;

/// Placed on the host, of the layers that do this.
int on_host(const MainJobResult& job, const std::string& op) {
  return static_cast<int>(std::ranges::count_if(
      job.report.layers, [&](const LayerReport& layer) { return layer.op == op && layer.placed_on == "host"; }));
}

int count_of(const MainJobResult& job, const std::string& op) {
  return static_cast<int>(std::ranges::count(job.report.layers, op, &LayerReport::op));
}

/// Every layer reads all results before it (Huang et al., "Densely Connected Convolutional Networks", CVPR 2017).
Network dense_block(std::int64_t channels) {
  return network_of(concat_seed, [&](NetworkBuilder& b) {
    std::vector<TensorId> features = {b.relu(b.conv(b.input({1, 8, 6, 6}), channels, 3, 1, 1))};
    for (int layer = 0; layer < 4; ++layer) {
      const TensorId seen = features.size() > 1 ? b.concat(features) : features.front();
      features.push_back(b.relu(b.conv(b.relu(b.conv(seen, 16, 1)), channels, 3, 1, 1)));
    }
    return b.conv(b.concat(features), 16, 1);
  });
}

/// Two Concats want the same part, and a third has one part twice.
Network parts_of_two() {
  return network_of(concat_seed, [](NetworkBuilder& b) {
    const TensorId x = b.input({1, 16, 6, 6});
    const auto made = [&] { return b.relu(b.conv(x, 16, 1)); };
    const TensorId first = made(), common = made(), last = made();
    const TensorId one = b.conv(b.concat({first, common}), 16, 1), other = b.conv(b.concat({common, last}), 16, 1);
    return b.conv(b.concat({one, other, one}), 16, 1);
  });
}

/// A few channels that a pool reads and, if they are `joined`, a Concat beside others, as in a U-Net.
Network pooled_and_joined(bool joined) {
  NetworkBuilder b(concat_seed);
  const TensorId few = b.relu(b.conv(b.input({1, 16, 20, 20}), 8, 3, 1, 1));
  b.conv(b.max_pool(few, 2, 2), 16, 1);
  const TensorId more = b.relu(b.conv(b.input({1, 16, 20, 20}), 16, 3, 1, 1));
  b.conv(joined ? b.concat({few, more}) : more, 16, 3, 1, 1);
  return b.finish();
}

}  // namespace

TEST_CASE("is a part with few channels left apart where a reader would take it pixel by pixel") {
  for (const std::string name : {"dnnweaver64", "avx512_vnni"}) {
    CAPTURE(name);
    const auto cycles_of_pool = [&](bool joined) {
      const auto job = run_checked(machine(name), pooled_and_joined(joined), concat_seed);
      const auto pool = std::ranges::find(job.report.layers, "MaxPool", &LayerReport::op);
      REQUIRE(pool != job.report.layers.end());
      return pool->cycles;
    };
    CHECK(cycles_of_pool(true) < 2 * cycles_of_pool(false));
  }
}

TEST_CASE("is a part left apart only where no order of the whole is as quick") {
  const Architecture architecture = machine("dnnweaver64");
  NetworkBuilder b(concat_seed);
  const TensorId x = b.input({1, 2, 32, 32});
  b.conv(x, 6, 3, 2, 1);
  b.conv(b.concat({x, b.relu(x)}), 3, 1);
  const CompileOptions options;
  Compilation compilation(architecture, quantise(b.finish(), architecture.numerics, {}), options);
  compile_layers(compilation);
  const auto chosen = [&](const std::string& what) {
    return std::ranges::count_if(compilation.layouts, [&](const std::string& layout) {
      return layout.starts_with("chosen") && layout.find(what) != std::string::npos;
    });
  };
  CHECK(chosen(" innermost") > 0);
  CHECK(chosen(" apart from ") == 0);
}

TEST_CASE("does each Concat of a dense block lie in the next") {
  for (const std::string& name : machines) {
    CAPTURE(name);
    Network block = dense_block(16);
    canonicalise(block);
    const MainJobResult job = run_checked(machine(name), block, concat_seed);
    CHECK(count_of(job, "Concat") == 4);
    CHECK(on_host(job, "Concat") == 0);
    CHECK(count_of(job, "Identity") == 0);
  }
}

TEST_CASE("are parts that cannot lie in a Concat copied alone, by the machine where it can") {
  for (const std::string& name : machines) {
    CAPTURE(name);
    const MainJobResult job = run_checked(machine(name), parts_of_two(), concat_seed);
    CHECK(on_host(job, "Concat") == 0);
    const int copied = count_of(job, "Identity");
    CHECK((copied == 2 || (copied == 4 && name == "dnnweaver64")));  // where reading two more apart is quicker
    if (name == "bf16npu") CHECK(on_host(job, "Identity") == 0);
  }
}

TEST_CASE("do parts of a Concat that need other values beside them keep their own margins") {
  for (const std::string& name : machines) {
    CAPTURE(name);
    const Network network = network_of(concat_seed, [](NetworkBuilder& b) {
      // Padding of a MaxPool is below all values, that of a Conv is 0; without a ReLU the values are on both sides.
      const TensorId x = b.conv(b.input({1, 12, 6, 6}), 12, 1);
      const TensorId pooled = b.conv(b.max_pool(x, 3, 1, 1), 12, 1);
      return b.add(b.conv(pooled, 16, 3, 1, 1), b.conv(b.concat({x, pooled}), 16, 1));
    });
    run_checked(machine(name), network, concat_seed);
  }
}

TEST_CASE("does the machine copy the parts that cannot lie in the whole") {
  for (const char* name : {"gemmini16", "gemmini16x4", "bf16npu", "hvx", "dnnweaver64"}) {
    for (const std::int64_t channels : {12, 5}) {
      CAPTURE(name);
      CAPTURE(channels);
      Network block = dense_block(channels);
      canonicalise(block);
      const MainJobResult job = run_checked(machine(name), block, concat_seed);
      CHECK(on_host(job, "Concat") == 0);
      CHECK(on_host(job, "Identity") == 0);
    }
  }
}

// Do tensors that never live at the same time share off-chip memory, with every layer still right?
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "archdsl/source/error.h"
#include "cli/memory_use.h"
#include "cli/numeric.h"
#include "compiler/compile.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t sharing_seed = 5;

Program compiled(const Architecture& architecture, const Network& network) {
  return compile(architecture, to_numeric(architecture, network, seeded_inputs_of(network, sharing_seed)));
}

/// Convolutions of one size after each other; with padding, each result has a margin around it.
Network chain(std::int64_t layers, std::int64_t kernel) {
  return network_of(sharing_seed, [&](auto& b) {
    TensorId x = b.input({1, 16, 12, 12});
    for (std::int64_t i = 0; i < layers; ++i) x = b.relu(b.conv(x, 16, kernel, 1, kernel / 2));
    return x;
  });
}

MemoryUse memory_of(const Architecture& architecture, const Network& of) {
  const auto uses = memory_use(architecture, compiled(architecture, of));
  REQUIRE(uses.size() == 1);
  return uses[0];
}

}  // namespace

TEST_CASE("does a longer chain take no more memory") {
  const Architecture gemmini = machine("gemmini16");
  for (const std::int64_t kernel : {1, 3}) {
    CAPTURE(kernel);
    const MemoryUse few = memory_of(gemmini, chain(6, kernel)), many = memory_of(gemmini, chain(12, kernel));
    CHECK(many.tensors == few.tensors);
    CHECK(many.tensors_apart > few.tensors_apart);
  }
}

TEST_CASE("are the values right where tensors share memory and margins") {
  for (const auto& name : machines) {
    CAPTURE(name);
    run_checked(machine(name), chain(7, 3), sharing_seed);
    // Margins of different values and sizes take turns with tensors that have none.
    run_checked(machine(name),
                network_of(sharing_seed,
                           [](auto& b) {
                             TensorId x = b.conv(b.input({1, 16, 12, 12}), 16, 3, 1, 1);
                             for (int i = 0; i < 3; ++i) {
                               x = b.max_pool(b.conv(x, 16, 1), 3, 1, 1);
                               x = b.add(b.relu(b.conv(x, 16, 3, 1, 1)), x);
                               x = b.relu(b.conv(b.conv(x, 16, 1), 16, 3, 1, 1));
                             }
                             return x;
                           }),
                sharing_seed);
  }
}

TEST_CASE("is a tensor that is read late left alone") {
  run_checked(machine("gemmini16"),
              network_of(sharing_seed,
                         [](auto& b) {
                           const TensorId first = b.relu(b.conv(b.input({1, 16, 8, 8}), 16, 3, 1, 1));
                           TensorId x = first;
                           for (int i = 0; i < 5; ++i) x = b.relu(b.conv(x, 16, 3, 1, 1));
                           return b.concat({b.add(x, first), b.conv(first, 16, 1)});
                         }),
              sharing_seed);
}

TEST_CASE("does a model that off-chip memory cannot hold end with the sizes") {
  const auto small = load_text(edited("gemmini16", "capacity: 4 GiB", "capacity: 16 KiB"));
  REQUIRE(small.architecture);
  std::string message;
  try {
    compiled(*small.architecture, chain(6, 3));
  } catch (const Error& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find("no room in dram for") == 0);
  CHECK(message.find("16384 taken") != std::string::npos);
  CHECK(message.find("of constants") != std::string::npos);
}

TEST_CASE("do pools read one copy where a convolution pads the same tensor with 0") {
  const auto network = network_of(sharing_seed, [](auto& b) {
    const TensorId x = b.conv(b.input({1, 16, 9, 9}), 16, 1);
    const TensorId padded = b.conv(x, 16, 3, 1, 1);
    return b.concat({padded, b.max_pool(x, 3, 1, 1), b.max_pool(x, 5, 1, 2)});
  });
  for (const std::string name : {"dnnweaver64", "hvx", "bf16npu"}) {
    CAPTURE(name);
    const auto job = run_checked(machine(name), network, sharing_seed);
    const auto is_copy = [](const LayerReport& layer) { return layer.name.ends_with("/copy"); };
    CHECK(std::ranges::count_if(job.report.layers, is_copy) == 1);
    const auto pools_on_host = [](const LayerReport& layer) {
      return layer.op == "MaxPool" && layer.placed_on == "host";
    };
    CHECK(std::ranges::none_of(job.report.layers, pools_on_host));
  }
}

TEST_CASE("does nobody copy for a margin that decides nothing, or is slow for another's") {
  // 17 channels are read in fours; what stands behind them meets zeros of the weights.
  const auto run = [](const std::string& name, bool pools) {
    const auto network = network_of(sharing_seed, [&](auto& b) {
      const TensorId x = b.conv(b.input({1, 17, 9, 9}), 17, 1);
      const TensorId product = b.conv(x, 17, 1);
      return pools ? b.concat({b.max_pool(x, 3, 1, 1), product}) : product;
    });
    return run_checked(machine(name), network, sharing_seed);
  };
  for (const std::string name : {"hvx", "dnnweaver64"}) {
    CAPTURE(name);
    const auto with = run(name, true), without = run(name, false);
    const auto is_copy = [](const LayerReport& layer) { return layer.name.ends_with("/copy"); };
    CHECK(std::ranges::none_of(with.report.layers, is_copy));
    const auto cycles = [](const auto& job) { return static_cast<double>(job.report.total_cycles); };
    CHECK(cycles(with) < 1.45 * cycles(without));
  }
}

// Machines whose units have memories of their own, with sums several transfers from off-chip memory.
#include <doctest/doctest.h>

#include <string>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t deep_seed = 29;

Network convolution() {
  return network_of(deep_seed, [](auto& b) { return b.conv(b.input({1, 16, 10, 14}), 16, 3, 1, 1); });
}

/// Its sums begin with zeros.
Network without_bias(Network network) {
  for (auto& op : network.operators) op.inputs.resize(2);
  return network;
}

}  // namespace

TEST_CASE("is work divided over tiles whose sums lie behind two memories") {
  const Architecture tiles = described("memory_tile");
  run_checked(tiles, convolution(), deep_seed);
  run_checked(tiles, network_of(deep_seed, [](auto& b) { return b.gemm(b.input({1, 131}), 97); }), deep_seed);
}

TEST_CASE("do zeros that pass a memory in whole words stay within what is there") {
  run_checked(described("memory_tile"), without_bias(convolution()), deep_seed);
}

TEST_CASE("is a result kept beside one unit where the other units cannot reach it") {
  const Architecture banks = described("memory_banks");
  run_checked(banks, network_of(deep_seed, [](auto& b) { return b.conv(b.input({1, 3, 1, 1}), 5, 1); }), deep_seed);
  run_checked(banks,
              network_of(deep_seed,
                         [](auto& b) {
                           return b.gemm(b.gemm(b.input({1, 20}), 30), 10);
                         }),
              deep_seed);
}

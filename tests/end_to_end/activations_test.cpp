// Are activations that a float machine has no capability for its own work where its others do for them?
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t activation_seed = 12;

Network activated(const std::string& type, std::map<std::string, Attribute> attributes) {
  return network_of(activation_seed, [&](NetworkBuilder& b) {
    const TensorId x = b.conv(b.input({1, 8, 6, 6}), 16, 3, 1, 1);
    return b.conv(b.unary(type, x, std::move(attributes)), 16, 1);
  });
}

std::ptrdiff_t layers_on_host(const MainJobResult& job) {
  return std::ranges::count(job.report.layers, "host", &LayerReport::placed_on);
}

/// onnxim whose vector unit pools, and adds to the array's sums, but computes nothing by itself.
Architecture without_vectors() {
  const Architecture whole = machine("onnxim");
  const auto vector = std::ranges::find(whole.units, "vector", &Unit::name);
  std::string names;
  for (const Capability& capability : vector->capabilities) {
    const bool stays = capability.name == "add" || capability.name == "multiply_add" || capability.name == "max_pool";
    if (!stays) names += (names.empty() ? "" : ", ") + capability.name + ": ~";
  }
  return loaded("accord: 1\nname: no_vectors\nextends: onnxim.yaml\ncomponents: {vector: {capabilities: {" + names +
                "}}}\nisa: {mnemonics: {" + names + "}}\n");
}

}  // namespace

TEST_CASE("are activations in terms of others the work of a float vector unit") {
  const std::vector<std::pair<std::string, std::map<std::string, Attribute>>> activations = {
      {"HardSwish", {}},
      {"HardSigmoid", {{"alpha", 0.3}}},
      {"LeakyRelu", {{"alpha", 0.2}}},
      {"Elu", {}},
      {"Celu", {{"alpha", 1.5}}},
      {"Selu", {}},
      {"Neg", {}},
      {"Abs", {}},
      {"Softsign", {}},
  };
  const Architecture matrix_machine = without_vectors();
  for (const auto& [type, attributes] : activations) {
    CAPTURE(type);
    const MainJobResult job = run_checked(machine("bf16npu"), activated(type, attributes), activation_seed);
    CHECK(layers_on_host(job) == 0);
    // No vector unit that computes: one layer of the host's, not several.
    const MainJobResult matrix = run_checked(matrix_machine, activated(type, attributes), activation_seed);
    CHECK(std::ranges::count(matrix.report.layers, type, &LayerReport::op) == 1);
  }
}

TEST_CASE("are numbers without dimensions computed on the machine") {
  const Network network = network_of(44, [](NetworkBuilder& b) {
    const TensorId x = b.input({}), y = b.input({});
    return b.relu(b.add(b.multiply(x, y), y));
  });
  CHECK(layers_on_host(run_checked(machine("bf16npu"), network, 44)) == 0);
}

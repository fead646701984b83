// Are layers of few results and long sums quicker where their sums are divided over elements, and right?
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/compilation.h"
#include "compiler/explore.h"
#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t sums_seed = 31;

/// Without what stands from a line to the next that begins so.
std::string without(std::string text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  return text.erase(begin, text.find(to, begin) - begin);
}

/// gemmini16x4 without the instruction that adds sums to sums.
Architecture without_adding() {
  const std::string text = edited("gemmini16x4", "add_sums:", "add_sums:");
  return loaded(
      without(without(text, "          add_sums:\n", "      store:\n"), "    mvin_add_acc:\n", "    mvout:\n"));
}

std::string float_cores() { return file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/float_cores.yaml"); }

Architecture float_cores_without_adding() {
  return loaded(
      without(without(float_cores(), "        capabilities:\n", "      store:\n"), "    add:", "    store_sums:"));
}

Network product(std::int64_t sum, std::int64_t results) {
  NetworkBuilder b(sums_seed);
  return b.finish(b.gemm(b.input({1, sum}), results));
}

/// One result per filter.
Network whole_plane(std::int64_t channels, std::int64_t size, std::int64_t filters) {
  NetworkBuilder b(sums_seed);
  return b.finish(b.relu(b.conv(b.input({1, channels, size, size}), filters, size)));
}

/// Cycles, and whether sums were divided.
std::pair<double, bool> cycles(const Architecture& architecture, const Network& network) {
  const auto report = run_checked(architecture, network, sums_seed).report;
  const bool divided = std::ranges::any_of(report.layers, [](const auto& l) { return l.op == "PartialSums"; });
  return {static_cast<double>(report.total_cycles), divided};
}

std::vector<std::string> weighed(const Architecture& architecture, const Network& network) {
  const Network numeric = quantise(network, architecture.numerics, {});
  const CompileOptions options;
  Compilation compilation(architecture, numeric, options);
  explore(compilation);
  return compilation.sums;
}

}  // namespace

TEST_CASE("do four cores share a sum of 8192 products, three times as fast") {
  for (const Network& network : {product(8192, 16), whole_plane(512, 4, 16)}) {
    const auto [apart, never] = cycles(without_adding(), network);
    const auto [divided, some] = cycles(machine("gemmini16x4"), network);
    CHECK_FALSE(never);
    CHECK(some);
    CHECK(divided < apart / 3);
  }
}

TEST_CASE("are divided sums right whatever their sizes") {
  const Architecture cores = machine("gemmini16x4", {{"cores", "3"}});
  int divided = 0;
  for (const auto& [sum, results] : {std::pair{4097, 3}, {6000, 1}, {3072, 17}, {5000, 40}}) {
    CAPTURE(sum);
    divided += cycles(cores, product(sum, results)).second ? 1 : 0;
  }
  CHECK(divided >= 3);
}

TEST_CASE("are divided sums right among other layers") {
  const Architecture cores = machine("gemmini16x4");
  NetworkBuilder b(sums_seed);
  const TensorId image = b.relu(b.conv(b.input({1, 16, 12, 12}), 32, 3, 1, 1));
  const TensorId flat = b.gemm(b.flatten(image), 10);  // reads where another layer's result lies
  CHECK(cycles(cores, b.finish(flat)).second);

  NetworkBuilder products(sums_seed);
  const TensorId row = products.input({1, 2048}), columns = products.input({2048, 12});
  CHECK(cycles(cores, products.finish(products.matmul(row, columns))).second);

  NetworkBuilder residual(sums_seed);
  const TensorId x = residual.input({1, 3001});
  const TensorId both = residual.add(residual.gemm(x, 20), residual.gemm(x, 20));  // a tensor with two readers
  run_checked(cores, residual.finish(both), sums_seed);

  NetworkBuilder pooled(sums_seed);
  run_checked(cores, pooled.finish(pooled.average_pool(pooled.input({1, 8, 40, 40}), 40, 40)), sums_seed);
}

TEST_CASE("are floats' sums in parts as near to the reference as whole ones, and done in two thirds of the time") {
  for (const Network& network : {product(4096, 16), product(2047, 9), whole_plane(128, 4, 16)}) {
    const auto [apart, never] = cycles(float_cores_without_adding(), network);
    const auto [divided, some] = cycles(loaded(float_cores()), network);
    CHECK_FALSE(never);
    CHECK(some);
    CHECK(divided < apart * 2 / 3);  // one core alone converts the input, and all share the bus
  }
}

TEST_CASE("is it said which sums were weighed, and why they stay whole") {
  const auto chosen = weighed(machine("gemmini16x4"), product(8192, 16));
  REQUIRE(chosen.size() == 1);
  CHECK(chosen[0].starts_with("chosen: "));
  const auto refused = weighed(without_adding(), product(8192, 16));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].find("nothing adds partial sums: ") != std::string::npos);
  CHECK(weighed(machine("gemmini16x4"), product(512, 640)).empty());  // results enough
  CHECK(weighed(machine("gemmini16"), product(8192, 16)).empty());    // one core
}

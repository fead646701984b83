// A quick unit multiplies, and only a slow one, which multiplies as well, requantises: who gets the products?
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/numerics/added_sums.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t apart_seed = 31;

std::int64_t cycles_of(const RunReport& report, const std::string& capability) {
  std::int64_t cycles = 0;
  for (const auto& layer : report.layers) cycles += layer.capability == capability ? layer.cycles : 0;
  return cycles;
}

}  // namespace

TEST_CASE("does the quick unit get the products though their sums pass off-chip memory") {
  const Architecture architecture = described("sums_apart");
  const auto job = run_checked(architecture,
                               network_of(apart_seed,
                                          [](auto& b) {
                                            return b.gemm(b.input({64, 256}), 128);
                                          }),
                               apart_seed);
  CHECK(cycles_of(job.report, "mla") == 0);
  // The slow unit's own cycles for 64 x 256 x 128 products, 16 at a time.
  CHECK(cycles_of(job.report, "smopa") + cycles_of(job.report, "quant") < 64 * 256 * 128 / 16 / 4);
}

TEST_CASE("does one unit do both where the sums' way costs more than it saves") {
  const Architecture architecture = described("sums_apart");
  const auto job = run_checked(architecture,
                               network_of(apart_seed,
                                          [](auto& b) {
                                            return b.gemm(b.input({1, 8}), 24);
                                          }),
                               apart_seed);
  CHECK(cycles_of(job.report, "smopa") == 0);
}

TEST_CASE("is a second tensor added to sums only where the unit that does the products keeps them") {
  CHECK(added_sums(described("sums_elsewhere")) == AddedSums::none);
  for (const char* name : {"gemmini16", "hvx", "bf16npu", "genesys"}) {
    CAPTURE(std::string(name));
    CHECK(added_sums(shipped(name)) != AddedSums::none);
  }
  // A vector unit that multiplies, too, but one element a cycle, is not who decides.
  Architecture slow = described("sums_elsewhere");
  slow.units.push_back(
      slow.units[static_cast<std::size_t>(std::ranges::find(slow.units, "sa", &Unit::name) - slow.units.begin())]);
  Unit& copy = slow.units.back();
  for (auto& dim : copy.capabilities[0].dims) dim.maximum = 1;
  const auto vector = std::ranges::find(slow.units, "vu", &Unit::name);
  copy.capabilities[0].operands[2].memory = vector->capabilities[0].operands[0].memory;
  CHECK(added_sums(slow) == AddedSums::none);
}

TEST_CASE("does what sets its sums before it adds rows add no second tensor to others") {
  const std::string text = replaced(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/sums_elsewhere.yaml"),
                                    "c: {in: acc,", "c: {in: vm,");
  CHECK(added_sums(loaded(text)) == AddedSums::per_channel);
  const std::string sets =
      replaced(text, "does: \"c[r,q] += fp32(x[r,q])\"", "does: [\"c[r,q] = 0\", \"c[r,q] += fp32(x[r,q])\"]");
  CHECK(added_sums(loaded(sets)) == AddedSums::none);
}

TEST_CASE("are sums right to which another unit, in another memory, would add a second tensor") {
  const Architecture architecture = described("sums_elsewhere");
  for (const bool image : {false, true}) {
    CAPTURE(image);
    run_checked(architecture,
                network_of(apart_seed,
                           [&](auto& b) {
                             if (image) return b.add(b.conv(b.input({1, 16, 4, 4}), 8, 1), b.input({1, 8, 4, 4}));
                             return b.add(b.gemm(b.input({4, 16}), 8), b.input({4, 8}));
                           }),
                apart_seed);
  }
}

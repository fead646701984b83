// Do parts of divided work keep out of each other's way: in memories that some of them pass through, in units that
// several of them use?
#include <doctest/doctest.h>

#include <array>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t together_seed = 31;

/// Verified, without a hazard.
void run_conv(const std::string& machine, const Shape& input, std::int64_t filters) {
  const auto conv = [&](auto& b) { return b.conv(b.input(input), filters, 1); };
  run_checked(described(machine), network_of(together_seed, conv), together_seed);
}

}  // namespace

TEST_CASE("do weights of all cores get to one buffer through memories of their own") {
  run_conv("shared_weights", {2, 96, 11, 12}, 8);
}

TEST_CASE("is what a unit holds loaded anew where cores take turns at it") {
  run_conv("shared_post_unit", {1, 64, 9, 9}, 32);
}

TEST_CASE("does a mover that holds an operand keep the order in which it was loaded") {
  run_conv("holding_mover", {1, 24, 15, 15}, 48);
}

TEST_CASE("do parts without work begin no sums where initial values come to all at once") {
  for (const auto& [rows, sums, columns] : {std::array{5, 8, 17}, {5, 9, 65}, {5, 32, 17}, {5, 65, 1}}) {
    CAPTURE(sums);
    const auto gemm = [&](auto& b) { return b.gemm(b.input({rows, sums}), columns); };
    run_checked(described("tile_array"), network_of(together_seed, gemm), together_seed);
  }
}

#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {
constexpr std::uint64_t change_seed = 7;

void check_some_networks(const Architecture& architecture) {
  const auto networks = small_networks(change_seed);
  for (const std::size_t i : {0U, 3U, 6U, 7U}) {
    CAPTURE(networks[i].name);
    run_checked(architecture, networks[i].network, change_seed);
  }
}

}  // namespace

TEST_CASE("does another array size run without a rebuild") {
  for (const std::string dim : {"8", "32", "64"}) {
    CAPTURE(dim);
    check_some_networks(machine("gemmini16", {{"dim", dim}}));
  }
}

TEST_CASE("does half the scratchpad still do") { check_some_networks(machine("gemmini16", {{"spad_kib", "128"}})); }

TEST_CASE("do other opcodes give another binary that still runs") {
  check_some_networks(loaded(edited("gemmini16", "opcode: 15", "opcode: 99")));
}

TEST_CASE("does another kind of sync still keep the order") {
  SUBCASE("in order") {
    check_some_networks(loaded(edited("gemmini16", "sync: {interlock: {entries: 28}}", "sync: in_order")));
  }
  SUBCASE("semaphores") {
    check_some_networks(loaded(edited("gemmini16", "sync: {interlock: {entries: 28}}", "sync: {semaphores: 16}")));
  }
}

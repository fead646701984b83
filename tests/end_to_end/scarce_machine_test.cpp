// Do predictions know what a machine has little of?
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

const std::vector<std::pair<std::string, std::string>> scarce = {
    {"entries: 28", "entries: 1"},
    {"entries: 28", "entries: 3"},
    {"banks: 2, word: \"${4 * dim} B\", ports: {read: 1, write: 1}", "word: \"${4 * dim} B\", ports: {shared: 1}"},
    {"banks: 4, word: \"${dim} B\", ports: {read: 1, write: 1}", "word: \"${dim / 4} B\", ports: {read: 1, write: 1}"},
};

}  // namespace

TEST_CASE("are layers predicted where few operations are under way at a time, or ports are few") {
  constexpr double allowed = 0.1;
  for (const auto& [usual, little] : scarce) {
    CAPTURE(little);
    const Architecture machine = loaded(edited("gemmini16", usual, little));
    const Network network =
        quantise(network_of(19,
                            [](auto& b) {
                              return b.gemm(b.flatten(b.conv(b.input({1, 32, 14, 14}), 48, 3, 1, 1)), 24);
                            }),
                 machine.numerics, {});
    const auto runs = layer_runs(machine, network);
    for (const auto& [name, run] : runs) {
      CAPTURE(name);
      CAPTURE(run.predicted);
      CAPTURE(run.simulated);
      CHECK(std::abs(run.error()) < allowed);
    }
    CHECK(runs.size() == 2);
  }
}

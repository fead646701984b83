// Where operands reach the registers directly and through a memory that cores share, is the quicker way taken? Do rows
// come through it as they lie off chip?
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "compiler/compilation.h"
#include "compiler/explore.h"
#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t ways_seed = 29;

/// `three_memories` with a mover of few requests that also comes from off-chip memory right to the registers.
Architecture with_direct_way() {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/three_memories.yaml");
  const std::string ld = "  ld: {kind: mover,";
  text = replaced(text, ld, "  dl: {kind: mover, request: 128 B, in_flight: 2, routes: [dram -> rf]}\n" + ld);
  const std::string mnemonic = "    ld_in: {means: {transfer: \"ld.sm->rf\"}, opcode: 5,";
  const auto at = text.find(mnemonic);
  REQUIRE(at != std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at + 1);
  return loaded(text.insert(
      at, replaced(replaced(replaced(line, "ld_in", "dl_in"), "ld.sm->rf", "dl.dram->rf"), "opcode: 5", "opcode: 9")));
}

std::int64_t cycles_taken(const Architecture& architecture, const Network& network) {
  return run_checked(architecture, network, ways_seed).report.total_cycles;
}

}  // namespace

TEST_CASE("is a machine with one way more as quick as without it") {
  const Architecture with = with_direct_way();
  const Architecture without =
      loaded(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/three_memories.yaml"));
  for (const auto& [rows, sum, results] :
       {std::tuple{64, 256, 128}, std::tuple{96, 96, 96}, std::tuple{16, 512, 64}, std::tuple{1, 33, 27}}) {
    CAPTURE(rows);
    CAPTURE(sum);
    CAPTURE(results);
    const Network network = product(ways_seed, rows, sum, results);
    CHECK(static_cast<double>(cycles_taken(with, network)) <
          1.05 * static_cast<double>(cycles_taken(without, network)));
  }
}

TEST_CASE("do rows reach a memory tile whole, whatever blocks the units want") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/memory_tile.yaml");
  const auto image = [](NetworkBuilder& b) { return b.conv(b.input({1, 32, 28, 28}), 32, 1); };
  const Network network = network_of(ways_seed, image);
  run_checked(loaded(text), network, ways_seed);
  const Architecture architecture = loaded(text);
  const Network numeric = quantise(network, architecture.numerics, {});
  const CompileOptions options;
  Compilation compilation(architecture, numeric, options);
  int mapped = 0;
  for (const LayerChoices& layer : explore(compilation)) {
    if (layer.choices.empty()) continue;
    ++mapped;
    const Mapping& best = layer.choices.front().mapping;
    CHECK(std::ranges::any_of(best.uses, &Use::as_home));
    const std::string explained = mapping_text(compilation.machine, layer.plan.work, best);
    CHECK(explained.find("on the way as off chip: ") != std::string::npos);
  }
  CHECK(mapped > 0);
}

TEST_CASE("are rows predicted as they come where their image is part of another, which has others between them") {
  const Architecture architecture = described("memory_tile");
  const Network network = network_of(ways_seed, [](NetworkBuilder& b) {
    const TensorId x = b.input({1, 32, 32, 32});
    const TensorId part = b.conv(x, 24, 1);
    return b.add(b.conv(part, 32, 1), b.concat({part, b.conv(x, 8, 1)}));
  });
  const Network numeric = quantise(network, architecture.numerics, {});
  for (const NamedRun& layer : layer_runs(architecture, numeric)) {
    CAPTURE(layer.name);
    CHECK(std::abs(layer.run.error()) < 0.3);
  }
}

// Do sums lie side by side in words that hold several rows of them?
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

TEST_CASE("are registers of longer words no slower, however few") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/three_memories.yaml");
  const Network network = product(31, 96, 96, 96);
  const auto taken = [&](const std::string& word) {
    const std::string registers = "capacity: 8 KiB, word: " + word;
    return static_cast<double>(
        run_checked(loaded(replaced(text, "capacity: 32 KiB, word: 64 B", registers)), network, 31)
            .report.total_cycles);
  };
  const double rows = taken("64 B");
  CHECK(taken("256 B") < 1.05 * rows);
  CHECK(taken("512 B") < 1.05 * rows);
}

TEST_CASE("are tiles without gaps named once, those that hold no operand, too") {
  const Architecture architecture = machine("gemmini16");
  const Network numeric = quantise(product(31, 32, 32, 32), architecture.numerics, {});
  const CompileOptions options;
  Compilation compilation(architecture, numeric, options);
  const auto layers = explore(compilation);
  const auto placed = std::ranges::find_if(layers, [](const LayerChoices& one) { return !one.choices.empty(); });
  REQUIRE(placed != layers.end());
  const LayerChoices& layer = *placed;
  Mapping mapping = layer.choices.front().mapping;
  for (Use& use : mapping.uses) use.dense = true;
  mapping.uses.front().access.operand = -1;
  mapping.uses.front().filled = true;
  const std::string text = mapping_text(compilation.machine, layer.plan.work, mapping);
  const std::string line = text.substr(text.find("without gaps on chip: "));
  CHECK(line.find("equal values") < line.find('\n'));
  const Use& last = mapping.uses.back();
  const std::string name = work_of(layer.plan.work, mapping).program.operands[last.access.operand].name;
  const auto first = line.find(name);
  CHECK(first < line.find('\n'));
  CHECK(line.find(" " + name + ",", first + 1) > line.find('\n'));
}

#include "dram_parts.h"

#include <doctest/doctest.h>

#include <fstream>

#include "archdsl/check/load.h"
#include "tests/scratch.h"

namespace accord::test {

Memory memory_of(const std::string& part, const std::string& more) {
  const Scratch file(part + ".yaml");
  std::ofstream(file.path) << "accord: 1\nextends: gemmini16.yaml\nname: with_" << part << "\ntables: {part: parts/"
                           << part << ".yaml}\ncomponents:\n  dram: {word: ~, dram: {part: part" << more << "}}\n";
  const LoadResult loaded = load_architecture(file.path);
  for (const Diagnostic& diagnostic : loaded.diagnostics) INFO(diagnostic.message);
  REQUIRE(loaded.architecture);
  return loaded.architecture->memories[0];
}

Dram without_refresh(Dram part) {
  part.refi = 0;
  return part;
}

}  // namespace accord::test

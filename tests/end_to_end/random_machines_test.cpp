#include "tests/end_to_end/random_machines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/files.h"
#include "tests/end_to_end/machines.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

/// To the folder that ACCORD_RANDOM_KEEP names, else to nobody.
void keep(const std::string& covenant, const std::string& name, std::uint64_t seed) {
  const char* folder = std::getenv("ACCORD_RANDOM_KEEP");
  if (folder != nullptr) write_text(std::string(folder) + "/" + name + "_" + std::to_string(seed) + ".yaml", covenant);
}

bool loads(const std::string& covenant, LoadResult& loaded) {
  loaded = load_text(covenant);
  return loaded.architecture.has_value();
}

}  // namespace

TEST_CASE("do changed machines get random networks right") {
  // More of each machine, or others.
  const std::uint64_t first = first_seed(), count = asked("ACCORD_RANDOM_MACHINES", 2);
  int ran = 0, drawn = 0;
  for (const auto& name : shipped_names()) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      ++drawn;
      LoadResult loaded;
      const std::string covenant = random_covenant(name, seed);
      keep(covenant, name, seed);
      if (!loads(covenant, loaded)) continue;
      ran += runs_random_network(*loaded.architecture, name, seed) ? 1 : 0;
    }
  }
  MESSAGE("seeds from ", first, ": ", ran, " of ", drawn, " machines ran");
  CHECK(4 * ran > drawn);
}

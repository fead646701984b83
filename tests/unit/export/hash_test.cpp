// Does an architecture's hash tell machines apart that differ in one param?
#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <set>

#include "archdsl/check/load.h"
#include "archdsl/export/show.h"
#include "tests/shipped.h"
#include "tests/unit/export/machines.h"

using namespace accord;

namespace {

/// Other values that the param may have: those listed, or the ends of its range.
std::set<std::string> others(const YAML::Node& param) {
  std::set<std::string> found;
  for (const char* const key : {"values", "range"}) {
    for (const auto& value : param[key]) found.insert(value.as<std::string>());
  }
  found.erase(param["value"].as<std::string>());
  return found;
}

}  // namespace

TEST_CASE("every param of a shipped machine is told by the hash") {
  const std::filesystem::path folder = std::filesystem::path(ACCORD_SOURCE_DIR) / "configs/accelerators";
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string path = file.path().string(), own = load_file(file.path()).hash;
    for (const auto& param : YAML::LoadFile(path)["params"]) {
      const std::string name = param.first.as<std::string>();
      std::map<std::string, std::string> seen = {{own, "as it is"}};
      for (const auto& value : others(param.second)) {
        CAPTURE(path);
        CAPTURE(name);
        CAPTURE(value);
        const LoadResult loaded = load_architecture(path, {{name, value}});
        if (!loaded.architecture) continue;
        CHECK(seen.emplace(loaded.architecture->hash, value).second);
        ++compared;
      }
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("a link's stated bandwidth stands in the resolved data") {
  const Architecture slow = shipped("bf16npu", {{"bandwidth", "50 GB/s"}});
  const Architecture quick = shipped("bf16npu", {{"bandwidth", "100 GB/s"}});
  CHECK(slow.hash != quick.hash);
  CHECK(to_json(quick).find("\"bytes_per_second\": 100000000000") != std::string::npos);
}

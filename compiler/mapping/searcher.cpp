#include "compiler/mapping/searcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archdsl/source/error.h"
#include "compiler/mapping/default_searcher.h"
#include "compiler/mapping/exhaustive_searcher.h"
#include "compiler/mapping/random_searcher.h"

namespace accord {
namespace {

struct Entry {
  const char* name;
  std::shared_ptr<const Searcher> (*make)(std::uint64_t seed);
};

constexpr Entry searchers[] = {
    {"default", [](std::uint64_t) -> std::shared_ptr<const Searcher> { return std::make_shared<DefaultSearcher>(); }},
    {"exhaustive",
     [](std::uint64_t) -> std::shared_ptr<const Searcher> { return std::make_shared<ExhaustiveSearcher>(); }},
    {"random",
     [](std::uint64_t seed) -> std::shared_ptr<const Searcher> { return std::make_shared<RandomSearcher>(seed); }},
};

}  // namespace

std::vector<std::string> searcher_names() {
  std::vector<std::string> names;
  for (const auto& entry : searchers) names.emplace_back(entry.name);
  return names;
}

std::shared_ptr<const Searcher> make_searcher(const std::string& name, std::uint64_t seed) {
  for (const auto& entry : searchers) {
    if (name == entry.name) return entry.make(seed);
  }
  throw Error(fmt::format("no searcher is called {}: {}", name, fmt::join(searcher_names(), ", ")));
}

}  // namespace accord

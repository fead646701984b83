#include "archdsl/tensor/statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/source/error.h"

namespace accord {

std::vector<int> iterators_of(const Statement& statement) {
  std::vector<int> found;
  const auto collect = [&](const Access& access) {
    for (const AffineIndex& index : access.indices)
      for (const auto& [iterator, coefficient] : index.terms) found.push_back(iterator);
  };
  collect(statement.target);
  for (const Access& access : statement.accesses) collect(access);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool looks_up(const Statement& statement) {
  const auto has_lookup = [](const Access& access) { return !access.lookups.empty(); };
  return has_lookup(statement.target) || std::ranges::any_of(statement.accesses, has_lookup);
}

std::int64_t looked_up_index(std::int64_t value, std::int64_t extent) {
  const std::int64_t index = value < 0 ? value + extent : value;
  if (index < 0 || index >= extent) throw Error(fmt::format("index {} is beyond an extent of {}", value, extent));
  return index;
}

}  // namespace accord

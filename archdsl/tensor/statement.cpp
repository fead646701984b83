#include "archdsl/tensor/statement.h"

#include <algorithm>

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

}  // namespace accord

#include "compiler/mapping/fills.h"

namespace accord {

std::vector<std::vector<bool>> dependences(const Mapping& mapping) {
  std::vector<std::vector<bool>> result(mapping.uses.size());
  for (std::size_t u = 0; u < result.size(); ++u) {
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      result[u].push_back(depends(mapping.uses[u].access, static_cast<int>(it)));
    }
  }
  return result;
}

Fills::Fills(const Mapping& mapping, const std::vector<std::vector<bool>>& depends) : mapping_(mapping) {
  struct Loop {
    int level = 0;
    std::size_t iterator = 0;
    std::int64_t trips = 0;
  };
  std::vector<Loop> loops;  // that turn more than once, outermost first
  loops.reserve(mapping.extent.size() * static_cast<std::size_t>(mapping.levels));
  for (int level = 0; level < mapping.levels; ++level) {
    for (const int it : mapping.order[level]) {
      const std::int64_t turns = trips(mapping, level, it);
      if (turns > 1) loops.push_back({level, static_cast<std::size_t>(it), turns});
    }
  }
  fills_.reserve(mapping.uses.size() * static_cast<std::size_t>(mapping.levels));
  for (const auto& relevant : depends) {
    std::int64_t all = 1, until_relevant = 1;
    auto loop = loops.begin();
    for (int level = 0; level < mapping.levels; ++level) {
      for (; loop != loops.end() && loop->level == level; ++loop) {
        all *= loop->trips;
        if (relevant[loop->iterator]) until_relevant = all;
      }
      fills_.push_back(until_relevant);
    }
  }
}

}  // namespace accord

#include "compiler/mapping/fills.h"

#include <iterator>

namespace accord {

Dependences dependences(const Mapping& mapping) {
  Dependences result(mapping.uses.size());
  for (std::size_t u = 0; u < result.size(); ++u) {
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      result[u].push_back(depends(mapping.uses[u].access, static_cast<int>(it)));
    }
  }
  return result;
}

Fills::Fills(const Mapping& mapping, const Dependences& depends) : mapping_(mapping) {
  struct Loop {
    int level = 0;
    std::size_t iterator = 0;
    std::int64_t trips = 0;
  };
  using Loops = boost::container::small_vector<Loop, 16>;
  Loops loops;  // that turn more than once, outermost first
  for (int level = 0; level < mapping.levels; ++level) {
    for (const int it : mapping.order[level]) {
      const std::int64_t turns = trips(mapping, level, it);
      if (turns > 1) loops.push_back({level, static_cast<std::size_t>(it), turns});
    }
  }
  const auto inner = std::ranges::find_if(loops, [](const Loop& loop) { return loop.level > 0; });
  for (std::size_t u = 0; u < depends.size(); ++u) {
    const auto& relevant = depends[u];
    const bool keeps = !mapping.rolls && mapping.uses[u].role == UseRole::input && !mapping.copies.empty();
    const std::int64_t copies = keeps ? mapping.copies[u].front() : 1;
    std::int64_t tiles = 1, again = 1;
    Round round;
    for (auto loop = Loops::reverse_iterator(inner); loop != loops.rend(); ++loop) {
      if (relevant[loop->iterator]) {
        tiles *= loop->trips;
      } else if (tiles > copies) {
        again *= loop->trips;
      } else if (tiles > 1) {
        round = {tiles, round.passes * loop->trips};
      }
    }
    rounds_.push_back(round);
    again_.push_back(again);
    fills_.push_back(tiles * again);
    std::int64_t all = 1, until_relevant = 1;
    auto loop = loops.begin();
    for (int level = 0; level < mapping.levels; ++level) {
      for (; loop != loops.end() && loop->level == level; ++loop) {
        all *= loop->trips;
        if (relevant[loop->iterator]) until_relevant = all;
      }
      if (level > 0) fills_.push_back(until_relevant);
    }
  }
}

double Fills::exposed(int use, double times, double cycles, double busy) const {
  const Round& one = round(use);
  if (one.passes == 1) return 0;
  const auto tiles = static_cast<double>(one.tiles);
  const double rounds = times / tiles, pass = busy / rounds / static_cast<double>(one.passes);
  const double spare = copies(use, 0) / tiles - 1, all = cycles / rounds;
  const double first = std::max(all * (1 - 1 / tiles) - pass, 0.0);
  const double others = std::max(all * std::max(1 - spare, 0.0) - pass, 0.0);
  return first + (rounds - 1) * others;
}

}  // namespace accord

#include "compiler/mapping/site_tiles.h"

#include <algorithm>

namespace accord {

bool SiteTiles::add(const Site& site) {
  std::map<int, Tiles> here;
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    for (int level = first_level(use); level < use.depth; ++level) {
      here[memory_at(architecture_, use, site.uses[u], level)].insert({u, level});
    }
  }
  const auto differs = [&](const auto& entry) {
    const auto known = known_.find(entry.first);
    return known != known_.end() && known->second != entry.second;
  };
  if (std::ranges::any_of(here, differs)) return false;
  known_.merge(here);
  return true;
}

}  // namespace accord

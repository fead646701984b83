#pragma once

#include <map>
#include <set>
#include <utility>

#include "compiler/mapping/elements.h"

namespace accord {

/// Which tiles of a mapping lie in each memory on chip, over all sites on which it runs. Parts of divided work find
/// room for their own tiles: wherever they share a memory, they must know of the same ones.
class SiteTiles {
 public:
  SiteTiles(const Architecture& architecture, const Mapping& mapping)
      : architecture_(architecture), mapping_(mapping) {}

  /// Adds a site; false, and nothing is added, where one of its memories holds other tiles on another site.
  bool add(const Site& site);

 private:
  using Tiles = std::set<std::pair<std::size_t, int>>;  ///< use and level
  const Architecture& architecture_;
  const Mapping& mapping_;
  std::map<int, Tiles> known_;  ///< by memory
};

}  // namespace accord

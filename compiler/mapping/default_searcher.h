#pragma once

#include "compiler/mapping/searcher.h"

namespace accord {

/// A `TileSearch` for the assignments of each capability with the least compute bound and for some simple ones, a
/// longer one for those that come near the quickest.
class DefaultSearcher : public Searcher {
 public:
  SearchResult search(const SearchProblem& problem) const override;
  bool leaves_choice() const override { return true; }
};

}  // namespace accord

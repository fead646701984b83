#pragma once

#include "compiler/mapping/searcher.h"

namespace accord {

/// `best_tilings` for the assignments of each capability with the least compute bound.
class DefaultSearcher : public Searcher {
 public:
  SearchResult search(const SearchProblem& problem) const override;
  bool leaves_choice() const override { return true; }
};

}  // namespace accord

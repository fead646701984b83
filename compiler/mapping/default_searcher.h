#pragma once

#include "compiler/mapping/searcher.h"

namespace accord {

/// `choose_tiles` for the assignments of each capability with the least compute bound.
class DefaultSearcher : public Searcher {
 public:
  SearchResult search(const SearchProblem& problem) const override;
};

}  // namespace accord

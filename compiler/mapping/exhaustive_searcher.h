#pragma once

#include "compiler/mapping/searcher.h"

namespace accord {

/// Evaluates every tiling, loop order and choice of copies of every assignment whose compute bound does not exceed
/// what was found already. Throws Error where they are more than `limit` together.
class ExhaustiveSearcher : public Searcher {
 public:
  /// `kept`: mappings of each assignment that the result holds, best first.
  explicit ExhaustiveSearcher(std::size_t kept = 1, std::int64_t limit = 2'000'000) : kept_(kept), limit_(limit) {}
  SearchResult search(const SearchProblem& problem) const override;

 private:
  std::size_t kept_;
  std::int64_t limit_;
};

}  // namespace accord

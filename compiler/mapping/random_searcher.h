#pragma once

#include "compiler/mapping/searcher.h"

namespace accord {

/// Draws a legal mapping of every assignment, and an order of the assignments, from a seed: what tests feed to the
/// later passes. Predicted cycles are set but nothing is chosen by them.
class RandomSearcher : public Searcher {
 public:
  explicit RandomSearcher(std::uint64_t seed) : seed_(seed) {}
  SearchResult search(const SearchProblem& problem) const override;

 private:
  std::uint64_t seed_;
};

}  // namespace accord

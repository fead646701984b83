#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "compiler/mapping/cost_model.h"

namespace accord {

/// One layer whose mapping is wanted.
struct SearchProblem {
  const Machine& machine;
  const Network& network;
  const Work& work;
  const Homes& homes;
  const std::vector<Mapping>& assignments;  ///< from `candidates`, least compute bound first; tiles are a hint
  const CostModel& cost;
  double known = std::numeric_limits<double>::infinity();  ///< cycles of what there is: only less is of use

  /// The same layer with other assignments, where so many cycles are known.
  SearchProblem of(const std::vector<Mapping>& others, double cycles) const {
    return {machine, network, work, homes, others, cost, cycles};
  }
};

/// What a search leaves.
struct SearchResult {
  struct Found {
    std::size_t assignment = 0;
    Mapping mapping;  ///< with tiles, order, copies and predicted cycles
  };
  struct Refused {
    std::size_t assignment = 0;
    std::string reason;
  };
  std::vector<Found> found;      ///< fewest predicted cycles first
  std::vector<Refused> refused;  ///< assignments of which nothing was found
};

/// Chooses tiles, loop order and copies of a layer's assignments. Whatever it finds must pass `verify` (verify.h),
/// which knows no searcher. Deterministic: the same problem gives the same result.
class Searcher {
 public:
  virtual ~Searcher() = default;
  virtual SearchResult search(const SearchProblem& problem) const = 0;
  /// Whether the schedule may choose among what it found, and around it; else the mapping found first is meant.
  virtual bool leaves_choice() const { return false; }
};

/// Names for `--searcher`.
std::vector<std::string> searcher_names();

/// default: a local search for the most promising assignments. exhaustive: all tilings of all assignments, an Error
/// where they are too many. random: legal mappings drawn from `seed`. Throws Error for another name.
std::shared_ptr<const Searcher> make_searcher(const std::string& name, std::uint64_t seed = 0);

}  // namespace accord

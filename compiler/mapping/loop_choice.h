#pragma once

#include <limits>
#include <string>
#include <vector>

#include "compiler/mapping/cost.h"

namespace accord {

/// A loop order and copies for some tiles, and what they cost.
struct LoopChoice {
  double cycles = std::numeric_limits<double>::infinity();
  std::vector<std::vector<int>> order;
  Copies copies;
  bool legal() const { return !order.empty(); }
};

/// What the best choices for some tiles are.
struct LoopChoices {
  std::string error;   ///< why nothing is legal
  LoopChoice plain;    ///< with few copies of tiles
  LoopChoice keeping;  ///< with as many as keep some on chip, where that is worth it
  const LoopChoice& best() const { return keeping.cycles < plain.cycles ? keeping : plain; }
};

/// As many copies of all inputs' tiles, and as many of all results'.
struct FewCopies {
  int inputs = 1, results = 1;
  Copies copies;
};

/// Finds the best loop orders and copies for the tiles of a mapping.
class LoopChooser {
 public:
  /// `mapping` is changed on the way; `geometry` is of it.
  LoopChooser(const Machine& machine, Geometry& geometry, const Work& work, Mapping& mapping);

  /// For the mapping's tiles.
  LoopChoices choose();

 private:
  using Order = std::vector<std::vector<int>>;

  /// What a loop order takes at least with at most so many copies of inputs' tiles, which may stay for it.
  struct Seen {
    Order order;
    int inputs = 0;
    double least = 0;
  };

  void set_order();
  void try_orders();
  void consider();
  LoopChoice try_keeping();
  std::vector<std::vector<int>> orders(int level) const;
  bool hopeless() const;
  void saw(double least);

  const Machine& machine_;
  Geometry& geometry_;
  const Work& work_;
  Mapping& mapping_;
  std::vector<FewCopies> copies_;      ///< to choose from, fewest bytes first
  const FewCopies* copied_ = nullptr;  ///< those at hand
  LoopChoices now_;                    ///< for the tiles at hand
  std::vector<Seen> seen_;             ///< legal ones of these
};

}  // namespace accord

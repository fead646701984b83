#pragma once

#include <array>
#include <map>
#include <optional>

#include "compiler/fusion/estimate.h"

namespace accord {

struct ChainCost {
  double cycles = 0;
  double off_chip_bytes = 0;
};

/// What a chain may cost at worst.
inline ChainCost doubted(const FusionProblem& problem, const ChainCost& cost) {
  return {cost.cycles * (1 + problem.doubt), cost.off_chip_bytes};
}

/// Identity of a chain among those tried: first and last layer, strips.
using ChainKey = std::array<int, 3>;
inline ChainKey key_of(const Chain& chain) { return {chain.first, chain.last, chain.asked}; }

/// Divides the layers into chains and layers apart, so that time, and the time that the off-chip bytes take up on their
/// link, are least: even where computation hides it, it is energy, and lost to whoever shares the memory. What chains
/// cost is estimated at first, by their traffic, their repeated work and their room; who realises one tells what it
/// really costs, and what its layers do, which corrects the estimates of other chains that keep the same of a layer.
class Partitioner {
 public:
  explicit Partitioner(const FusionProblem& problem);

  /// The chains that promise to cost least in all; every layer is in one at most.
  std::vector<Chain> chains();

  /// A chain's cost is known; nothing where it cannot be.
  void settle(const Chain& chain, std::optional<ChainCost> cost) { settled_[key_of(chain)] = cost; }
  /// So many cycles it takes to compute a part (0..1) of the rows that the chain's strips compute of the layer;
  /// infinite where that cannot be, however many strips there are. For chains that were promised.
  void learn(const Chain& chain, int layer, double cycles, double rows);
  /// Chains that are not settled are left out from now on.
  void close() { closed_ = true; }
  /// A cycle weighs as much as so many cycles of the off-chip link.
  void weigh_time(double weight) { weight_ = weight; }

  /// What the layers `first`..`last` cost apart.
  ChainCost apart(int first, int last) const;
  /// What the chain promises to spare, or does if it is settled.
  double saving(const Chain& chain);

 private:
  std::optional<Chain> chain(const ChainKey& key);
  std::optional<ChainCost> cost_of(const ChainKey& key);
  double weighed(const ChainCost& cost) const;
  using Kept = std::vector<bool>;  ///< whether a layer's result stays on chip, and each input that layers make
  bool keeps(int layer, int first, int last) const;
  Kept kept(int layer, int first, int last) const;
  double correction(int layer, const ChainKey& key) const;
  std::optional<ChainCost> corrected(const ChainEstimate& estimate, const ChainKey& key) const;

  const FusionProblem& problem_;
  std::vector<ChainLayer> chain_layers_;
  std::vector<std::vector<int>> makers_;  ///< per layer those that make its inputs
  std::map<ChainKey, std::optional<ChainEstimate>> estimates_;
  std::map<ChainKey, std::optional<ChainCost>> settled_;
  /// Per layer, by what is kept and the number of strips: cycles over those estimated.
  std::vector<std::map<Kept, std::map<int, double>>> learnt_;
  double weight_ = 1;
  bool closed_ = false;
};

}  // namespace accord

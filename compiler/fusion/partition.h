#pragma once

#include <array>
#include <map>
#include <optional>

#include "compiler/fusion/chain.h"
#include "compiler/fusion/keeper.h"
#include "compiler/fusion/off_chip_traffic.h"
#include "compiler/mapping/homes.h"

namespace accord {

/// A layer as it would run alone.
struct LayerFacts {
  const Work* work = nullptr;
  const std::vector<Mapping>* assignments = nullptr;  ///< best first; empty: not on the machine, or divided
  TensorId result = no_tensor;                        ///< its one visible result
  int last_reader = -1;                               ///< layer; past all layers for the network's outputs
  double cycles = 0;                                  ///< predicted
  double inner_cycles = 0;                            ///< of its busiest unit, but for moving off-chip bytes
  OffChipTraffic traffic;
  double constant_bytes = 0;  ///< of its constants, each once
};

/// What the choice of chains rests on.
struct FusionProblem {
  const Architecture& architecture;
  const Network& network;
  const Homes& homes;
  std::vector<LayerFacts> layers;
  std::vector<Keeper> keepers;  ///< per tensor
  double off_chip_width = 1;    ///< bytes per cycle
  double doubt = 0;             ///< part of a chain's cycles that its prediction may have missed
};

struct ChainCost {
  double cycles = 0;
  double off_chip_bytes = 0;
};

/// What a chain may cost at worst.
inline ChainCost doubted(const FusionProblem& problem, const ChainCost& cost) {
  return {cost.cycles * (1 + problem.doubt), cost.off_chip_bytes};
}

/// The home on chip of a stretch of a tensor: the whole one's margins where the stretch reaches its ends.
Home stretch_home(const FusionProblem& problem, TensorId tensor, int index, Positions range);

/// Identity of a chain among those tried: first and last layer, strips.
using ChainKey = std::array<int, 3>;
inline ChainKey key_of(const Chain& chain) { return {chain.first, chain.last, chain.asked}; }

/// Divides the layers into chains and layers apart, so that time, and the time that the off-chip bytes take up on their
/// link, are least: even where computation hides it, it is energy, and lost to whoever shares the memory. What chains
/// cost is estimated at first, by their traffic, their repeated work and their room; who realises one tells what it
/// really costs.
class Partitioner {
 public:
  explicit Partitioner(const FusionProblem& problem);

  /// The chains that promise to cost least in all; every layer is in one at most.
  std::vector<Chain> chains();

  /// A chain's cost is known; nothing where it cannot be.
  void settle(const Chain& chain, std::optional<ChainCost> cost) { settled_[key_of(chain)] = cost; }
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

  const FusionProblem& problem_;
  std::vector<ChainLayer> chain_layers_;
  std::map<ChainKey, std::optional<ChainCost>> estimates_, settled_;
  double weight_ = 1;
  bool closed_ = false;
};

}  // namespace accord

#pragma once

#include <array>
#include <set>

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
};

/// Time, and the time that the off-chip bytes take up on their link: even where computation hides it, it is energy, and
/// lost to whoever shares the memory.
double cost(const FusionProblem& problem, double cycles, double off_chip_bytes);

/// Whether the chain takes hardly more time than its layers apart: bytes are saved, but not at any price.
bool quick_enough(const FusionProblem& problem, const Chain& chain, double cycles);

/// The home on chip of a stretch of a tensor: the whole one's margins where the stretch reaches its ends.
Home stretch_home(const FusionProblem& problem, TensorId tensor, int index, Range range);

/// Identity of a chain among those tried: first and last layer, strips.
using ChainKey = std::array<int, 3>;

/// Chains that promise to cost least in all, by estimates of their traffic, their repeated work and their room; every
/// layer is in one at most. `refused` ones are left out. Estimates only: who realises a chain decides.
std::vector<Chain> partition(const FusionProblem& problem, const std::set<ChainKey>& refused);

}  // namespace accord

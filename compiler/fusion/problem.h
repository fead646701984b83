#pragma once

#include "compiler/fusion/keeper.h"
#include "compiler/fusion/off_chip_traffic.h"
#include "compiler/fusion/slice.h"
#include "compiler/mapping/homes.h"

namespace accord {

/// A layer as it would run alone, and what is known of it for chains. A layer that runs quickest divided over several
/// elements is in chains so where all of them reach what is kept, else as one of them does it.
struct LayerFacts {
  const Work* work = nullptr;
  const std::vector<Mapping>* assignments = nullptr;  ///< best first; empty: not on the machine, or always divided
  TensorId result = no_tensor;                        ///< its one visible result
  int last_reader = -1;                               ///< layer; past all layers for the network's outputs
  double alone_cycles = 0;                            ///< predicted, divided or not
  double alone_bytes = 0;                             ///< off chip, the same
  double cycles = 0;                                  ///< predicted, as it is in chains, as the rest
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

/// The home on chip of a stretch of a tensor: the whole one's margins where the stretch reaches its ends.
Home stretch_home(const FusionProblem& problem, TensorId tensor, int index, Positions range);

}  // namespace accord

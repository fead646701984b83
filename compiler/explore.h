#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "compiler/compilation.h"
#include "compiler/mapping/traffic.h"

namespace accord {

/// One way of running a layer, as the searcher left it.
struct LayerChoice {
  Mapping mapping;     ///< without tiles where it was refused
  bool found = false;  ///< the searcher gave it tiles
  std::string reason;  ///< why it was refused
  Cost cost;           ///< of the found ones
  Traffic traffic;
  std::vector<std::int64_t> footprint;  ///< per memory: bytes of all tiles with their copies
};

/// A layer and all assignments of its loops.
struct LayerChoices {
  std::string name, op;
  LayerPlan plan;                     ///< as `place` left it; its mappings are in `choices`
  std::vector<LayerChoice> choices;   ///< found ones first, fewest predicted cycles first
  std::vector<Rejection> rejections;  ///< capabilities that cannot do the main statement
  /// Predicted cycles of the best division over several elements; infinite: none was tiled.
  double divided = std::numeric_limits<double>::infinity();
};

/// The layers of `compilation` (nothing run on it yet), each searched alone, its tensors off chip. `wanted`: those that
/// are searched; all where it is empty.
std::vector<LayerChoices> explore(Compilation& compilation,
                                  const std::function<bool(const LayerChoices&)>& wanted = {});

/// Runs the passes on `compilation` (nothing run on it yet) that choose chains of layers: `Compilation::chains` and
/// `refused_chains`.
void explore_chains(Compilation& compilation);

/// The form's main statement as text.
std::string form_text(const WorkForm& form);

/// The form of the work, if it is not done as it stands, assignment, tiles, order and buffers as text, each line
/// indented.
std::string mapping_text(const Machine& machine, const Work& work, const Mapping& mapping);

}  // namespace accord

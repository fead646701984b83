#pragma once

#include <vector>

#include "compiler/compilation.h"
#include "compiler/mapping/split.h"

namespace accord {

/// What is known of a layer's mappings once its assignments are searched.
struct LayerSearch {
  std::vector<SearchResult::Found> kept;  ///< handed to the later passes, fewest predicted cycles first
  SearchResult all;                       ///< undivided
};

/// Searches the layer's assignments with the compilation's searcher, and divides the best over elements that are alike.
LayerSearch search_layer(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer);

/// The same, once for layers that are equal and whose tensors lie alike: they get equal mappings.
const LayerSearch& search_once(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer);

}  // namespace accord

#pragma once

#include <limits>
#include <string>
#include <vector>

#include "compiler/compilation.h"
#include "compiler/mapping/split.h"
#include "compiler/measured_choice.h"

namespace accord {

/// What is known of a layer's mappings once its assignments are searched.
struct LayerSearch {
  std::vector<SearchResult::Found>
      kept;          ///< handed to the later passes, fewest cycles first, measured or else predicted
  SearchResult all;  ///< undivided
  std::vector<ScheduledMapping> scheduled;                   ///< those to measure
  double divided = std::numeric_limits<double>::infinity();  ///< predicted cycles of the quickest division

  /// Whether the mapping, one of those kept, stands behind the first, whatever it promises: sums of cycles beside a
  /// schedule's.
  bool is_behind(const Mapping& mapping) const;

  /// The fewest predicted cycles of those that do not, infinite where nothing was found: what layers and forms are
  /// compared by, which may not all be short enough to be measured.
  double predicted_cycles() const;
};

/// Searches the layer's assignments with the compilation's searcher, and divides the best over elements that are alike.
/// By predictions: what is weighed and turned down is never measured.
LayerSearch search_layer(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer);

/// Puts first among the kept what is quickest on the machine, where the layer is short enough.
void measure_kept(const Compilation& compilation, const LayerPlan& layer, LayerSearch& search);

/// Everything that a layer's search looks at, and nothing else: equal for layers that get equal mappings.
std::string search_key(const Compilation& compilation, const LayerPlan& layer);

/// Searches all layers of the machine that no search is known for, several at once on the processor's cores. What is
/// found does not depend on how many there are.
void search_ahead(Compilation& compilation);

/// `search_layer`, once for layers that are equal and whose tensors lie alike: they get equal mappings.
const LayerSearch& search_once(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer);

/// The same, measured.
const LayerSearch& measure_once(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer);

/// That the layer's mappings, which have tiles, are right ones (`verify`): a searcher that finds another is a fault of
/// ours, std::logic_error.
void check_mappings(const Compilation& compilation, const LayerPlan& layer);

/// Mappings of the layer's promising assignments as its tensors lie now, which may be otherwise than when it was
/// searched; none where nothing is found.
std::vector<Mapping> search_again(const Compilation& compilation, LayerPlan layer);

/// The same of a layer that comes when others have their mappings: it gets its assignments, too.
void search_late(const Compilation& compilation, LayerPlan& layer);

}  // namespace accord

#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/compilation.h"
#include "compiler/mapping/split.h"

namespace accord {

/// Finds how slices of layers run, and what they and their layers take by their schedules. Slices that differ only in
/// where their stretches begin are searched once. All together it spends a part of what the layers themselves cost to
/// search and to lower; beyond that it finds nothing more.
class SliceSearch {
 public:
  explicit SliceSearch(const Compilation& compilation);

  /// The quickest mapping of the slice in the free `regions` of the memories, of the layer's own assignments. Nothing,
  /// with the reason, where there is none.
  std::optional<Mapping> find(const LayerPlan& layer, const LayerPlan& slice, const std::map<int, Region>& regions,
                              std::string& why);

  /// Cycles of a mapping of the layer, as it is scheduled; nothing where that would cost too much.
  std::optional<double> cycles(const LayerPlan& layer, const Mapping& mapping);

  /// Whether it may spend no more.
  bool exhausted() const { return searches_ == 0 || operations_ < 0; }

 private:
  struct Result {
    std::size_t choice = 0;  ///< of the assignments that reach the slice's tensors
    std::optional<Mapping> mapping;
    std::string why;
  };

  std::string key_of(const LayerPlan& slice, const std::map<int, Region>& regions,
                     const std::vector<Mapping>& choices) const;
  std::vector<Mapping> choices(const LayerPlan& layer, const LayerPlan& slice,
                               const std::map<int, Region>& regions) const;
  bool within_margins(const LayerPlan& slice, const Mapping& mapping) const;
  bool is_legal(const LayerPlan& slice, const Mapping& mapping) const;
  Result search(const LayerPlan& slice, const std::vector<Mapping>& choices);

  const Compilation& compilation_;
  SharedMachines shared_;
  double operations_ = 0;     ///< that may still be scheduled
  std::size_t searches_ = 0;  ///< of slices that may still be made
  std::map<std::string, Result> known_;
};

}  // namespace accord

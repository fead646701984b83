#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/codegen/list_code.h"
#include "compiler/compilation.h"
#include "compiler/lowering/lower_layer.h"
#include "compiler/lowering/off_chip_places.h"
#include "compiler/lowering/schedule.h"

namespace accord {

/// Lists of the layers of a program. Networks repeat blocks: a layer that is lowered like one before (`lower_alike`)
/// gets that one's list, with its own addresses and numbers in it.
class LoweredLayers {
 public:
  explicit LoweredLayers(const Compilation& compilation);

  struct Lowered {
    OpList list;
    KnownSchedules schedules;
    std::optional<ListCode> code;  ///< of lists that may come again
  };

  /// Valid until the next call. Throws what `lower_layer` throws.
  Lowered& lower(const LayerPlan& layer, const Mapping& mapping, Reads reads, LaidFrom from,
                 std::vector<OffChip>& off_chip);

  /// The layer is done: lists that only equal ones would want again are forgotten with the last of them.
  void leave(const LayerPlan& layer);

 private:
  /// A list that stays, and what moves in it from layer to layer.
  struct Kept {
    const LayerPlan* layer = nullptr;
    const Mapping* mapping = nullptr;
    Reads reads{};
    LaidFrom from{};
    Lowered lowered;
    std::vector<OffChipPlace> places;
    std::vector<OffChipAddress> addresses;
  };

  /// Lists of layers that promise to be equal (search_key), and how many such layers are not done.
  struct Expected {
    std::size_t layers = 0;
    std::list<Kept> lists;
  };

  Kept* find(Expected& expected, const LayerPlan& layer, const Mapping& mapping, Reads reads, LaidFrom from) const;
  bool adapt(Kept& kept, const LayerPlan& layer, const Mapping& mapping, std::vector<OffChip>& off_chip) const;
  void set_numbers(Kept& kept, const Mapping& mapping) const;

  const Compilation& compilation_;
  std::list<Expected> expected_;
  std::map<const LayerPlan*, Expected*> of_layer_;  ///< of those whose lists may stay
  std::size_t operations_ = 0;                      ///< of the lists that stay
  Kept last_;                                       ///< that does not
};

}  // namespace accord

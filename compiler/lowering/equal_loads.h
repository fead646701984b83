#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "compiler/lowering/operation.h"

namespace accord {

/// Which loads of several lists bring the same bytes to the same addresses: the n-th such of each list are one load
/// that these lists want.
class EqualLoads {
 public:
  /// `is_load`: of an operation of any of the lists.
  EqualLoads(const std::vector<OpList>& lists, const std::function<bool(const LowOp&)>& is_load);

  /// The load that the list's operation is; -1: it is none.
  int of(std::size_t list, std::size_t op) const { return loads_[list][op]; }

  /// Lists that are still to get it.
  std::size_t wanting(int load) const { return wanting_[static_cast<std::size_t>(load)]; }

  /// One list has got it.
  void got(int load) { --wanting_[static_cast<std::size_t>(load)]; }

 private:
  std::vector<std::vector<int>> loads_;  ///< by list and operation
  std::vector<std::size_t> wanting_;     ///< by load
};

}  // namespace accord

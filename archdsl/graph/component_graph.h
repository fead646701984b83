#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// One transfer step: a mover (index into Architecture::units) on one of its routes.
struct Hop {
  int unit = -1;
  int route = -1;
  auto operator<=>(const Hop&) const = default;
};

/// The machine as a graph: memories, units, links, controller, and what joins them. Built once; ids are the
/// Architecture's. Paths are kept by where they start, from when they are first asked for: of the memories of an
/// array's elements few ever are. Boost.Graph stays behind this facade.
class ComponentGraph {
 public:
  /// `drivable`: which transfers lead anywhere; all where it is empty.
  explicit ComponentGraph(const Architecture& architecture, const std::function<bool(const Hop&)>& drivable = {});
  ~ComponentGraph();
  ComponentGraph(ComponentGraph&&) noexcept;
  ComponentGraph& operator=(ComponentGraph&&) noexcept;

  /// Fewest transfers from one memory to another; ties go to transfers that reach the fewest other memories, then the
  /// widest, then the earliest in the covenant. Empty where source == target or nothing leads there (see `reachable`).
  std::vector<Hop> path(int source, int target) const;
  bool reachable(int source, int target) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace accord

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archdsl/export/names.h"
#include "archdsl/export/wiring.h"

namespace accord {

/// Components drawn as one node.
struct DrawnGroup {
  DrawnShape shape{};
  std::vector<int> members;          ///< indices into Wiring::components, ascending; never empty
  std::vector<std::string> cluster;  ///< patterns of the enclosing clusters, outermost first: `core[]`
  std::string label;                 ///< within its cluster: `spad`, `mac[0..3][0..7]`
  std::vector<std::string> details;
  bool several = false;  ///< more than one within each instance of its cluster
};

/// A hierarchical prefix such as `core[0..63]`.
struct DrawnCluster {
  std::string label;  ///< `core[0..63]`
  std::int64_t instances = 1;
};

/// All wires between two groups.
struct DrawnBundle {
  int from = -1;  ///< index into Picture::groups
  int to = -1;
  bool instructions = false;
  bool forward = false;
  bool backward = false;
  std::int64_t count = 0;  ///< wires; of one instance where they stay within the instances of a common cluster
  std::int64_t least_width = 0;
  std::int64_t greatest_width = 0;
};

/// A drawing small enough to read.
struct Picture {
  std::vector<DrawnGroup> groups;
  std::map<std::vector<std::string>, DrawnCluster> clusters;  ///< by path, outermost first: parents before children
  std::vector<DrawnBundle> bundles;
  std::string folding;  ///< how components were put together, for the caption; empty where none were
};

/// Folds components whose names differ only in their indices, and, while the drawing stays too large, ever coarser:
/// regardless of their properties, by the outermost part of their name, by kind and properties, by kind.
Picture fold(const Wiring& wiring);

}  // namespace accord

#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// Ways of inputs that are longer than the shortest: through a memory on chip that this leaves out, and that holds more
/// than the one that it leads to, so that what is read there again, by whichever element, comes from off chip once.
/// Remembers those of a machine: there are thousands of assignments, and few memories that they read.
class LongerWays {
 public:
  explicit LongerWays(const Machine& machine);

  /// The assignment with its inputs on such ways: one for each such memory, of the largest two.
  std::vector<Mapping> of(const Mapping& assignment);

 private:
  struct Way {
    int through = -1;
    std::vector<Hop> hops;
  };

  const std::vector<Way>& ways(int home, int memory);
  const Way* way(const Use& use, int through);
  std::optional<Mapping> on_way(const Mapping& assignment, int memory);

  const Machine& machine_;
  std::vector<int> memories_;                              ///< on chip, the largest first
  std::map<std::pair<int, int>, std::vector<Way>> known_;  ///< by home and memory that is read, in that order
};

}  // namespace accord

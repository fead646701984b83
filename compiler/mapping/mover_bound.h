#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mapping/passages.h"

namespace accord {

/// Least cycles that an assignment keeps the movers busy which bring its operands from off-chip memory and its result
/// there: set-ups of as many transfers as the bytes need, a request per cycle, no more requests under way than a mover
/// has. Whatever the program, each set of operands shares the movers that serve any of them.
class MoverBound {
 public:
  /// `finder` must outlive it.
  MoverBound(const Machine& machine, const PassageFinder& finder);

  std::int64_t cycles(const std::vector<Passage>& passages) const;

 private:
  /// A route between off-chip and on-chip memory, or (`own`) what a mover's capability reads or writes off chip.
  struct Way {
    int unit = -1;
    bool inwards = false;
    bool own = false;
    std::vector<int> ends;     ///< on-chip memories
    double per_byte = 0;       ///< cycles of set-ups and requests, one after another
    double under_way = 0;      ///< cycles per byte that requests are under way, by how many may be
    std::int64_t latency = 0;  ///< of one request
  };

  /// Reference cycles that one operand keeps movers busy.
  struct Demand {
    std::vector<bool> movers;  ///< by unit
    double presenting = 0;     ///< by the quickest way
    double under_way = 0;
  };

  void add_ways(int unit);
  static bool serves(const Way& way, const Passage& passage);
  std::vector<Demand> demands(const std::vector<Passage>& passages) const;

  const Machine& machine_;
  const PassageFinder& finder_;
  std::vector<Way> ways_;
  std::int64_t latency_ = 0;  ///< the longest
};

}  // namespace accord

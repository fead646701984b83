#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace accord {

/// What a run's total cycles are made of, and what it would take to change them (docs/figures.md).
struct Explanation {
  /// One resource's part of the critical path.
  struct Share {
    std::string component;
    std::string resource;  ///< e.g. "rate" of a link, "latency" of a memory
    bool waiting = false;  ///< for the resource while it served others
    bool of_part = false;  ///< times of a DRAM's part, which no sensitivity is about
    std::int64_t cycles = 0;
    std::int64_t segments = 0;
  };
  /// [from, to) of the critical path.
  struct Segment {
    std::int64_t from = 0, to = 0;
    std::size_t share = 0;          ///< index into `shares`
    int unit = -1;                  ///< index of the unit whose instruction it was; -1: the controller
    std::int64_t instruction = -1;  ///< index; -1: none
    int layer = -1;                 ///< index into Program::layers; -1: none
  };
  /// A machine that differs in one thing, under the same program.
  struct Sensitivity {
    std::string component;
    std::string change;
    std::int64_t total_cycles = 0;  ///< predicted
  };

  bool complete = true;                    ///< false: the run was too long to be recorded, and nothing else is here
  std::vector<Share> shares;               ///< the greatest first; they sum to total_cycles
  std::vector<Segment> path;               ///< ascending, from 0 to total_cycles without gap
  std::vector<Sensitivity> sensitivities;  ///< the greatest gain first
};

}  // namespace accord

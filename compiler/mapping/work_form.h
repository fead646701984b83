#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/codelets/work.h"

namespace accord {

/// Counts of an iterator in blocks: it is lanes * block + lane.
struct Blocks {
  int block = -1;          ///< the iterator over the blocks, in the place of the whole one
  int lane = -1;           ///< within a block
  std::int64_t lanes = 1;  ///< counts in a block; the last block may reach beyond the whole's end
  int dim = -1;            ///< of the form's capability, which counts the lane; -1: any that holds it
  bool operator==(const Blocks&) const = default;
};

/// Work rewritten over blocks of some of its iterators, with the same results: on a diagonal (diagonal.h) or for dims
/// that share a loop (blocked.h).
struct WorkForm {
  Work work;
  int statement = 0;           ///< the main one
  std::vector<Blocks> blocks;  ///< in the order in which they were made: a `block` may be divided again
  int twin = -1;               ///< of a diagonal's only blocks: a lane of the constant and the other factor; else -1
  std::optional<std::pair<int, int>> capability;  ///< unit and index that it is for; none: any
};

/// The form that is the work itself.
WorkForm plain_form(const Work& work, int statement);

/// Divides an iterator into blocks. Reads and writes of the last one may reach beyond what the work touches
/// (`may_reach_beyond`).
void divide_into_blocks(WorkForm& form, int iterator, std::int64_t lanes, int dim = -1);

/// Whether the work stays the same where the iterator, on which its results depend, runs on beyond its end: what is
/// written then lies beyond the results, in their margin.
bool may_reach_beyond(const Work& work, int iterator);

/// Whether the form does more counts of an iterator than there are: margins around what is written and read.
bool reaches_beyond(const WorkForm& form, const Work& work);

/// The same form of other work of the same structure (a slice of a layer); null where it is none.
std::shared_ptr<const WorkForm> same_form(const WorkForm& form, const Work& work);

/// Why the form's work is not the work itself: empty, it is. By algebra, knowing nothing of how forms are made.
std::string differs(const Work& work, const WorkForm& form);

/// The same question by enumeration: every point of the work is one of the form's, with the same elements, and what
/// else the form adds is 0 or lies in margins. Takes time in the number of points.
std::string differs_at_points(const Work& work, const WorkForm& form);

}  // namespace accord

#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/codelets/work.h"
#include "compiler/mapping/homes.h"
#include "compiler/mapping/plan.h"

namespace accord {

/// What the chain's iterators count together.
std::int64_t product_of(const std::vector<int>& chain, const std::vector<std::int64_t>& extent);

/// Grows one iterator of the chain until their product is a multiple of `unit`: of those that add the fewest points the
/// innermost.
void pad_chain(const std::vector<int>& chain, std::int64_t unit, std::vector<std::int64_t>& extent);

/// What lies beyond operands that are no constants: what the work says, or what others left there.
enum class Margins { kept, overwritten };

/// Whether the statement, which reduces over the iterator, yields the same where the iterator runs on to its padded
/// extent: whatever lies inside the operands that it reads, the points beyond add nothing.
bool padding_is_neutral(const Work& work, const std::vector<std::int64_t>& padded, const Statement& statement,
                        int iterator, Margins margins = Margins::kept);

/// The first step, and the iterator that it sums over, of which what is padded would add something; nothing where all
/// padding is neutral. `work`: the mapping's (`work_of`).
std::optional<std::pair<const StatementPlan*, int>> padding_that_counts(const Work& work, const Mapping& mapping);

/// Marks the indices of the read tensor's home beyond which what lies there decides results: what the layer's own work
/// reads, and of sums that are padded what the mapping reads beyond, unless the other factor is a constant, 0 there
/// whatever is read. Of two activations each relies on its own margin: who writes them asks no other.
void rely(Home& home, const Work& layer, const Mapping& mapping, const Use& use);

/// Whether points of the box beyond an iterator's end are others of the access: of 6 g + k, with k padded to 8, those
/// of the next g. `work`: the mapping's (`work_of`).
bool laps_over(const Work& work, const Access& access, const std::vector<std::int64_t>& box);

/// Extents of the iterators over which a result is written: those of the mapping; no further than the tensor where its
/// margin is relied on, than their own where what is padded would be other results. `work`: the mapping's (`work_of`).
std::vector<std::int64_t> written_extents(const Work& work, const Mapping& mapping, const Use& use, const Home& home);

/// Whether even so results lie in a margin that is relied on: an index counts in blocks, of which the last one reaches
/// beyond the tensor, and no box of iterators leaves out that alone. `work`: the mapping's (`work_of`).
bool spills(const Work& work, const Mapping& mapping, const Use& use, const Home& home);

}  // namespace accord

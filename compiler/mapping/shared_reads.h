#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// What several requesters get together of a way that they share, `served` of `asked` beats: they meet at random, and
/// each waits for others at times when nobody waits for it. From simulations of divided layers whose loads nearly fill
/// the way.
constexpr std::int64_t served = 4, asked = 5;

/// How often a loop that divides work turns: the parts that it makes.
std::int64_t turns(const Mapping& mapping, const SpatialLoop& loop);

/// Into how many parts the mapping's work is divided.
std::size_t part_count(const Mapping& mapping);

/// Whether parts that are other turns of the loop read other elements by the use: equal values are none's.
bool tells_apart(const Use& use, const SpatialLoop& loop);

/// By part, which of the elements that the mapping could run on has it.
std::vector<std::size_t> part_elements(const Mapping& mapping);

/// Whether there is an element for every part: fewer reach a tensor that one element's memory keeps.
bool has_part_sites(const Machine& machine, const Mapping& mapping);

/// Where the parts run, if all have an element; valid as long as the machine is.
std::vector<const Site*> part_sites(const Machine& machine, const Mapping& mapping);

/// [part][level]: how the parts hold and get a use's tiles. Parts read the same where the use does not depend on what
/// divides them.
std::vector<std::vector<SharedTiles>> readings_of(const Machine& machine, const Mapping& mapping, std::size_t use);

/// By level, one part that stands for all: its mover is the one with most transfers, and a transfer reaches as many
/// parts as one does on average.
std::vector<SharedTiles> typical(const std::vector<std::vector<SharedTiles>>& readings);

/// The hop of a use that brings tiles to parts that want others, or into a memory that holds something else: nothing
/// but a multicast leads where it does. Nothing: there is none.
std::optional<Hop> misled(const Machine& machine, const Mapping& mapping);

/// That a multicast cannot leave others as they are, for a reason against something.
std::string text_of_multicast(const Architecture& architecture, const Hop& hop);

}  // namespace accord

#pragma once

#include <string>

#include "compiler/mapping/geometry.h"

namespace accord {

/// Why the mapping is no right way to do the work on this machine; empty: it is one. Knows no searcher and no cost
/// model. By algebra, so that the compiler can check each mapping that it uses:
/// - the loops of every level cover the box around them once, tiles nest, each statement is done by one step;
/// - divided work has an element for each part, and no sum is divided;
/// - chains agree with access functions: what a dim does to an operand's address, its iterators do to the work's;
/// - padded points change no result;
/// - a reduction is whole before another result takes its place, or anything reads it;
/// - a capability that initialises sees the whole reduction in one instruction;
/// - dims keep to their limits and multiples;
/// - tiles with all their copies fit the memories.
std::string verify(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const Mapping& mapping);

/// The same question by enumeration: walks the loops of all levels and counts the points of every statement; places
/// every element of every use's tiles, and follows every byte of the transfers between them; full tiles and the last
/// ones in every direction. Remainders that no transfer can move are passed over: lowering refuses those. For small
/// layers, as it takes time in the number of points.
std::string verify_points(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                          const Mapping& mapping);

}  // namespace accord

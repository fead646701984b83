#pragma once

#include "compiler/mapping/geometry.h"
#include "compiler/mapping/step_shape.h"

namespace accord {

/// Bytes in multiples of which the instructions next to the use's home give addresses in it.
std::int64_t home_unit(const Machine& machine, const Mapping& mapping, const Use& use);

/// Multiples at which tiles lie in the memory: all instructions of the mapping that go there count addresses in it.
std::int64_t place_unit(const Machine& machine, const Mapping& mapping, int memory);

/// What the mapping's tiles may use of a memory (region_of), from one such multiple to another.
Region place_region(const Machine& machine, const Mapping& mapping, int memory);

/// Whether all tiles of the use begin at multiples of `home_unit` in the tensor's home.
bool tiles_begin_at_units(const Machine& machine, const Mapping& mapping, int use, const HomeStrides& strides);

/// Whether what lies within the use's tiles on chip begins at such multiples there. Where these have no gaps (plan.h:
/// dense, as_home), tiles that are cut further in begin anywhere.
bool parts_begin_at_units(const Machine& machine, const Mapping& mapping, const Use& use);

/// Whether all instructions of a step over a box begin at multiples of what they count addresses in, in the tile or,
/// where `view` has no layout, in the home itself.
bool instructions_begin_at_units(const Machine& machine, const Mapping& mapping, const UseView& view,
                                 const StepShape& shape, const Extents& box);

}  // namespace accord

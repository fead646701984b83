#pragma once

#include "compiler/mapping/geometry.h"
#include "compiler/mapping/step_shape.h"

namespace accord {

/// Bytes in multiples of which the instructions next to the use's home give addresses in it.
std::int64_t home_unit(const Machine& machine, const Mapping& mapping, const Use& use);

/// Whether all tiles of the use begin at such multiples in the tensor's home.
bool tiles_begin_at_units(const Machine& machine, const Mapping& mapping, int use, const HomeStrides& strides);

/// Whether all instructions of a step over a box do, where they address the home itself (`view` has no layout).
bool instructions_begin_at_units(const Machine& machine, const Mapping& mapping, const UseView& view,
                                 const StepShape& shape, const Extents& box);

}  // namespace accord

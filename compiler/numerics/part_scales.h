#pragma once

#include <set>
#include <vector>

#include "compiler/network/network.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/scale_groups.h"

namespace accord::numerics {

/// Operators read tensors of their own instead, added in the order of the readings, each given by a Clip without
/// bounds: its requantisation changes scales.
void read_apart(Network& network, const std::set<Reading>& readings);

/// Parts of a Concat share its scale, and with it all that is carried over from or to them: beside values `coarser`
/// times as great, what else reads a small part would see steps as coarse. There the Concat reads a tensor of its own,
/// which a Clip without bounds gives: the requantisation brings it to the Concat's scale. Only where something reads
/// the small values but what carries them on, and nothing has its scale from the model.
/// So does a multiplication by a number whose result is tied to what it multiplies in another ratio of scales.
/// `largest`: magnitudes per tensor; those of new tensors are appended.
void give_parts_scales(Network& network, const std::vector<PlannedOperator>& plan, std::vector<double>& largest);

/// Three bits of eight are lost.
inline constexpr double coarser = 8;

}  // namespace accord::numerics

#pragma once

#include "compiler/lowering/constants.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Transfers that write the margin of a tensor kept on chip, from an image of one stretch of it in off-chip memory that
/// the mover reads over and over. Throws Error where no single transfer leads there, or where instructions cannot
/// address the margin. Where `off_chip` is empty, the operations are right but for the image's address.
OpList fill_margin(const Machine& machine, const Home& home, const Tensor& tensor, std::vector<OffChip>& off_chip);

}  // namespace accord

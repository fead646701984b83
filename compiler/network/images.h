#pragma once

#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Which tensors are images, by id: those that an operator with windows reads or writes, and what is computed from them
/// element by element; of rank 3 those whose last index is an image's plane. Others are batches of matrices; their rows
/// are the last index.
std::vector<bool> image_tensors(const Network& network);

}  // namespace accord

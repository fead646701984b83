#pragma once

#include "compiler/network/network.h"

namespace accord::numerics {

/// Turns Mul, Add or Mul then Add of an image by constants per channel (what remains of a BatchNormalization that
/// follows no product) into a depthwise 1x1 Conv, so that integer machines do it in their accumulators. But for a Mul
/// that only changes the scale (`changes_scale_alone`).
void affine_to_depthwise(Network& network, bool powers_of_two);

}  // namespace accord::numerics

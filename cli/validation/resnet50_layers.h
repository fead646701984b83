#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace accord {

/// A convolution of a network, square throughout; a classifier is one of 1x1 on 1x1.
struct ConvolutionLayer {
  std::string name;
  std::int64_t channels, kernels, kernel, stride, in, out;
};

/// ResNet-50's 53 convolutions and its classifier at 224x224, the stride of a bottleneck in its 3x3 ("v1.5").
std::vector<ConvolutionLayer> resnet50_layers();

}  // namespace accord

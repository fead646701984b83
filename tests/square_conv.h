#pragma once

#include <cstdint>
#include <string>

#include "compiler/frontends/topology.h"

namespace accord::test {

/// A convolution of c maps of size x size by k filters of r x r, padded so that an odd r keeps the size.
inline TopologyLayer square_conv(const std::string& name, std::int64_t c, std::int64_t size, std::int64_t k,
                                 std::int64_t r) {
  TopologyLayer layer;
  layer.name = name;
  layer.c = c;
  layer.h = layer.w = size;
  layer.k = k;
  layer.r = layer.s = r;
  layer.pad_h = layer.pad_w = r / 2;
  return layer;
}

}  // namespace accord::test

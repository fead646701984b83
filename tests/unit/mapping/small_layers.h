#pragma once

#include "archdsl/graph/architecture.h"
#include "compiler/numerics/convert_float.h"
#include "compiler/numerics/quantise.h"
#include "tests/shipped.h"
#include "tests/square_conv.h"

namespace accord {

inline TopologyLayer product_layer(const char* name, std::int64_t m, std::int64_t k, std::int64_t n) {
  TopologyLayer layer;
  layer.name = name;
  layer.kind = TopologyLayer::Kind::gemm;
  layer.m = m;
  layer.k = k;
  layer.n = n;
  return layer;
}

/// Convolutions and products whose sizes no tile divides, in the machine's types.
inline Network small_layers(const Architecture& architecture) {
  const auto conv = [](const char* name, std::int64_t c, std::int64_t size, std::int64_t k, std::int64_t r,
                       std::int64_t stride, std::int64_t pad, std::int64_t groups) {
    TopologyLayer layer = test::square_conv(name, c, size, k, r);
    layer.stride_h = layer.stride_w = stride;
    layer.pad_h = layer.pad_w = pad;
    layer.groups = groups;
    return layer;
  };
  const Network canonical =
      build_topology("small",
                     {conv("window", 19, 9, 37, 3, 1, 1, 1), conv("strided", 5, 11, 18, 3, 2, 0, 1),
                      conv("point", 70, 6, 33, 1, 1, 0, 1), conv("depthwise", 21, 7, 21, 3, 1, 1, 21),
                      product_layer("product", 37, 75, 83)},
                     17);
  if (!architecture.numerics.integer) return convert_float(canonical, architecture.numerics);
  return quantise(canonical, architecture.numerics, {});
}

}  // namespace accord

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// One layer of a topology table: a convolution n,c,h,w -> k filters of r x s, or the matrix product m x k by k x n.
struct TopologyLayer {
  enum class Kind { conv, gemm };
  std::string name;
  Kind kind = Kind::conv;
  std::int64_t n = 1, c = 1, h = 1, w = 1, k = 1, r = 1, s = 1;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;  ///< on both sides
  std::int64_t groups = 1;
  std::int64_t m = 1;  ///< gemm uses m, k, n only
};

/// SCALE-Sim's topology files (https://github.com/scalesim-project/scale-sim-v2, topologies/): conv rows are
/// "name, ifmap height, ifmap width, filter height, filter width, channels, filters, stride[, stride width],",
/// unpadded; GEMM rows are "name, M, N, K,". The first line is a heading. Throws Error with the line of a mistake.
Network import_topology_csv(const std::filesystem::path& path, std::uint64_t seed = 0);

/// A YAML file `layers: [{name, op: conv, n, c, h, w, k, r, s, stride, ph, pw, groups}, {name, op: gemm, m, k, n}]`
/// (n, stride, groups default to 1, ph and pw to 0; stride may be [vertical, horizontal]).
/// Throws Error with line and column of a mistake.
Network import_layer_list(const std::filesystem::path& path, std::uint64_t seed = 0);

/// A network of independent operators: each layer has its own input "NAME.x", output "NAME.y" and seeded weights.
/// Throws Error for a layer whose sizes do not fit.
Network build_topology(const std::string& name, const std::vector<TopologyLayer>& layers, std::uint64_t seed);

}  // namespace accord

#include "cli/validation/resnet50_layers.h"

#include <fmt/format.h>

namespace accord {

std::vector<ConvolutionLayer> resnet50_layers() {
  std::vector<ConvolutionLayer> layers{{"conv1", 3, 64, 7, 2, 224, 112}};
  std::int64_t size = 56, channels = 64, width = 64;
  const int blocks_of_stage[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage, width *= 2) {
    for (int block = 0; block < blocks_of_stage[stage]; ++block) {
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1, out = size / stride;
      const std::string name = fmt::format("{}.{}", stage + 2, block + 1);
      layers.push_back({name + ".reduce", channels, width, 1, 1, size, size});
      layers.push_back({name + ".3x3", width, width, 3, stride, size, out});
      layers.push_back({name + ".expand", width, 4 * width, 1, 1, out, out});
      if (block == 0) layers.push_back({name + ".project", channels, 4 * width, 1, stride, size, out});
      size = out;
      channels = 4 * width;
    }
  }
  layers.push_back({"classifier", 2048, 1000, 1, 1, 1, 1});
  return layers;
}

}  // namespace accord

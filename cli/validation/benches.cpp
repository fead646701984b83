#include "cli/validation/benches.h"

namespace accord {

std::span<const Bench> benches() {
  static const std::vector<Bench> all = [] {
    std::vector<Bench> list;
    for (const auto& part : {gemmini_benches(), nvdla_benches(), nvdla_estimate_benches(), dnnweaver_benches(),
                             scale_sim_benches(), simdit_benches(), eyeriss_benches(), vta_benches(), tpu_benches()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

std::filesystem::path validation_folder() { return ACCORD_VALIDATION_DIR; }

}  // namespace accord

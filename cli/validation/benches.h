#pragma once

#include <vector>

#include "cli/validation/bench.h"

namespace accord {

std::vector<Bench> gemmini_benches();
std::vector<Bench> nvdla_benches();
std::vector<Bench> nvdla_estimate_benches();
std::vector<Bench> dnnweaver_benches();
std::vector<Bench> scale_sim_benches();
std::vector<Bench> simdit_benches();
std::vector<Bench> eyeriss_benches();
std::vector<Bench> vta_benches();
std::vector<Bench> tpu_benches();

}  // namespace accord

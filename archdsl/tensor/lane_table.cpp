#include "archdsl/tensor/lane_table.h"

#include "archdsl/tensor/lane_variants.h"

namespace accord {
namespace {

LaneTable choose() {
#ifdef ACCORD_LANE_VARIANTS
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return lanes_avx512::make_table();
  if (__builtin_cpu_supports("avx2")) return lanes_avx2::make_table();
#endif
  return lanes_baseline::make_table();
}

}  // namespace

const LaneTable& lane_table() {
  static const LaneTable table = choose();
  return table;
}

}  // namespace accord

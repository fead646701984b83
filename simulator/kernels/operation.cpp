#include "simulator/kernels/operation.h"

namespace accord::sim {

void make_filled_row(const Filling& filling, std::vector<std::byte>& row) {
  row.resize(static_cast<std::size_t>(longest_filled) + filling.element.size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = filling.element[i % filling.element.size()];
}

bool conflicts(const Operation& a, const Operation& b, const std::vector<bool>& memories) {
  for (const AccessShape& x : a.shape->accesses) {
    if (!memories[static_cast<std::size_t>(x.memory)] || x.footprint.extent == 0) continue;
    for (const AccessShape& y : b.shape->accesses) {
      if (x.memory != y.memory || y.footprint.extent == 0 || !(x.writes || y.writes)) continue;
      if (a.low(x) < b.high(y) && b.low(y) < a.high(x)) return true;
    }
  }
  return false;
}

}  // namespace accord::sim

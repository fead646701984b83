#include "simulator/kernels/operation.h"

namespace accord::sim {

void make_filled_row(const Filling& filling, std::vector<std::byte>& row) {
  row.resize(static_cast<std::size_t>(longest_filled) + filling.element.size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = filling.element[i % filling.element.size()];
}

namespace {

bool overlap(const TouchedRange& a, const TouchedRange& b) {
  return a.memory == b.memory && a.low < b.high && b.low < a.high;
}

}  // namespace

bool ranges_conflict(const Operation& a, const Operation& b, Within within) {
  const MemorySet common = (a.touched & b.written) | (a.written & b.touched);
  for (const TouchedRange& x : a.ranges) {
    if ((common & memory_bit(x.memory)) == 0 || (within == Within::on_chip && x.off_chip)) continue;
    for (const TouchedRange& y : b.ranges) {
      if ((x.writes || y.writes) && overlap(x, y)) return true;
    }
  }
  return false;
}

bool ranges_read_result(const Operation& later, const Operation& earlier) {
  for (const TouchedRange& read : later.ranges) {
    if (!read.reads_result) continue;
    for (const TouchedRange& write : earlier.ranges) {
      if (write.writes && overlap(read, write)) return true;
    }
  }
  return false;
}

}  // namespace accord::sim

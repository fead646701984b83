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

template <class Watched>
bool conflict(const Operation& a, const Operation& b, Watched&& watched) {
  const MemorySet common = (a.touched & b.written) | (a.written & b.touched);
  if (common == 0) return false;
  for (const TouchedRange& x : a.ranges) {
    if ((common & memory_bit(x.memory)) == 0 || !watched(x.memory)) continue;
    for (const TouchedRange& y : b.ranges) {
      if ((x.writes || y.writes) && overlap(x, y)) return true;
    }
  }
  return false;
}

}  // namespace

bool conflicts(const Operation& a, const Operation& b) {
  return conflict(a, b, [](int) { return true; });
}

bool conflicts(const Operation& a, const Operation& b, const std::vector<bool>& memories) {
  return conflict(a, b, [&](int memory) { return memories[static_cast<std::size_t>(memory)]; });
}

bool reads_result_of(const Operation& later, const Operation& earlier) {
  if ((later.touched & earlier.written) == 0) return false;
  for (const TouchedRange& read : later.ranges) {
    if (!read.reads_result) continue;
    for (const TouchedRange& write : earlier.ranges) {
      if (write.writes && overlap(read, write)) return true;
    }
  }
  return false;
}

}  // namespace accord::sim

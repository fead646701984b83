#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace accord {

/// A repetition: `count` times, `step` bytes apart.
struct Stride {
  std::int64_t count = 1;
  std::int64_t step = 0;
};

/// Bytes that lie together where `run` of them are repeated by `strides`, in whatever order these stand.
template <class Strides>
std::int64_t grown_run(std::int64_t run, const Strides& strides) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const Stride& stride : strides) {
      if (stride.count == 1 || stride.step != run) continue;
      run *= stride.count;
      grown = true;
    }
  }
  return run;
}

/// Sorts a vector of strides, whose steps are positive, by their steps, and makes one of two that together touch every
/// multiple of the smaller step, as the rows of an image and those of a window over them do.
template <class Strides>
void merge_windows(Strides& strides) {
  std::ranges::sort(strides, {}, &Stride::step);
  for (std::size_t a = 0; a < strides.size(); ++a) {
    for (std::size_t b = a + 1; b < strides.size();) {
      const std::int64_t times = strides[b].step / strides[a].step;
      if (strides[b].step % strides[a].step != 0 || times > strides[a].count) {
        ++b;
        continue;
      }
      strides[a].count += (strides[b].count - 1) * times;
      strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(b));
      b = a + 1;
    }
  }
}

}  // namespace accord

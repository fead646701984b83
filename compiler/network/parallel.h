#pragma once

#include <cstdint>
#include <functional>

namespace accord {

/// Calls `work(task)` for tasks 0..count-1 on up to `threads` threads, in no particular order. Tasks must be
/// independent. The first exception is thrown again here.
void parallel_for(int threads, std::int64_t count, const std::function<void(std::int64_t task)>& work);

/// Splits 0..size-1 into ranges of at least `grain` and calls `work(begin, end)` for each.
void parallel_ranges(int threads, std::int64_t size, std::int64_t grain,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace accord

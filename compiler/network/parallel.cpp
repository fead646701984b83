#include "compiler/network/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace accord {

void parallel_for(int threads, std::int64_t count, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto drain = [&] {
    try {
      for (std::int64_t task = next++; task < count; task = next++) work(task);
    } catch (...) {
      std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> helpers;
  for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, count); ++i) helpers.emplace_back(drain);
  drain();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

void parallel_ranges(int threads, std::int64_t size, std::int64_t grain,
                     const std::function<void(std::int64_t, std::int64_t)>& work) {
  if (size <= 0) return;
  const std::int64_t parts = std::clamp<std::int64_t>(size / std::max<std::int64_t>(grain, 1), 1, 4 * threads);
  parallel_for(threads, parts, [&](std::int64_t part) { work(size * part / parts, size * (part + 1) / parts); });
}

}  // namespace accord

#include "simulator/trace/sampled_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/isa/int128.h"
#include "archdsl/source/error.h"

namespace accord::sim {

namespace {

std::int64_t part(std::int64_t amount, Cycle passed, Cycle all) {
  return static_cast<std::int64_t>(Int128{amount} * passed / all);
}

}  // namespace

void SampledSeries::reach(Cycle until) {
  while (until > 0 && static_cast<std::size_t>((until - 1) / interval_) >= limit_) {
    if (fixed_) {
      throw Error(
          fmt::format("--stats-interval {}: the run has more than {} samples; at least {} cycles each are needed",
                      interval_, most_samples, (until - 1) / static_cast<Cycle>(most_samples) + 1));
    }
    double_interval();
  }
}

void SampledSeries::add(std::size_t series, std::int64_t amount, Cycle from, Cycle until) {
  if (from >= until) return;
  reach(until);
  auto& values = series_[series];
  const auto last = static_cast<std::size_t>((until - 1) / interval_);
  if (values.size() <= last) values.resize(last + 1, 0);
  std::int64_t done = 0;
  for (Cycle at = from; at < until;) {
    const Cycle sample = at / interval_, end = std::min(until, (sample + 1) * interval_);
    const std::int64_t so_far = part(amount, end - from, until - from);
    values[static_cast<std::size_t>(sample)] += so_far - done;
    done = so_far;
    at = end;
  }
}

void SampledSeries::double_interval() {
  interval_ *= 2;
  for (auto& values : series_) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t value = values[i];
      values[i] = 0;
      values[i / 2] += value;
    }
    values.resize((values.size() + 1) / 2);
  }
}

}  // namespace accord::sim

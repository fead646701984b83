#pragma once

#include <filesystem>
#include <map>

#include "simulator/trace/run_listener.h"
#include "simulator/trace/sampled_series.h"

namespace accord::sim {

/// Cycles by component and leaf, and bytes by link, over time: the table of --stats.
class Samples final : public RunListener {
 public:
  /// Cycles of a sample; 0: the least power of two that gives at most 1024.
  explicit Samples(Cycle interval) : series_(interval, 1024) {}

  void spent(int component, int leaf, Cycle from, Cycle until) override;
  void passed(int link, std::int64_t bytes, Cycle first, Cycle end) override;
  void queued(int, Cycle, int) override {}
  void signalled(int, Cycle, int) override {}
  void began(const Operation&) override {}
  void ended(const Operation&) override {}

  /// A line per sample of a run of `total` cycles: from, to, then a column for each "COMPONENT: LEAF" that occurs and
  /// each "LINK: bytes". Throws Error where the file cannot be written.
  void write_csv(const std::filesystem::path& file, const RunNames& names, Cycle total) const;

 private:
  SampledSeries series_;
  std::map<std::pair<int, int>, std::size_t> cycles_;  ///< by component and leaf
  std::map<int, std::size_t> bytes_;                   ///< by link
};

}  // namespace accord::sim

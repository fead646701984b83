#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "simulator/trace/run_listener.h"

namespace accord::sim {

/// Cycles by component and leaf, and bytes by link, over time: `interval` cycles each sample. Every column sums to the
/// run's total exactly.
class Samples final : public RunListener {
 public:
  static constexpr std::size_t most_samples = 1'000'000;

  /// `interval` 0: the least power of two that gives at most 1024 samples. Later an Error where a given one makes more
  /// than most_samples.
  explicit Samples(Cycle interval);

  void spent(int component, int leaf, Cycle from, Cycle until) override;
  void passed(int link, std::int64_t bytes, Cycle first, Cycle end) override;
  void queued(int, Cycle, int) override {}
  void signalled(int, Cycle, int) override {}

  Cycle interval() const { return interval_; }
  /// By sample; it may end before the run does.
  const std::vector<std::int64_t>& bytes(int link) { return bytes_[link]; }

  /// A line per sample of a run of `total` cycles: from, to, then a column for each "COMPONENT: LEAF" that occurs and
  /// each "LINK: bytes". Throws Error where the file cannot be written.
  void write_csv(const std::filesystem::path& file, const RunNames& names, Cycle total) const;

 private:
  using Column = std::vector<std::int64_t>;
  /// Divides `amount` over [from, until) evenly; what is added up to any cycle is rounded down.
  void add(Column& column, std::int64_t amount, Cycle from, Cycle until);
  void double_interval();

  Cycle interval_;
  bool fixed_;
  std::map<std::pair<int, int>, Column> cycles_;  ///< by component and leaf
  std::map<int, Column> bytes_;                   ///< by link
};

}  // namespace accord::sim

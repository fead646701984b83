#pragma once

#include <filesystem>
#include <vector>

#include "simulator/trace/run_listener.h"

namespace accord::sim {

/// Value changes of a run for waveform viewers (VCD, IEEE 1364-2005 clause 18). A scope per component with `busy` (it
/// works) and `state` (number of the leaf; the file's comment lists them), for units `queue` (entries waiting), and a
/// scope `sync` with the semaphores' counts. SystemC's own tracing samples at every event; this writes changes only.
class ValueChanges final : public RunListener {
 public:
  /// Kept at most, 16 bytes each; what comes later in the run than the first that is not kept is left out.
  static constexpr std::size_t most_changes = std::size_t{1} << 26;

  explicit ValueChanges(RunNames names);

  void spent(int component, int leaf, Cycle from, Cycle until) override;
  void passed(int, std::int64_t, Cycle, Cycle) override {}
  void queued(int unit, Cycle at, int change) override;
  void signalled(int semaphore, Cycle at, int change) override;
  void began(const Operation&) override {}
  void ended(const Operation&) override {}

  /// Throws Error where the file cannot be written.
  void write(const std::filesystem::path& file, Cycle total);

 private:
  enum class Kind : std::uint8_t { state, queue, semaphore };
  struct Change {
    Cycle at;
    int number;
    Kind kind;
    int value;  ///< states: the leaf; else by how much the count changes
  };
  void keep(const Change& change);
  void declare(std::ostream& out) const;
  std::size_t signal(const Change& change) const;

  RunNames names_;
  std::vector<Change> changes_;
  Cycle complete_until_;
};

}  // namespace accord::sim

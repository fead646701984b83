#pragma once

#include <deque>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/kernels/program_map.h"
#include "simulator/trace/event_file.h"
#include "simulator/trace/run_listener.h"
#include "simulator/trace/sampled_series.h"
#include "simulator/trace/word_lives.h"

namespace accord::sim {

/// A run as Chrome trace events: the tracks and counters of docs/simulator.md, "Trace". Slices are left out beyond
/// 512 MiB; a mark says from which cycle on. Counters and layers are always complete.
class ChromeTrace final : public RunListener {
 public:
  /// Throws Error where the file cannot be written.
  ChromeTrace(const std::filesystem::path& file, RunNames names, const Architecture& architecture,
              const Program& program, const ProgramMap& map);

  void spent(int component, int leaf, Cycle from, Cycle until) override;
  void passed(int link, std::int64_t bytes, Cycle first, Cycle end) override;
  void queued(int unit, Cycle at, int change) override;
  void signalled(int, Cycle, int) override {}
  void began(const Operation& operation) override;
  void ended(const Operation& operation) override;

  /// In the order of their ends.
  void layer(const std::string& name, Cycle from, Cycle until);
  /// Writes what is left of a run of `total` cycles; Error where the file could not be written.
  void finish(Cycle total);

 private:
  struct Slice {
    std::int64_t operation;  ///< id
    std::int64_t instruction;
    int mnemonic, layer;
    Cycle from, until;  ///< unknown: not done yet
  };
  /// A unit's operations, within slices of the layer and the statement that they belong to.
  struct UnitTrack {
    std::deque<Slice> begun;  ///< not written yet: the last until the next begins, others until they are done
    Cycle last_end = 0;       ///< of the last slice written
    int layer = -1;
    const std::string* statement = nullptr;  ///< open, as `layer`
    std::deque<Cycle> queued;                ///< dispatches of the queue's entries
  };
  struct State {
    int leaf = -1;
    Cycle from = 0, until = 0;
  };

  static int process(std::size_t component) { return static_cast<int>(component) + 1; }
  EventFile::Track operations(std::size_t unit) const { return {process(unit), 2 * process(unit)}; }
  EventFile::Track states(std::size_t component) const { return {process(component), 2 * process(component) + 1}; }
  void name_tracks();
  bool full(Cycle at);
  void write_first(UnitTrack& unit, EventFile::Track track, Cycle limit);
  void enter(UnitTrack& unit, EventFile::Track track, int layer, const std::string& statement, Cycle at);
  void leave(UnitTrack& unit, EventFile::Track track, bool layer);
  void write_state(std::size_t component);
  void use_memories(const Operation& operation);
  void write_counter(std::size_t component, const std::string& name, const std::string& unit, std::size_t series,
                     Cycle total);

  const Architecture& architecture_;
  const Program& program_;
  const ProgramMap& map_;
  RunNames names_;
  EventFile file_;
  std::vector<UnitTrack> units_;
  std::vector<State> states_;                    ///< by component, not written yet
  std::vector<std::optional<WordLives>> lives_;  ///< by memory; none off chip
  SampledSeries series_;                         ///< units: queues; memories: bytes in use; links: bytes
  Cycle left_out_ = std::numeric_limits<Cycle>::max();
};

}  // namespace accord::sim

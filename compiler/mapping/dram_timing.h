#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// What one instruction asks of a DRAM: requests of so many bytes for runs that lie apart.
struct DramWalk {
  struct Dim {
    std::int64_t count = 1;
    std::int64_t step = 0;  ///< bytes
  };
  std::int64_t run = 1;    ///< bytes side by side
  std::vector<Dim> dims;   ///< around the run, innermost first
  double requests = 1;     ///< in all
  std::int64_t bytes = 1;  ///< of each
  bool write = false;
  std::int64_t joined = 0;  ///< bytes side by side, the run among them, that are written one soon after another
};

/// Reference cycles for which the walk occupies a DRAM's channels, which bursts of all streams share evenly: the
/// greatest of
///  - its bursts, tCCD after each other (tCCD_L where all are in one group), a part of one like a whole one, but for
///    such that the controller's write queue joins;
///  - its activates, tRRD after each other and at most four in tFAW;
///  - its activates of one bank, max(tRAS, tRCD + recovery) + tRP after each other,
/// over the share of time that refreshes leave. Rows that the walk comes back to are open still if it visited no more
/// than there are banks in between; a stream opens each row once.
double dram_cycles(const Memory& memory, const DramWalk& walk);

/// How many times as long as its `dram_cycles` the walk takes by itself, 1 at least: as many as the busiest channel has
/// more words than an even share, of the `in_flight` requests that are under way together, the first of which begins a
/// word. Runs some steps apart may all lie on one channel.
double crowding(const Memory& memory, const DramWalk& walk, int in_flight);

// Streams of several movers, or of several tensors, meet at a channel batch by batch: what a mover has under way at a
// time is read together, and bursts that have gathered in the controller's queue (Dram::write_batch) are written
// together. Streams are taken to lie in banks of their own choice, at random.

/// Reference cycles that a channel's data bus loses to a batch that is written between such that are read.
double turnarounds(const Memory& memory);

/// Reference cycles that a stream's next batch waits for its row, in the mean, where so many other streams had theirs
/// in between: precharge and activation, where one of them lies in the same bank.
double reopening(const Memory& memory, double others);

/// The part of `reopening` that a mover's next batch waits for: its row is opened while the data of the requests before
/// it, of which `in_flight` are under way, still pass.
double exposed(const Memory& memory, bool write, double bytes, int in_flight);

/// What a stream takes of a channel.
struct DramTraffic {
  double cycles = 0;    ///< alone (`dram_cycles`)
  double batches = 0;   ///< of each channel
  double openings = 0;  ///< batches, each as far as it waits for its row (`exposed`)

  DramTraffic& operator+=(const DramTraffic& other);
  DramTraffic operator*(double times) const { return {cycles * times, batches * times, openings * times}; }
};

/// Of an instruction whose mover has `in_flight` requests under way.
DramTraffic dram_traffic(const Memory& memory, const DramWalk& walk, int in_flight);

/// Streams that share a DRAM throughout.
class DramMix {
 public:
  explicit DramMix(const Memory& memory) : memory_(memory) {}
  void add(const DramTraffic& stream, bool write);
  /// Reference cycles: what all take alone, the turnarounds around every batch that is written while others read, and
  /// rows that others have closed.
  double cycles() const;

 private:
  const Memory& memory_;
  DramTraffic read_, written_;
  int streams_ = 0;
};

}  // namespace accord

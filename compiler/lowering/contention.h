#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/lane.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// What transfers of several units compete for: links, each direction of a duplex one by itself; of a crossbar the
/// memories at its ends; the ports of off-chip memories; DRAM, whose rows and directions they change (dram_timing.h).
/// Each of these lanes serves one request after another. What one unit alone uses is no lane: it has its operations one
/// after another anyway.
class Contention {
 public:
  /// `list`: all operations that compete.
  Contention(const Architecture& architecture, const OpList& list);

  /// Into how many stretches the operation's bytes are to be cut, so that those of other units come in between: several
  /// turns each in lists with long transfers. 0: it competes for nothing.
  int stretches(const LowOp& op) const;

  /// Cycles that one of `stretches` equal stretches waits which, were it alone, would pass from `from` on. Those of
  /// all operations are to be given by the time at which they are presented.
  std::int64_t pass(const LowOp& op, int stretches, std::int64_t from);

 private:
  /// A lane on a way, and how it takes requests.
  struct Crossed {
    std::size_t lane = 0;
    std::int64_t width = 1;        ///< bytes of a beat
    double beat = 1;               ///< reference cycles
    bool rounded = false;          ///< a request takes whole cycles
    const Memory* dram = nullptr;  ///< whose rows and directions requests meet at
    bool writes = false;
    double cycles(const LowOp& op) const;  ///< of anything but DRAM
    double posted() const;                 ///< cycles of the lane that it need not wait for
  };

  /// Operations that read or write one tensor, as far as operations say: elements with a part of one work each go
  /// through the same rows.
  struct Stream {
    int way = -1;  ///< route of its unit; below 0: -1 less its capability
    bool constant = false;
    bool writes = false;
    bool operator==(const Stream&) const = default;
  };

  /// What a DRAM has served.
  struct Served {
    std::vector<Stream> streams;         ///< the last first
    std::array<std::set<int>, 2> units;  ///< that have read, written
    double waiting = 0;                  ///< cycles of what waits to be written
    double due = 0;                      ///< the batch that it is part of
    bool turns = false;                  ///< something has been read before it
    /// Cycles that a stretch takes, with what it loses to others: while it waits for its row, other movers that go the
    /// same direction are served. What is written takes none until a batch has come together.
    double meet(const Memory& memory, const Stream& stream, int unit, double cycles, double batches, double exposure);
  };

  using Way = std::vector<Crossed>;

  const Way& way_of(const LowOp& op) const;

  /// Turns that it takes with movers that ask for the like. One that is asked later waits for all requests that others
  /// have under way, and they for its own; elements that work in step on parts of one work ask together, and their
  /// requests pass one by one, several at a time of what may have as many times more under way than others (a multicast
  /// beside the elements' own movers). 0: it competes for nothing.
  std::int64_t turns(const LowOp& op) const;
  int in_flight(const LowOp& op) const;

  /// What one of the operation's stretches takes of a DRAM.
  double met(const Crossed& crossed, const LowOp& op, int stretches);

  const Architecture& architecture_;
  bool in_step_;
  int least_in_flight_ = std::numeric_limits<int>::max();  ///< of the units whose operations pass links
  std::int64_t grain_ = 1;                                 ///< turns of a stretch
  std::vector<std::vector<Way>> routes_, capabilities_;    ///< [unit][route or capability]
  std::vector<Lane> lanes_;                                ///< by lane
  std::vector<Served> served_;                             ///< by lane
};

}  // namespace accord

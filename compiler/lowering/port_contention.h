#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/lane.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// What units compete for at memories on chip: the ports of each bank, those for reads and those for writes by
/// themselves unless they are shared. What one unit alone uses an operation's own times know of.
class PortContention {
 public:
  /// `list`: all operations that compete.
  PortContention(const Architecture& architecture, const OpList& list);

  /// Cycles by which others delay an operation.
  struct Delay {
    std::int64_t unit = 0;     ///< until its unit has read what it needs
    std::int64_t results = 0;  ///< and beside that until they are written
  };

  /// Of one that begins at `start`. To be given about in the order of these times. Compute units ask for all words of
  /// an operand at once and wait for what others have taken; a transfer's words come one by one and leave room to
  /// others in between.
  Delay begin(const LowOp& op, std::int64_t start);

 private:
  /// A transfer's words in a bank.
  struct Stream {
    double until = 0;
    double share = 0;  ///< of the bank's ports
  };

  /// The ports of a bank.
  struct Ports {
    int unit = -1;           ///< that uses it
    bool contested = false;  ///< so do others
    double word = 0;         ///< cycles for one of many
    Lane taken;
    std::vector<Stream> streams;
  };

  /// Banks of a buffer, or of a part of it.
  struct Span {
    std::size_t first = 0, count = 1;
  };

  Span banks_of(const Buffer& buffer, const BufferAccess& access) const;
  Ports& ports(int memory, std::size_t bank, bool write);
  template <typename Fn>
  void each_use(const LowOp& op, Fn&& fn);

  double ask(Ports& ports, const LowOp& op, double words, double from) const;

  const Architecture& architecture_;
  const std::vector<Buffer>& buffers_;
  std::vector<std::size_t> first_;  ///< by memory: its first bank's ports for reads; those for writes follow all banks
  std::vector<Ports> ports_;
  bool contested_ = false;  ///< any
};

}  // namespace accord

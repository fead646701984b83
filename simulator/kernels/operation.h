#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/kernels/footprint.h"
#include "simulator/kernels/prepared_program.h"

namespace accord::sim {

using Cycle = std::int64_t;
constexpr Cycle unknown = -1;

/// Operands of one instruction that this simulator takes.
constexpr std::size_t max_operands = 16;

/// One access of an operation to a memory.
struct AccessShape {
  int operand = -1;  ///< index of its base in Operation::base
  int memory = -1;
  bool reads = false;
  bool writes = false;
  bool in_place = false;
  Footprint footprint;
};

/// A transfer's walk: dimension 0 is bytes.
struct Walk {
  struct Dim {
    std::int64_t count = 1;
    std::int64_t source = 0;
    std::int64_t target = 0;
  };
  std::vector<Dim> dims;
  std::int64_t bytes = 0;
};

/// Calls `visit(source offset, target offset, bytes)` for the contiguous pieces of bytes [first, last) of the walk.
template <class Visit>
void for_each_piece(const Walk& walk, std::int64_t first, std::int64_t last, Visit&& visit) {
  const std::int64_t row = walk.dims[0].count;
  for (std::int64_t at = first; at < last;) {
    std::int64_t rest = at / row, source = at % row, target = source;
    const std::int64_t length = std::min(row - source, last - at);
    for (std::size_t d = 1; d < walk.dims.size() && rest; ++d) {
      const std::int64_t index = rest % walk.dims[d].count;
      source += index * walk.dims[d].source;
      target += index * walk.dims[d].target;
      rest /= walk.dims[d].count;
    }
    visit(source, target, length);
    at += length;
  }
}

/// A mover's off-chip (else source) side of an operation: `run` contiguous bytes, repeated over `outer`, innermost
/// first.
struct RequestPattern {
  int access = -1;  ///< of OperationShape::accesses
  bool write = false;
  std::int64_t offset = 0;
  std::int64_t run = 0;
  std::vector<Stride> outer;  ///< steps may be negative or 0
  std::int64_t runs = 0;
};

/// All of an operation that does not depend on its base addresses; shared by the operations that agree in it.
struct OperationShape {
  std::vector<AccessShape> accesses;
  std::vector<std::int64_t> extents;
  std::vector<Placement> placements;     ///< runs: one per operand of the prepared program
  std::vector<std::int64_t> loads;       ///< runs: per operand of the capability, 0 where held values are used
  Walk walk;                             ///< transfers
  std::vector<RequestPattern> requests;  ///< of movers
  Cycle start = 0, interval = 0, drain = 0;
  Cycle useful = 0;  ///< cycles that the interval would take with every lane busy
  std::int64_t lane_macs = 0;
  std::vector<int> links;       ///< that the bytes pass
  std::int64_t link_bytes = 0;  ///< over each of them
  std::int64_t off_chip_bytes = 0;
  double energy_pj = 0;
};

/// One executed instruction of a unit.
struct Operation {
  std::int64_t id = 0;  ///< program order
  std::int64_t instruction = -1;
  int mnemonic = -1;
  int unit = -1;
  int layer = -1;
  std::shared_ptr<const OperationShape> shape;
  std::array<std::int64_t, max_operands> base{};     ///< by operand of the capability; transfers: source, target
  std::array<std::uint64_t, max_operands> scalar{};  ///< values of scalar operands, in their types

  Cycle dispatched = 0;
  Cycle ready = 0;  ///< ranges are free from then on
  Cycle started = 0;
  Cycle done = unknown;
  int blocked_by = -1;  ///< unit whose operation determined `ready`
  int unresolved = 0;   ///< earlier conflicting operations whose end is not known
  std::vector<Operation*> dependents;
  int holds = 0;  ///< users; see OperationPool

  std::int64_t low(const AccessShape& access) const {
    return base[static_cast<std::size_t>(access.operand)] + access.footprint.offset;
  }
  std::int64_t high(const AccessShape& access) const { return low(access) + access.footprint.extent; }
};

/// True where one of the two writes what the other touches (bounding ranges).
bool conflicts(const Operation& a, const Operation& b, const std::vector<bool>& memories);

}  // namespace accord::sim

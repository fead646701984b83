#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "archdsl/tensor/element_type.h"
#include "simulator/kernels/footprint.h"
#include "simulator/kernels/prepared_program.h"
#include "simulator/time/time.h"

namespace accord::sim {

/// Operands of one instruction that this simulator takes.
constexpr std::size_t max_operands = 16;

/// Dimensions of one walk that this simulator takes.
constexpr std::size_t most_walk_dims = 8;

/// One access of an operation to a memory.
struct AccessShape {
  int operand = -1;  ///< index of its base in Operation::base
  int memory = -1;
  bool reads = false;
  bool writes = false;
  bool in_place = false;
  Footprint footprint;
};

/// The bytes that a transfer reads, as a walk: dimension 0 is bytes.
struct Walk {
  struct Dim {
    std::int64_t count = 1;
    std::int64_t source = 0;
    std::int64_t target = 0;
  };
  std::vector<Dim> dims;
  std::int64_t bytes = 0;
  std::int64_t target = 0;  ///< of the first byte from dst.base: what lies before it is filled
  int gather = -1;          ///< dimension whose source steps are Operation::indices; -1: none
};

/// The list that a gather follows.
struct IndexList {
  ElementType type = ElementType::i32;
  std::int64_t entries = 0;
  std::int64_t rows = 0;  ///< entries lie in 0..rows - 1
};

/// What a transfer fills at the target: of each dimension's steps (bytes in dimension 0) the first and the last.
struct Filling {
  struct Dim {
    std::int64_t count = 1;
    std::int64_t low = 0;   ///< filled before those that are read
    std::int64_t high = 0;  ///< filled after them
    std::int64_t step = 0;
  };
  std::vector<Dim> dims;
  std::vector<std::byte> element;  ///< repeats along each row of dimension 0
  std::vector<Footprint> boxes;    ///< what is filled, without overlap of steps; none: nothing is
};

/// Bytes of the longest piece that is filled at once.
constexpr std::int64_t longest_filled = 4096;

/// Calls `visit(target offset, position, bytes)` for the filled pieces in the order of the walk, where make_filled_row
/// gives a piece's content from `position` on.
template <class Visit>
void for_each_filled(const Filling& filling, Visit&& visit) {
  if (filling.boxes.empty()) return;
  const auto size = static_cast<std::int64_t>(filling.element.size());
  const auto fill = [&](std::int64_t offset, std::int64_t within, std::int64_t length) {
    for (std::int64_t done = 0; done < length; done += longest_filled)
      visit(offset + done, (within + done) % size, std::min(longest_filled, length - done));
  };
  const Filling::Dim& bytes = filling.dims[0];
  std::int64_t rows = 1;
  for (std::size_t d = 1; d < filling.dims.size(); ++d) rows *= filling.dims[d].count;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t offset = 0, rest = row;
    bool all = false;
    for (std::size_t d = 1; d < filling.dims.size(); ++d) {
      const Filling::Dim& dim = filling.dims[d];
      const std::int64_t step = rest % dim.count;
      all = all || step < dim.low || step >= dim.count - dim.high;
      offset += step * dim.step;
      rest /= dim.count;
    }
    if (all) {
      fill(offset, 0, bytes.count);
      continue;
    }
    fill(offset, 0, bytes.low);
    const std::int64_t high = bytes.count - bytes.high;
    fill(offset + high, high, bytes.high);
  }
}

/// The element over and over, as long as for_each_filled needs it.
void make_filled_row(const Filling& filling, std::vector<std::byte>& row);

/// A mover's off-chip (else source) side of an operation: `run` contiguous bytes, repeated over `outer`, innermost
/// first.
struct RequestPattern {
  int access = -1;  ///< of OperationShape::accesses
  bool write = false;
  std::int64_t offset = 0;
  std::int64_t run = 0;
  std::vector<Stride> outer;  ///< steps may be negative or 0
  int gathered = -1;          ///< which of them follows Operation::indices; -1: none
  std::int64_t runs = 0;
};

/// What an operation costs one component.
struct EnergyShare {
  std::size_t component = 0;  ///< ComponentNumbers
  double pj = 0;
};

/// All of an operation that does not depend on its base addresses; shared by the operations that agree in it.
struct OperationShape {
  std::vector<AccessShape> accesses;
  std::vector<std::int64_t> extents;
  std::vector<Placement> placements;     ///< runs: one per operand of the prepared program
  std::vector<std::int64_t> loads;       ///< runs: per operand of the capability, 0 where held values are used
  Walk walk;                             ///< transfers
  std::size_t targets = 0;               ///< transfers: accesses[1] .. accesses[targets]; a gather's list comes last
  IndexList list;                        ///< gathers
  Filling filling;                       ///< transfers
  std::vector<RequestPattern> requests;  ///< of movers
  Cycle start = 0, interval = 0, drain = 0;
  Cycle least_cycles = 0;  ///< from start to done, on any state of the machine: never more than it takes
  Cycle useful = 0;        ///< cycles that the interval would take with every lane busy
  std::int64_t lane_macs = 0;
  std::vector<int> links;       ///< that the bytes pass
  std::int64_t link_bytes = 0;  ///< over each of them
  std::int64_t off_chip_bytes = 0;
  std::vector<EnergyShare> energy;
};

/// Memories as bits: that of number m stands for all whose number is m modulo 64.
using MemorySet = std::uint64_t;
inline MemorySet memory_bit(int memory) { return MemorySet{1} << (memory & 63); }

/// The bounding range [low, high) of one access of an operation.
struct TouchedRange {
  std::int64_t low = 0, high = 0;
  int memory = -1;
  bool off_chip = false;
  bool reads_result = false;  ///< reads, other than by accumulating in place
  bool writes = false;
};

/// One executed instruction of a unit.
struct Operation {
  std::int64_t id = 0;  ///< program order
  Time done = not_known;
  int unit = -1;
  int holds = 0;                     ///< users; see OperationPool
  MemorySet touched = 0;             ///< memories of `ranges`
  MemorySet written = 0;             ///< those that are written
  MemorySet results = 0;             ///< those that are read, other than by accumulating in place
  std::vector<TouchedRange> ranges;  ///< of the accesses that touch anything
  Time dispatched;
  Time ready;  ///< ranges are free from then on
  Time over;   ///< when operations that held them before were done, of a run that is recorded
  Time started;
  int blocked_by = -1;  ///< unit whose operation determined `ready`
  int unresolved = 0;   ///< earlier conflicting operations whose end is not known
  std::vector<Operation*> dependents;

  std::int64_t instruction = -1;
  int mnemonic = -1;
  int layer = -1;
  std::shared_ptr<const OperationShape> shape;
  std::array<std::int64_t, max_operands> base{};     ///< by operand of the capability; transfers: source, target, list
  std::array<std::uint64_t, max_operands> scalar{};  ///< values of scalar operands, in their types
  std::vector<std::int64_t> indices;                 ///< gathers: the list, as read when the operation streamed

  std::int64_t base_of(const AccessShape& access) const { return base[static_cast<std::size_t>(access.operand)]; }
  std::int64_t low(const AccessShape& access) const { return base_of(access) + access.footprint.offset; }
  std::int64_t high(const AccessShape& access) const { return low(access) + access.footprint.extent; }
};

/// What a transfer writes.
inline std::span<const AccessShape> targets_of(const OperationShape& shape) {
  return std::span(shape.accesses).subspan(1, shape.targets);
}

/// Which memories conflicts are looked for in.
enum class Within : std::uint8_t { all, on_chip };

bool ranges_conflict(const Operation& a, const Operation& b, Within within);
bool ranges_read_result(const Operation& later, const Operation& earlier);

/// True where one of the two writes what the other touches (bounding ranges).
inline bool conflicts(const Operation& a, const Operation& b, Within within) {
  return ((a.touched & b.written) | (a.written & b.touched)) != 0 && ranges_conflict(a, b, within);
}

/// True where `later` reads, other than by accumulating in place, what `earlier` writes.
inline bool reads_result_of(const Operation& later, const Operation& earlier) {
  return (later.results & earlier.written) != 0 && ranges_read_result(later, earlier);
}

}  // namespace accord::sim

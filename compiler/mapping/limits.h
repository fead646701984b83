#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// What transfers of a route take, as far as it tells one walk over the same bytes from another. Reference cycles.
struct TransferPace {
  bool asks_at_target = false;  ///< requests are for what lies together there: off chip; else at the source
  std::int64_t request = 64;    ///< bytes at most
  double each = 1;              ///< of one transfer at least: its set-up
  double per_request = 1;       ///< at least: presented one per cycle, with so many in flight
  double per_byte = 0;          ///< over the links
  std::int64_t word = 1;        ///< of the memory at the other end
  double per_word = 0;          ///< through its ports

  /// Of a transfer of so many bytes in rows of `row`, of which so many lie together where requests are for them.
  double cycles(std::int64_t bytes, std::int64_t row, std::int64_t together) const;
};

/// What the instruction set lets a capability or route do: the covenant's dims cut down to what fields, constants and
/// registers of its mnemonic can hold.
struct RouteLimits {
  int mnemonic = -1;
  std::vector<WalkDim> walk;
  std::int64_t source_unit = 1;  ///< addresses are multiples of this
  std::int64_t target_unit = 1;
  TransferPace pace;
  std::int64_t run_unit = 1;      ///< n0, the bytes of a run, is a multiple of this
  std::int64_t source_steps = 1;  ///< free strides are multiples of this
  std::int64_t target_steps = 1;
};

struct RunLimits {
  int mnemonic = -1;  ///< -1: what leaves its target in place needs no instruction
  std::vector<CapabilityDim> dims;
  std::vector<std::int64_t> units;  ///< per operand: instructions give its addresses and steps in multiples of this
  std::vector<std::int64_t> steps;  ///< per operand: its steps alone
};

/// Whether the one's instructions can be all that the other's can, for capabilities of the same operands and dims.
bool covers(const RunLimits& one, const RunLimits& other);

/// How many semaphores of the machine every wait and every signal of its instruction set can name.
int nameable_semaphores(const Architecture& architecture);

/// Of several mnemonics for the same route or capability the first counts, or one whose instructions can be all that
/// its can, and more. Worked out when first asked for, by whatever thread: of an array's elements few ever are.
class Limits {
 public:
  explicit Limits(const Architecture& architecture);
  /// Of the same machine at other rates.
  Limits(const Limits& like, const Architecture& architecture);
  /// Absent where no mnemonic drives it.
  const RouteLimits* route(int unit, int route) const;
  const RunLimits* run(int unit, int capability) const;
  int mnemonic_for(Meaning meaning, int unit = -1) const;
  /// Whether turns of a loop can be one body: there are hardware loops, and registers for what grows from turn to turn.
  bool loops() const;

 private:
  template <class What>
  struct Driven {
    int mnemonic = -1;
    std::once_flag asked;
    std::optional<What> limits;
  };
  template <class What>
  using ByUnit = std::vector<std::vector<Driven<What>>>;  ///< and by its routes or capabilities

  const Architecture& architecture_;
  mutable ByUnit<RouteLimits> routes_;
  mutable ByUnit<RunLimits> runs_;
};

}  // namespace accord

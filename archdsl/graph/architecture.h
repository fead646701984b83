#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/dram.h"
#include "archdsl/graph/period.h"
#include "archdsl/isa/isa.h"
#include "archdsl/source/formula.h"
#include "archdsl/source/location.h"
#include "archdsl/tensor/statement.h"

namespace accord {

/// A clock domain; the first one is the reference. Cycle counts of a component are those of its own domain; `period`
/// turns them into reference cycles, in which compiler and simulator count.
struct ClockDomain {
  std::string name;
  double hz = 1e9;
  std::int64_t crossing = 0;  ///< cycles of this domain that data entering it wait for the synchroniser
  Period period;
};

/// Energy per event; 0 where the covenant declares none.
struct Energy {
  double read_pj = 0;   ///< per byte read
  double write_pj = 0;  ///< per byte written
};

/// What a component costs by being there.
struct Silicon {
  double area_um2 = 0;
  double static_pj = 0;  ///< per cycle of its clock, whatever it does: leakage, clock tree
};

/// Scratchpad, register file, buffer or off-chip DRAM. Addresses are bytes from 0.
/// Each bank has `read_ports` + `write_ports` ports of one word per cycle (`shared_ports`: the same ones); words are
/// interleaved over the banks in blocks of capacity / banks (bank = address / (capacity / banks)); an off-chip memory's
/// banks are its channels, interleaved by word.
struct Memory {
  std::string name;
  bool off_chip = false;
  std::int64_t capacity = 0;  ///< bytes
  std::int64_t word = 1;      ///< bytes; the unit of access and of on-chip addresses in instructions
  int banks = 1;
  int read_ports = 1;
  int write_ports = 1;
  bool shared_ports = false;  ///< each of the `read_ports` = `write_ports` ports reads or writes
  std::int64_t latency = 1;   ///< cycles from a request's acceptance to its first word
  int clock = 0;              ///< domain; a port's cycle is the domain's
  Period period;
  Energy energy;
  Silicon silicon;
  std::optional<Dram> dram;  ///< off-chip: its words are bursts, its banks channels, and `latency` is the controller's
  Location where;

  /// Of a bank; off chip, of a channel.
  std::int64_t bank_bytes() const { return std::max<std::int64_t>(capacity / banks, 1); }
};

/// Who goes first among the requests that wait for a link.
enum class Arbitration : std::uint8_t {
  first_come,   ///< the earliest; ties go to the unit that stands earlier in the covenant
  round_robin,  ///< the unit that follows the one served last
  priority      ///< the unit that stands earliest in the covenant
};

/// A bus, crossbar or wire: `width` bytes per cycle, shared by the routes that pass it.
struct Link {
  std::string name;
  std::int64_t width = 1;  ///< bytes per cycle, all directions together unless `duplex`
  bool duplex =
      false;  ///< the two directions do not compete (reads from and writes to off-chip memory; else the ends' order)
  bool crossbar = false;  ///< requests compete only where they share the source or the target memory
  Arbitration arbitration = Arbitration::first_come;
  std::int64_t fifo = 0;     ///< bytes held for a target that is busy before the link stops; 0: no limit
  std::int64_t latency = 0;  ///< cycles
  int clock = 0;             ///< domain; `width` is per cycle of the domain
  Period period;             ///< of one beat: the clock's, or what a stated bandwidth makes of it (`width` is then 1)
  std::vector<std::string> between;  ///< the two ends, components or groups of them; empty: a bus
  double pj_per_byte = 0;
  Silicon silicon;
  Location where;
};

/// How far one dimension of a walk steps on one side.
struct Step {
  enum class Kind { free, fixed };  ///< an argument of the instruction, or wired
  Kind kind = Kind::free;
  std::int64_t bytes = 0;  ///< the wired step
  bool operator==(const Step&) const = default;
};

/// One dimension of a mover's address walk. Dimension 0 is the innermost: `max` bytes, contiguous on both sides.
struct WalkDim {
  std::int64_t max = 0;  ///< greatest extent (bytes for dimension 0, steps otherwise)
  Step source;
  Step target;
};

/// What a mover writes at the target instead of bytes that it does not read: one element, over and over, beginning anew
/// with each row of the innermost dimension.
struct Padding {
  ElementType type = ElementType::u8;
  double value = 0;  ///< within the type; whole for integers, else rounded to it
};

/// Steps taken from a list: step i of dimension `dim` lies at index[i] * stride of the source instead of i * stride.
struct Gather {
  int index = -1;                       ///< on-chip memory that holds the list, its entries contiguous
  ElementType type = ElementType::i32;  ///< of an entry; an integer
  int dim = 1;
};

/// One way a mover can drive. Arguments of a transfer, in order: src.base, dst.base, n0 (bytes), n1.. (steps, default
/// 1), src.stride1.., dst.stride1.. (bytes; wired ones are not arguments but constants); with `pad` lo0, hi0, lo1,
/// hi1.. (default 0); with `gather` index.base, rows. The mover walks dimension 0 innermost and splits what is
/// contiguous in the off-chip (else source) memory into requests.
/// Padding: of the steps of dimension d (bytes for d = 0) the first `lo` and the last `hi` are filled at the target;
/// src.base is the first byte that is read. Filled bytes are written first, so where targets overlap read ones stay.
/// Gather: the list has an entry per step that is read; entries are 0..rows - 1. The operation counts as reading all
/// of the table's `rows` steps.
struct Route {
  int source = -1;  ///< memory
  int target = -1;
  std::vector<int> also;   ///< further targets of a multicast: the same bytes at the same addresses
  std::vector<int> links;  ///< passed one after the other; empty: a private wire as wide as the narrower memory's word
  std::vector<bool> backward;  ///< per link: from its second end to its first
  std::int64_t crossing = 0;   ///< reference cycles lost in clock domain crossings on the way
  std::vector<WalkDim> walk;
  std::optional<Padding> pad;
  std::optional<Gather> gather;
  Location where;
};

/// One dimension of a capability: legal extents minimum..maximum in multiples of `multiple`.
struct CapabilityDim {
  std::string name;  ///< iterator of the capability's program, same index
  std::int64_t minimum = 1;
  std::int64_t maximum = 1;
  std::int64_t multiple = 1;
};

/// One operand of a capability, same index as in its program. `memory` -1: a scalar argument of the instruction
/// (rank 0; floats as the bits of an fp32).
struct CapabilityOperand {
  int memory = -1;
  bool held = false;        ///< stays in the unit: argument `NAME.load` says whether it is read anew (default 1)
  std::vector<Step> steps;  ///< per index position: bytes from one index to the next
  /// Bytes per program iterator when every step is wired or given: steps combined through the access's coefficients
  /// is the caller's business (see docs/covenant.md).
};

/// What a unit does in one go: statements over dims, where its operands lie, what it costs.
/// An operation issued at t occupies the unit until t + interval (pipelined), reads its operands in
/// [t + start, t + start + interval) and is done at t + start + interval + drain. On a mover `interval` is a lower
/// limit; the bytes of its operands pass its link and ports as requests.
/// Arguments of a run, in order: each dim's extent; each memory operand's NAME.base (bytes); each free step
/// NAME.stride<position> (bytes); each held operand's NAME.load; each scalar operand's NAME.
struct Capability {
  std::string name;
  TensorProgram program;
  std::vector<CapabilityDim> dims;
  std::vector<CapabilityOperand> operands;
  Formula start, interval, drain;  ///< cycles; variables: the dims in order, then NAME.load of held operands
  double pj_per_point = 0;         ///< per point of the iteration space
  Location where;
};

enum class UnitKind { compute, mover };

/// A compute unit or a mover: takes operations from its in-order queue.
struct Unit {
  std::string name;
  UnitKind kind = UnitKind::compute;
  int queue = 4;  ///< operations that wait here
  std::vector<Capability> capabilities;
  // movers
  std::vector<Route> routes;
  int link = -1;              ///< that a mover's capabilities use; -1: a private wire
  std::int64_t request = 64;  ///< greatest bytes of one request
  int in_flight = 1;          ///< requests under way
  std::int64_t setup = 0;     ///< cycles before an operation's first request
  int clock = 0;              ///< domain; one request per cycle of the domain
  Period period;
  Silicon silicon;
  Location where;
};

/// Fetches, decodes and dispatches in program order, `issue_width` instructions every `issue_interval` cycles.
struct Controller {
  std::string name;
  int issue_width = 1;
  int issue_interval = 1;
  std::int64_t latency = 0;  ///< cycles from issue to the unit's queue
  int loop_depth = 0;        ///< nested hardware loops
  Silicon silicon;           ///< its clock is the reference
  Location where;
};

/// How order between units is kept.
struct Sync {
  enum class Kind {
    in_order,    ///< an operation starts after all before it have started, and stalls all while its ranges are in use
    semaphores,  ///< only explicit wait and signal order the units
    interlock    ///< up to `entries` dispatched operations; each starts when the on-chip ranges it touches are free
  };
  Kind kind = Kind::in_order;
  int semaphores = 0;
  std::int64_t semaphore_max = 0;  ///< greatest count
  int entries = 0;
};

/// The machine's number system: what the quantiser aims at. The requantisation is an expression over `x`
/// (accumulator type), the parameters and lo, hi; some capability must match it.
struct Numerics {
  bool integer = true;
  ElementType storage = ElementType::i8;  ///< activations
  ElementType weight = ElementType::i8;
  ElementType accumulator = ElementType::i32;
  std::string requantise;  ///< e.g. "i8(clamp(round(fp32(x) * scale), lo, hi))"
  enum class Role { unknown, scale, mult, shift };
  struct Parameter {
    std::string name;
    ElementType type = ElementType::fp32;
    bool per_channel = false;

    /// What it stands for: a float whose name holds "scale"; an integer whose name holds "mult" or "shift".
    Role role() const;
  };
  std::vector<Parameter> parameters;
};

/// A checked, resolved covenant. Ids are indices; nothing later knows a default.
struct Architecture {
  std::string name;
  std::string source;                  ///< citation
  double clock_hz = 1e9;               ///< of the reference
  std::vector<ClockDomain> clocks{1};  ///< the reference first
  std::vector<Memory> memories;
  std::vector<Link> links;
  std::vector<Unit> units;
  Controller controller;
  Sync sync;
  Numerics numerics;
  Isa isa;
  std::string hash;  ///< over the resolved content; stands in every program compiled for it
};

/// Names of the arguments of a transfer on `route`, in order.
std::vector<std::string> transfer_arguments(const Route& route);

/// Names of the arguments of a run of `capability`, in order.
std::vector<std::string> run_arguments(const Capability& capability);

/// Whether the unit keeps operands from one operation to the next: what it does depends on what it did before.
bool holds_operands(const Unit& unit);

}  // namespace accord

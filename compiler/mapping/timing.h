#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/mapping/dram_timing.h"
#include "compiler/mapping/step_shape.h"

namespace accord {

// How long single instructions take, as far as the covenant says; contention and waits apart. Cycles of the reference
// clock.

/// What an instruction asks for off chip, else at its source.
struct RequestTiming {
  double count = 0;
  std::int64_t bytes = 1;  ///< of each
  double link = 0;         ///< the link of their way that they take longest is occupied: whole beats for each
  DramTraffic dram;        ///< none where off-chip memory has no rows
  double stream = 0;       ///< of those cycles alone, with the `crowding` of its channels
};

/// One transfer's times.
struct TransferTiming {
  RequestTiming requests;
  double stream = 0;   ///< from its first byte to its last: link and port widths, requests in flight
  double apart = 0;    ///< its mover would be occupied if its links took no time: the next one's set-up runs beside its
                       ///< requests, and lasts as long where they are few
  double busy = 0;     ///< its mover is occupied
  double awaited = 0;  ///< requests that take a place in flight until they are answered
  double answer = 0;   ///< cycles from asking for one until its place is free
  double hurry = 0;    ///< of `stream`, what it waits for such room where other transfers come at once before and after
  double source_words = 0, target_words = 0;  ///< of memories on chip
};
TransferTiming transfer_timing(const Architecture& architecture, const Hop& hop, const TransferPiece& piece);

/// Reference cycles for which a request of so many bytes takes a link: whole beats, whole cycles.
double request_beats(const Link& link, double bytes);

/// Bytes per reference cycle of the way that a mover's capabilities share.
double capability_rate(const Architecture& architecture, const Unit& unit);

/// From a transfer's start to its first byte's arrival.
std::int64_t hop_latency(const Architecture& architecture, const Hop& hop);

/// Beside `working_cycles`: from an instruction's start to its last result. A mover's includes its set-up and the
/// longest latency of the memories that it reads.
std::int64_t latency_around(const Machine& machine, const Match& match,
                            const std::vector<std::int64_t>& formula_values);

/// Cycles for which one instruction that counts `chunk` of each dim works: the capability's interval, the read ports of
/// the banks that its operands lie in; on a mover also the requests for its off-chip operands. `formula_values`: chunks
/// in the dims' multiples, then load flags. `by`: the step's match, or its `beginning_match`.
std::int64_t working_cycles(const Machine& machine, const Mapping& mapping, int step, const Match& by,
                            const StepShape& shape, const std::vector<UseView>& views, const Extents& box,
                            const std::vector<std::int64_t>& formula_values);

/// Its requests for off-chip operands: those of the operand that takes the way longest. None on compute units.
RequestTiming requests_of(const Machine& machine, const Mapping& mapping, int step, const StepShape& shape,
                          const std::vector<UseView>& views, const Extents& box,
                          const std::vector<std::int64_t>& formula_values);

/// Cycles for which it keeps its unit busy: on a mover the next one's set-up at least.
std::int64_t instruction_cycles(const Unit& unit, std::int64_t working);

/// Words that pass the ports of a memory on chip, where units wait for each other.
struct MemoryWords {
  int memory = -1;
  double read = 0, written = 0;
};

/// Cycles that the step's instructions over one box occupy its unit, and their number.
struct StepCycles {
  std::int64_t instructions = 0;
  std::int64_t cycles = 0;   ///< by the step's own capability
  std::int64_t opening = 0;  ///< more where sums begin in the box, whose first instructions another one does
  std::vector<MemoryWords> words;
  std::array<DramTraffic, 2> dram;  ///< read, written
};
StepCycles cycles_of(const Machine& machine, const Mapping& mapping, int step, const StepShape& shape,
                     const std::vector<UseView>& views, const Extents& box);

}  // namespace accord

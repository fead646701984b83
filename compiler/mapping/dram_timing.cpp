#include "compiler/mapping/dram_timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// How consecutive addresses lie in a DRAM: stretches of `bytes` with `abreast` rows each, in all channels; the next
/// `turns` stretches lie in other banks.
struct Stretches {
  std::int64_t bytes, abreast, turns;
};

Stretches stretches_of(const Memory& memory) {
  const Dram& part = *memory.dram;
  const std::int64_t channels = memory.banks;
  const auto stretches = [&](std::int64_t abreast, std::int64_t turns) {
    return Stretches{channels * abreast * part.row, channels * abreast, turns};
  };
  switch (part.interleave) {
    case Dram::Interleave::group: return stretches(part.groups, part.banks);
    case Dram::Interleave::row: return stretches(1, part.groups * part.banks);
    case Dram::Interleave::bank: break;
  }
  return stretches(part.groups * part.banks, 1);
}

/// The rows that a walk opens.
struct Opened {
  double rows = 0;
  double abreast = 1;  ///< of them side by side in other groups, channels or banks
  double turns = 1;    ///< banks in which those after each other lie
};

/// Steps within a stretch come back to the same rows; greater ones lead to others.
Opened opened_by(const Memory& memory, const DramWalk& walk) {
  const Stretches stretches = stretches_of(memory);
  double jumps = 1, turns = 1, near = 1;
  std::int64_t extent = walk.run;
  for (const DramWalk::Dim& dim : walk.dims) {
    const auto count = static_cast<double>(dim.count);
    const std::int64_t step = std::abs(dim.step);
    if (step >= stretches.bytes) {
      jumps *= count;
      const bool whole = step % stretches.bytes == 0;
      const std::int64_t common = whole ? std::gcd(stretches.turns, step / stretches.bytes) : 1;
      turns = std::max(turns, std::min(count, static_cast<double>(stretches.turns / common)));
    } else if (jumps > turns) {
      jumps *= count;  // what was open has been closed
    } else {
      extent += (dim.count - 1) * step;
      near *= count;
    }
  }
  const double bursts = near * static_cast<double>(ceil_div(walk.run, memory.word));
  const double across = static_cast<double>(ceil_div(extent, memory.word));
  Opened opened;
  opened.abreast = std::min({static_cast<double>(stretches.abreast), bursts, across});
  opened.turns = jumps > 1 ? turns : static_cast<double>(stretches.turns);
  const double share = static_cast<double>(extent) / static_cast<double>(stretches.bytes);
  opened.rows = jumps * opened.abreast * (jumps > 1 ? std::max(share, 1.0) : share);
  return opened;
}

/// Clocks from one activate of a bank to the next.
double row_cycle(const Dram& part, bool write) {
  return static_cast<double>(std::max(part.ras, part.rcd + part.recovery(write)) + part.rp);
}

double reference_cycles(const Dram& part, double clocks) {
  return clocks * static_cast<double>(part.period.numerator) / static_cast<double>(part.period.denominator);
}

/// Clocks from one burst to the next where nothing holds them up.
std::int64_t column_spacing(const Dram& part) {
  return part.groups > 1 && part.interleave != Dram::Interleave::row ? part.ccd_s : part.ccd_l;
}

/// Bursts that the walk makes. Parts of a burst that are written join in the queue: those of neighbouring runs, and
/// those of the next walk where the queue keeps all that this one and its like in other parts write meanwhile.
double bursts_of(const Memory& memory, const DramWalk& walk) {
  const Dram& part = *memory.dram;
  const auto word = static_cast<double>(memory.word);
  const double apart = walk.requests * static_cast<double>(ceil_div(walk.bytes, memory.word));
  if (!walk.write) return apart;
  const bool near = !walk.dims.empty() && walk.run < memory.word && walk.dims.front().step < memory.word;
  const double own = near ? apart * static_cast<double>(walk.dims.front().step) / word : apart;
  const auto kept = static_cast<double>(part.write_low() * memory.banks);
  if (walk.joined == 0 || own * static_cast<double>(part.sharers) > kept) return own;
  const double runs = walk.requests * static_cast<double>(walk.bytes) / static_cast<double>(walk.joined);
  return std::min(own, runs * static_cast<double>(ceil_div(walk.joined, memory.word)));
}

constexpr std::int64_t most_visited = 64;  ///< runs, whose words tell how all lie

/// Where the walk's first runs begin, in bytes from the first one.
std::vector<std::int64_t> first_runs(const DramWalk& walk, std::int64_t most) {
  std::vector<std::int64_t> runs = {0};
  for (const DramWalk::Dim& dim : walk.dims) {
    const std::size_t inner = runs.size();
    for (std::int64_t i = 1; i < dim.count && std::ssize(runs) < most; ++i) {
      for (std::size_t r = 0; r < inner; ++r) runs.push_back(runs[r] + i * std::abs(dim.step));
    }
  }
  if (std::ssize(runs) > most) runs.resize(static_cast<std::size_t>(most));
  return runs;
}

}  // namespace

double dram_cycles(const Memory& memory, const DramWalk& walk) {
  const Dram& part = *memory.dram;
  const auto channels = static_cast<double>(memory.banks);
  const double bursts = bursts_of(memory, walk);
  const Opened opened = opened_by(memory, walk);
  const double abreast = std::max(opened.abreast / channels, 1.0);
  const auto column = static_cast<double>(column_spacing(part));
  const bool in_groups = abreast > 1 || opened.turns > static_cast<double>(part.banks);
  const double activate =
      std::max({static_cast<double>(in_groups ? part.rrd_s : part.rrd_l), static_cast<double>(part.faw) / 4,
                row_cycle(part, walk.write) / (abreast * opened.turns)});
  const double clocks = std::max(bursts * column, opened.rows * activate) / channels;
  const double left = sustained_rate(memory) / peak_rate(memory);
  return reference_cycles(part, clocks) / left;
}

double crowding(const Memory& memory, const DramWalk& walk, int in_flight) {
  if (memory.banks == 1 || walk.run > memory.word * (memory.banks - 1)) return 1;
  const std::int64_t requests_each = ceil_div(walk.run, walk.bytes);
  std::vector<std::int64_t> words(static_cast<std::size_t>(memory.banks));
  std::int64_t all = 0;
  for (const std::int64_t run :
       first_runs(walk, std::clamp<std::int64_t>(in_flight / requests_each, 1, most_visited))) {
    const std::int64_t last = (run + walk.run - 1) / memory.word;
    for (std::int64_t word = run / memory.word; word <= last; ++word, ++all) {
      ++words[static_cast<std::size_t>(word % memory.banks)];
    }
  }
  // Parts of divided work read the same tensor, or rows of it, in step: all from the channels that one does.
  const std::int64_t elsewhere = walk.write ? memory.dram->sharers : 1;
  const double even = static_cast<double>(ceil_div(all, memory.banks) * elsewhere);
  return std::max(static_cast<double>(std::ranges::max(words)) / even, 1.0);
}

double turnarounds(const Memory& memory) {
  const Dram& part = *memory.dram;
  const std::int64_t spacing = column_spacing(part);
  const std::int64_t to_read = part.cwl + part.burst_cycles + (part.groups > 1 ? part.wtr_s : part.wtr_l);
  return reference_cycles(part, static_cast<double>(std::max<std::int64_t>(part.rtw - spacing, 0) +
                                                    std::max<std::int64_t>(to_read - spacing, 0)));
}

double reopening(const Memory& memory, double others) {
  const Dram& part = *memory.dram;
  const double elsewhere = 1 - 1 / static_cast<double>(stretches_of(memory).turns);
  return reference_cycles(part, static_cast<double>(part.rp + part.rcd)) * (1 - std::pow(elsewhere, others));
}

double exposed(const Memory& memory, bool write, double bytes, int in_flight) {
  const Dram& part = *memory.dram;
  const double bursts = write ? static_cast<double>(part.write_batch())
                              : in_flight * std::ceil(bytes / static_cast<double>(memory.word)) / memory.banks;
  const double passing = std::max(bursts - 1, 0.0) * static_cast<double>(column_spacing(part));
  return std::clamp((row_cycle(part, write) - passing) / static_cast<double>(part.rp + part.rcd), 0.0, 1.0);
}

DramTraffic& DramTraffic::operator+=(const DramTraffic& other) {
  cycles += other.cycles;
  batches += other.batches;
  openings += other.openings;
  return *this;
}

DramTraffic dram_traffic(const Memory& memory, const DramWalk& walk, int in_flight) {
  const double on_each = bursts_of(memory, walk) / static_cast<double>(memory.banks);
  const Dram& part = *memory.dram;
  const double batches = walk.write ? on_each / static_cast<double>(part.write_batch())
                                    : std::min(on_each, 1.0) * std::max(walk.requests / std::max(in_flight, 1), 1.0);
  return {dram_cycles(memory, walk), batches,
          batches * exposed(memory, walk.write, static_cast<double>(walk.bytes), in_flight)};
}

void DramMix::add(const DramTraffic& stream, bool write) {
  (write ? written_ : read_) += stream;
  if (stream.batches > 0) ++streams_;
}

double DramMix::cycles() const {
  const double alone = read_.cycles + written_.cycles, batches = read_.batches + written_.batches;
  if (batches == 0) return 0;
  return alone + std::min(read_.batches, written_.batches) * turnarounds(memory_) +
         (read_.openings + written_.openings) * reopening(memory_, streams_ - 1);
}

}  // namespace accord

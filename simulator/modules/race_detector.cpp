#include "simulator/modules/race_detector.h"

#include <fmt/format.h>

#include <algorithm>

namespace accord::sim {

namespace {

constexpr std::size_t origins_kept = 1 << 14;  // per unit

// The range's granules: those that it touches in part, with the bytes touched as a mask, and those between.
template <class Visit, class VisitWhole>
void for_each_granule(std::int64_t address, std::int64_t length, Visit&& visit, VisitWhole&& visit_whole) {
  const std::int64_t last = address + length - 1;
  std::int64_t first_whole = address >> 3, end_whole = (last >> 3) + 1;
  const std::uint64_t head = 0xffu << (address & 7) & 0xffu, tail = 0xffu >> (7 - (last & 7));
  if (first_whole + 1 == end_whole && (head & tail) != 0xff)
    return visit(static_cast<std::size_t>(first_whole), head & tail);
  if (head != 0xff) visit(static_cast<std::size_t>(first_whole++), head);
  if (tail != 0xff) --end_whole;
  if (first_whole < end_whole) visit_whole(static_cast<std::size_t>(first_whole), static_cast<std::size_t>(end_whole));
  if (tail != 0xff) visit(static_cast<std::size_t>(end_whole), tail);
}

// How many of the entries from the first on are like it; in blocks that a processor compares at once.
std::size_t equal_entries(const std::uint64_t* entries, std::size_t count) {
  constexpr std::size_t block = 16;
  const std::uint64_t first = entries[0];
  std::size_t n = 0;
  for (; n + block <= count; n += block) {
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < block; ++i) differ |= entries[n + i] ^ first;
    if (differ != 0) break;
  }
  while (n < count && entries[n] == first) ++n;
  return n;
}

std::uint64_t greatest(const std::uint64_t* entries, std::size_t count) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, entries[i]);
  return most;
}

}  // namespace

RaceDetector::RaceDetector(const Architecture& architecture, HazardLog& hazards)
    : architecture_(architecture),
      hazards_(hazards),
      semaphores_(architecture.sync.semaphores, static_cast<int>(architecture.units.size())),
      shadows_(architecture.memories.size()),
      clocks_(architecture.units.size(), VectorClock(architecture.units.size())),
      origins_(architecture.units.size(), std::vector<Origin>(origins_kept)) {
  for (std::size_t u = 0; u < clocks_.size(); ++u) clocks_[u][u] = 1;
  if (architecture.sync.kind == Sync::Kind::in_order) return;
  watches_ = true;
  for (std::size_t m = 0; m < shadows_.size(); ++m) {
    if (architecture.sync.kind == Sync::Kind::interlock && !architecture.memories[m].off_chip) continue;
    shadows_[m].granules = static_cast<std::size_t>(architecture.memories[m].capacity / 8 + 1);
    shadows_[m].writes = ZeroedArray<std::uint64_t>(shadows_[m].granules);
    shadows_[m].reader_slot.assign(architecture.units.size(), -1);
  }
}

void RaceDetector::join_all() {
  VectorClock all = clocks_.front();
  for (const VectorClock& clock : clocks_) all.join(clock);
  for (VectorClock& clock : clocks_) clock = all;
  semaphores_.fence();
}

void RaceDetector::wait(int unit, int semaphore) {
  const auto u = static_cast<std::size_t>(unit);
  semaphores_.wait(semaphore, unit, ++clocks_[u][u]);
}

const VectorClock& RaceDetector::knowledge(int unit) {
  VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  semaphores_.settle(unit, clock);
  return clock;
}

void RaceDetector::signal(int unit, int semaphore, const VectorClock& knowledge, std::int64_t instruction, int mnemonic,
                          Cycle now) {
  const int misled = semaphores_.signal(semaphore, unit, knowledge);
  if (misled < 0) return;
  hazards_.report("ambiguous_signal", now, instruction, mnemonic,
                  fmt::format("{} signals semaphore {}, and nothing orders that with a wait of {} for another unit's "
                              "signal: which of them it takes depends on timing",
                              architecture_.units[static_cast<std::size_t>(unit)].name, semaphore,
                              architecture_.units[static_cast<std::size_t>(misled)].name));
}

void RaceDetector::begin(const Operation& operation, Cycle now) {
  const auto unit = static_cast<std::size_t>(operation.unit);
  semaphores_.settle(operation.unit, clocks_[unit]);
  const std::uint64_t count = ++clocks_[unit][unit];
  origins_[unit][count % origins_kept] = {count, operation.instruction, operation.mnemonic};
  for (const AccessShape& access : operation.shape->accesses) {
    Shadow& shadow = shadows_[static_cast<std::size_t>(access.memory)];
    if (shadow.granules == 0) continue;
    std::uint64_t* const reads = access.reads ? reads_of(shadow, operation.unit) : nullptr;
    std::optional<Instance> other;
    for_each_run(access.footprint, operation.base[static_cast<std::size_t>(access.operand)],
                 [&](std::int64_t address, std::int64_t length) {
                   if (access.reads) {
                     if (auto race = read_run(shadow, reads, operation.unit, address, length)) other = race;
                   }
                   if (access.writes) {
                     if (auto race = write_run(shadow, operation.unit, address, length)) other = race;
                   }
                 });
    if (other) report(operation, access, access.writes, *other, now);
  }
}

std::optional<RaceDetector::Instance> RaceDetector::unordered_write(const VectorClock& clock, std::uint64_t write) {
  const auto writer = static_cast<std::size_t>(write >> 8 & 0xffff);
  if (write >> 24 <= clock[writer]) return std::nullopt;
  return Instance{static_cast<int>(writer), write >> 24};
}

/// The last writes of these bytes of each granule, and those before that the last left alone.
std::optional<RaceDetector::Instance> RaceDetector::unordered_write(const VectorClock& clock, const Shadow& shadow,
                                                                    std::size_t first, std::size_t end,
                                                                    std::uint64_t bytes) {
  std::optional<Instance> race;
  const auto look = [&](std::uint64_t write) {
    if ((write & bytes) == 0) return;
    if (const auto found = unordered_write(clock, write)) race = found;
  };
  // Few are looked at one by one.
  const std::size_t most_single = 8;
  for (std::size_t g = first; g < end;
       g += end - first <= most_single ? 1 : equal_entries(&shadow.writes[g], end - g)) {
    look(shadow.writes[g]);
  }
  if (shadow.earlier.empty()) return race;
  for (auto at = shadow.earlier.lower_bound(first); at != shadow.earlier.end() && at->first < end; ++at) {
    std::ranges::for_each(at->second, look);
  }
  return race;
}

void RaceDetector::write_part(Shadow& shadow, std::size_t granule, std::uint64_t bytes, std::uint64_t now) {
  std::uint64_t& last = shadow.writes[granule];
  const bool same = (last & ~std::uint64_t{0xff}) == now;
  const std::uint64_t rest = same ? 0 : last & ~bytes;
  if (const auto at = shadow.earlier.find(granule); at != shadow.earlier.end()) {
    for (std::uint64_t& write : at->second) write &= ~bytes;
    std::erase_if(at->second, [](std::uint64_t write) { return (write & 0xff) == 0; });
  }
  if ((rest & 0xff) != 0) shadow.earlier[granule].push_back(rest);
  last = now | (same ? last & 0xff : 0) | bytes;
}

std::uint64_t* RaceDetector::reads_of(Shadow& shadow, int unit) {
  int& slot = shadow.reader_slot[static_cast<std::size_t>(unit)];
  if (slot < 0) {
    slot = static_cast<int>(shadow.reads.size());
    shadow.reads.emplace_back(shadow.granules);
    shadow.reader.push_back(unit);
  }
  return shadow.reads[static_cast<std::size_t>(slot)].data();
}

std::optional<RaceDetector::Instance> RaceDetector::read_run(Shadow& shadow, std::uint64_t* reads, int unit,
                                                             std::int64_t address, std::int64_t length) {
  const VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  const std::uint64_t now = clock[static_cast<std::size_t>(unit)] << 8;
  std::optional<Instance> race;
  const auto in_part = [&](std::size_t g, std::uint64_t mask) {
    if (const auto found = unordered_write(clock, shadow, g, g + 1, mask)) race = found;
    reads[g] = now | ((reads[g] & ~std::uint64_t{0xff}) == now ? reads[g] & 0xff : 0) | mask;
  };
  const auto whole = [&](std::size_t first, std::size_t end) {
    if (const auto found = unordered_write(clock, shadow, first, end, 0xff)) race = found;
    std::fill(reads + first, reads + end, now | 0xff);
  };
  for_each_granule(address, length, in_part, whole);
  return race;
}

std::optional<RaceDetector::Instance> RaceDetector::write_run(Shadow& shadow, int unit, std::int64_t address,
                                                              std::int64_t length) {
  const VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  const std::uint64_t now = clock[static_cast<std::size_t>(unit)] << 24 | static_cast<std::uint64_t>(unit) << 8;
  std::uint64_t* writes = shadow.writes.data();
  std::optional<Instance> race;
  const auto in_part = [&](std::size_t g, std::uint64_t mask) {
    if (const auto found = unordered_write(clock, shadow, g, g + 1, mask)) race = found;
    write_part(shadow, g, mask, now);
  };
  const auto whole = [&](std::size_t first, std::size_t end) {
    if (const auto found = unordered_write(clock, shadow, first, end, 0xff)) race = found;
    shadow.earlier.erase(shadow.earlier.lower_bound(first), shadow.earlier.lower_bound(end));
    std::fill(writes + first, writes + end, now | 0xff);
  };
  for_each_granule(address, length, in_part, whole);
  for (std::size_t slot = 0; slot < shadow.reads.size(); ++slot) {
    if (shadow.reader[slot] == unit) continue;
    if (const auto found = unordered_read(clock, shadow, slot, address, length)) race = found;
  }
  return race;
}

std::optional<RaceDetector::Instance> RaceDetector::unordered_read(const VectorClock& clock, const Shadow& shadow,
                                                                   std::size_t slot, std::int64_t address,
                                                                   std::int64_t length) {
  const int reader = shadow.reader[slot];
  const std::uint64_t* reads = shadow.reads[slot].data();
  const std::uint64_t known = clock[static_cast<std::size_t>(reader)];
  std::optional<Instance> race;
  const auto in_part = [&](std::size_t g, std::uint64_t mask) {
    if ((reads[g] & mask) && reads[g] >> 8 > known) race = Instance{reader, reads[g] >> 8};
  };
  const auto whole = [&](std::size_t first, std::size_t end) {
    const std::uint64_t last = greatest(reads + first, end - first);
    if (last >> 8 > known) race = Instance{reader, last >> 8};
  };
  for_each_granule(address, length, in_part, whole);
  return race;
}

void RaceDetector::report(const Operation& operation, const AccessShape& access, bool write, const Instance& other,
                          Cycle now) {
  const Origin& origin = origins_[static_cast<std::size_t>(other.unit)][other.count % origins_kept];
  const bool kept = origin.count == other.count;
  hazards_.report(
      "race", now, operation.instruction, operation.mnemonic,
      fmt::format("{} {} at address {}, and nothing orders that with {} of {}", write ? "writes" : "reads",
                  architecture_.memories[static_cast<std::size_t>(access.memory)].name, operation.low(access),
                  kept ? hazards_.describe(origin.instruction, origin.mnemonic) : "an earlier instruction",
                  architecture_.units[static_cast<std::size_t>(other.unit)].name));
}

}  // namespace accord::sim

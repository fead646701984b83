#include "simulator/modules/race_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "simulator/kernels/address_space.h"

namespace accord::sim {

namespace {

constexpr std::size_t origins_kept = 1 << 14;  // per unit
constexpr std::int64_t page = ReadLog::page;
constexpr std::uint32_t many = ~std::uint32_t{0};

/// The pages that the range touches.
template <class Visit>
void for_each_page(std::int64_t address, std::int64_t length, Visit&& visit) {
  for (std::int64_t p = address / page; p <= (address + length - 1) / page; ++p) visit(static_cast<std::size_t>(p));
}

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

std::size_t pages_of(std::size_t granules) { return granules * 8 / static_cast<std::size_t>(page) + 1; }

std::uint64_t greatest(const std::uint64_t* entries, std::size_t count) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, entries[i]);
  return most;
}

}  // namespace

RaceDetector::RaceDetector(const Architecture& architecture, HazardLog& hazards, OperationPool& pool)
    : architecture_(architecture),
      hazards_(hazards),
      semaphores_(architecture.sync.semaphores, static_cast<int>(architecture.units.size())),
      shadows_(architecture.memories.size()),
      clocks_(architecture.units.size(), VectorClock(architecture.units.size())),
      origins_(architecture.units.size()) {
  assert(architecture.sync.kind != Sync::Kind::in_order);
  for (std::size_t u = 0; u < clocks_.size(); ++u) clocks_[u][u] = 1;
  if (architecture.sync.kind == Sync::Kind::interlock) interlock_.emplace(architecture, pool);
  for (std::size_t m = 0; m < shadows_.size(); ++m) {
    const Memory& memory = architecture.memories[m];
    if (architecture.sync.kind == Sync::Kind::interlock && !memory.off_chip) continue;
    reserve_for(memory, [&] { watch(shadows_[m], memory); });
  }
}

void RaceDetector::watch(Shadow& shadow, const Memory& memory) {
  shadow.granules = static_cast<std::size_t>(memory.capacity / 8 + 1);
  shadow.writes.last = ZeroedArray<std::uint64_t>(shadow.granules);
  shadow.page_writes = ZeroedArray<PageWrites>(pages_of(shadow.granules));
  shadow.reader_slot.assign(clocks_.size(), -1);
  if (memory.off_chip) shadow.log = ReadLog(memory.capacity);
}

void RaceDetector::join_all() {
  VectorClock all = clocks_.front();
  for (const VectorClock& clock : clocks_) all.join(clock);
  for (VectorClock& clock : clocks_) clock = all;
  semaphores_.fence();
  if (interlock_) interlock_->forget();
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

void RaceDetector::begin(Operation& operation, Cycle now) {
  operation_ = &operation;
  const auto unit = static_cast<std::size_t>(operation.unit);
  semaphores_.settle(operation.unit, clocks_[unit]);
  const std::uint64_t count = ++clocks_[unit][unit];
  if (origins_[unit].empty()) origins_[unit].resize(origins_kept);
  origins_[unit][count % origins_kept] = {count, operation.instruction, operation.mnemonic};
  for (const AccessShape& access : operation.shape->accesses) {
    Shadow& shadow = shadows_[static_cast<std::size_t>(access.memory)];
    if (shadow.granules == 0) continue;
    Touches* const reads = access.reads ? &reads_of(shadow, operation.unit) : nullptr;
    std::optional<Instance> other;
    for_each_run(access.footprint, operation.base_of(access), [&](std::int64_t address, std::int64_t length) {
      if (access.reads) {
        if (auto race = read_run(shadow, reads, operation.unit, address, length)) other = race;
      }
      if (access.writes) {
        if (auto race = write_run(shadow, operation.unit, address, length)) other = race;
      }
    });
    if (other) report(operation, access, access.writes, *other, now);
  }
  if (interlock_) interlock_->begin(operation, count);
}

/// Whether the operation that begins waits for the earlier one by what lies on chip; its unit knows that from now on.
bool RaceDetector::interlocked(const Instance& earlier) {
  if (!interlock_ || !interlock_->comes_after(*operation_, earlier.unit, earlier.count)) return false;
  std::uint64_t& known = clocks_[static_cast<std::size_t>(operation_->unit)][static_cast<std::size_t>(earlier.unit)];
  known = std::max(known, earlier.count);
  return true;
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
       g += end - first <= most_single ? 1 : equal_entries(&shadow.writes.last[g], end - g)) {
    look(shadow.writes.last[g]);
  }
  shadow.writes.for_each_earlier(first, end, look);
  return race;
}

void RaceDetector::Touches::add_part(std::size_t granule, std::uint64_t bytes, std::uint64_t now) {
  std::uint64_t& latest = last[granule];
  const bool same = (latest & ~std::uint64_t{0xff}) == now;
  const std::uint64_t rest = same ? 0 : latest & ~bytes;
  if (const auto at = earlier.find(granule); at != earlier.end()) {
    for (std::uint64_t& entry : at->second) entry &= ~bytes;
    std::erase_if(at->second, [](std::uint64_t entry) { return (entry & 0xff) == 0; });
  }
  if ((rest & 0xff) != 0) earlier[granule].push_back(rest);
  latest = now | (same ? latest & 0xff : 0) | bytes;
}

void RaceDetector::Touches::add_whole(std::size_t first, std::size_t end, std::uint64_t now) {
  if (!earlier.empty()) earlier.erase(earlier.lower_bound(first), earlier.lower_bound(end));
  std::fill(last.data() + first, last.data() + end, now | 0xff);
}

RaceDetector::Touches& RaceDetector::reads_of(Shadow& shadow, int unit) {
  int& slot = shadow.reader_slot[static_cast<std::size_t>(unit)];
  if (slot < 0) {
    slot = static_cast<int>(shadow.reads.size());
    shadow.reads.push_back({ZeroedArray<std::uint64_t>(shadow.granules), {}});
    shadow.page_reads.emplace_back(pages_of(shadow.granules));
    shadow.reader.push_back(unit);
  }
  return shadow.reads[static_cast<std::size_t>(slot)];
}

std::optional<RaceDetector::Instance> RaceDetector::read_run(Shadow& shadow, Touches* reads, int unit,
                                                             std::int64_t address, std::int64_t length) {
  const std::uint64_t count = clocks_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(unit)];
  std::optional<Instance> race;
  shadow.log.read(
      {address, length, unit, count},
      [&](std::int64_t at, std::int64_t size) {
        if (const auto found = read_shadow(shadow, reads, unit, at, size)) race = found;
      },
      [&](const ReadLog::Entry& entry) { mark_read(shadow, entry); });
  return race;
}

std::optional<RaceDetector::Instance> RaceDetector::read_shadow(Shadow& shadow, Touches* reads, int unit,
                                                                std::int64_t address, std::int64_t length) {
  const VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  const std::uint64_t now = clock[static_cast<std::size_t>(unit)] << 8;
  const bool ordered = knows_writes(clock, shadow, address, length);
  note_read(shadow, unit, now >> 8, address, length);
  std::optional<Instance> race;
  const auto look = [&](std::size_t first, std::size_t end, std::uint64_t mask) {
    if (ordered) return;
    const auto found = not_interlocked([&] { return unordered_write(clock, shadow, first, end, mask); });
    if (found) race = found;
  };
  const auto in_part = [&](std::size_t g, std::uint64_t mask) {
    look(g, g + 1, mask);
    reads->add_part(g, mask, now);
  };
  const auto whole = [&](std::size_t first, std::size_t end) {
    look(first, end, 0xff);
    reads->add_whole(first, end, now);
  };
  for_each_granule(address, length, in_part, whole);
  return race;
}

/// Whether all writes of the range's pages come before what the clock knows; else granules have to be asked.
bool RaceDetector::knows_writes(const VectorClock& clock, const Shadow& shadow, std::int64_t address,
                                std::int64_t length) {
  bool known = true;
  for_each_page(address, length, [&](std::size_t p) {
    const PageWrites& last = shadow.page_writes[p];
    known &= last.writer == 0 || (last.writer != many && last.count <= clock[last.writer - 1]);
  });
  return known;
}

bool RaceDetector::knows_reads(std::uint64_t known, const ZeroedArray<std::uint64_t>& page_reads, std::int64_t address,
                               std::int64_t length) {
  std::uint64_t last = 0;
  for_each_page(address, length, [&](std::size_t p) { last = std::max(last, page_reads[p]); });
  return last <= known;
}

void RaceDetector::note_write(Shadow& shadow, int unit, std::uint64_t count, std::int64_t address,
                              std::int64_t length) {
  const auto writer = static_cast<std::uint32_t>(unit + 1);
  for_each_page(address, length, [&](std::size_t p) {
    PageWrites& last = shadow.page_writes[p];
    last = {count, last.writer == 0 || last.writer == writer ? writer : many};
  });
}

void RaceDetector::note_read(Shadow& shadow, int unit, std::uint64_t count, std::int64_t address, std::int64_t length) {
  auto& last = shadow.page_reads[static_cast<std::size_t>(shadow.reader_slot[static_cast<std::size_t>(unit)])];
  for_each_page(address, length, [&](std::size_t p) { last[p] = std::max(last[p], count); });
}

/// What the log knew of a page that has been opened.
void RaceDetector::mark_read(Shadow& shadow, const ReadLog::Entry& entry) {
  Touches& reads = reads_of(shadow, entry.unit);
  const std::uint64_t then = entry.count << 8;
  note_read(shadow, entry.unit, entry.count, entry.address, entry.length);
  const auto in_part = [&](std::size_t g, std::uint64_t mask) { reads.add_part(g, mask, then); };
  const auto whole = [&](std::size_t first, std::size_t end) { reads.add_whole(first, end, then); };
  for_each_granule(entry.address, entry.length, in_part, whole);
}

std::optional<RaceDetector::Instance> RaceDetector::write_run(Shadow& shadow, int unit, std::int64_t address,
                                                              std::int64_t length) {
  const VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  const std::uint64_t now = clock[static_cast<std::size_t>(unit)] << 24 | static_cast<std::uint64_t>(unit) << 8;
  shadow.log.write(address, length, [&](const ReadLog::Entry& entry) { mark_read(shadow, entry); });
  const bool ordered = knows_writes(clock, shadow, address, length);
  note_write(shadow, unit, now >> 24, address, length);
  std::optional<Instance> race;
  const auto look = [&](std::size_t first, std::size_t end, std::uint64_t mask) {
    if (ordered) return;
    const auto found = not_interlocked([&] { return unordered_write(clock, shadow, first, end, mask); });
    if (found) race = found;
  };
  const auto in_part = [&](std::size_t g, std::uint64_t mask) {
    look(g, g + 1, mask);
    shadow.writes.add_part(g, mask, now);
  };
  const auto whole = [&](std::size_t first, std::size_t end) {
    look(first, end, 0xff);
    shadow.writes.add_whole(first, end, now);
  };
  for_each_granule(address, length, in_part, whole);
  for (std::size_t slot = 0; slot < shadow.reads.size(); ++slot) {
    if (shadow.reader[slot] == unit) continue;
    const auto found = not_interlocked([&] { return unordered_read(clock, shadow, slot, address, length); });
    if (found) race = found;
  }
  return race;
}

std::optional<RaceDetector::Instance> RaceDetector::unordered_read(const VectorClock& clock, const Shadow& shadow,
                                                                   std::size_t slot, std::int64_t address,
                                                                   std::int64_t length) {
  const int reader = shadow.reader[slot];
  const Touches& reads = shadow.reads[slot];
  const std::uint64_t known = clock[static_cast<std::size_t>(reader)];
  if (knows_reads(known, shadow.page_reads[slot], address, length)) return std::nullopt;
  std::optional<Instance> race;
  const auto look = [&](std::uint64_t read, std::uint64_t mask) {
    if ((read & mask) != 0 && read >> 8 > known) race = Instance{reader, read >> 8};
  };
  const auto look_before = [&](std::size_t first, std::size_t end, std::uint64_t mask) {
    reads.for_each_earlier(first, end, [&](std::uint64_t read) { look(read, mask); });
  };
  const auto in_part = [&](std::size_t g, std::uint64_t mask) {
    look_before(g, g + 1, mask);
    look(reads.last[g], mask);
  };
  const auto whole = [&](std::size_t first, std::size_t end) {
    look_before(first, end, 0xff);
    look(greatest(reads.last.data() + first, end - first), 0xff);
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

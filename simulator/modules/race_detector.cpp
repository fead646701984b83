#include "simulator/modules/race_detector.h"

#include <fmt/format.h>

namespace accord::sim {

namespace {

constexpr std::size_t origins_kept = 1 << 14;  // per unit

// Calls visit(granule, bytes touched as a mask) for each granule of the range.
template <class Visit>
void for_each_granule(std::int64_t address, std::int64_t length, Visit&& visit) {
  const std::int64_t last = address + length - 1;
  for (std::int64_t g = address >> 3; g <= last >> 3; ++g) {
    std::uint64_t mask = 0xff;
    if (g == address >> 3) mask &= 0xffu << (address & 7);
    if (g == last >> 3) mask &= 0xffu >> (7 - (last & 7));
    visit(static_cast<std::size_t>(g), mask);
  }
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
    std::optional<Instance> other;
    for_each_run(access.footprint, operation.base[static_cast<std::size_t>(access.operand)],
                 [&](std::int64_t address, std::int64_t length) {
                   if (access.reads) {
                     if (auto race = read_run(shadow, operation.unit, address, length)) other = race;
                   }
                   if (access.writes) {
                     if (auto race = write_run(shadow, operation.unit, address, length)) other = race;
                   }
                 });
    if (other) report(operation, access, access.writes, *other, now);
  }
}

std::optional<RaceDetector::Instance> RaceDetector::read_run(Shadow& shadow, int unit, std::int64_t address,
                                                             std::int64_t length) {
  int& slot = shadow.reader_slot[static_cast<std::size_t>(unit)];
  if (slot < 0) {
    slot = static_cast<int>(shadow.reads.size());
    shadow.reads.emplace_back(shadow.granules);
    shadow.reader.push_back(unit);
  }
  const VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  const std::uint64_t now = clock[static_cast<std::size_t>(unit)] << 8;
  std::uint64_t* reads = shadow.reads[static_cast<std::size_t>(slot)].data();
  std::uint64_t fine = 0;  // the last write seen that came before
  std::optional<Instance> race;
  for_each_granule(address, length, [&](std::size_t g, std::uint64_t mask) {
    const std::uint64_t write = shadow.writes[g];
    if (write != fine && (write & mask)) {
      const auto writer = static_cast<std::size_t>(write >> 8 & 0xffff);
      if (write >> 24 > clock[writer])
        race = Instance{static_cast<int>(writer), write >> 24};
      else
        fine = write;
    }
    reads[g] = now | ((reads[g] & ~std::uint64_t{0xff}) == now ? reads[g] & 0xff : 0) | mask;
  });
  return race;
}

std::optional<RaceDetector::Instance> RaceDetector::write_run(Shadow& shadow, int unit, std::int64_t address,
                                                              std::int64_t length) {
  const VectorClock& clock = clocks_[static_cast<std::size_t>(unit)];
  const std::uint64_t now = clock[static_cast<std::size_t>(unit)] << 24 | static_cast<std::uint64_t>(unit) << 8;
  std::optional<Instance> race;
  for_each_granule(address, length, [&](std::size_t g, std::uint64_t mask) {
    const std::uint64_t write = shadow.writes[g];
    if (write & mask) {
      const auto writer = static_cast<std::size_t>(write >> 8 & 0xffff);
      if (write >> 24 > clock[writer]) race = Instance{static_cast<int>(writer), write >> 24};
    }
    shadow.writes[g] = now | ((write & ~std::uint64_t{0xff}) == now ? write & 0xff : 0) | mask;
  });
  for (std::size_t slot = 0; slot < shadow.reads.size(); ++slot) {
    const int reader = shadow.reader[slot];
    if (reader == unit) continue;
    const std::uint64_t* reads = shadow.reads[slot].data();
    const std::uint64_t known = clock[static_cast<std::size_t>(reader)];
    for_each_granule(address, length, [&](std::size_t g, std::uint64_t mask) {
      if ((reads[g] & mask) && reads[g] >> 8 > known) race = Instance{reader, reads[g] >> 8};
    });
  }
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

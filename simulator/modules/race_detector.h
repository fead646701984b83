#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/kernels/zeroed_array.h"
#include "simulator/modules/hazard_log.h"
#include "simulator/modules/interlock_order.h"
#include "simulator/modules/read_log.h"
#include "simulator/modules/semaphore_order.h"
#include "simulator/modules/vector_clock.h"

namespace accord::sim {

/// Finds accesses of different units to the same bytes that nothing orders, whatever the timing of this run was.
/// Happens-before after Flanagan and Freund, "FastTrack", PLDI 2009: units instead of threads, semaphores and fences
/// instead of locks; a granule of 8 bytes remembers the last write of each of its bytes, and of each unit the last
/// read.
class RaceDetector {
 public:
  /// Watches all memories under semaphores, off-chip ones under interlock. In order there is nothing to watch.
  RaceDetector(const Architecture& architecture, HazardLog& hazards, OperationPool& pool);

  /// The unit's next operation begins, after all that its waits have surely seen.
  void begin(Operation& operation, Cycle now);

  /// A wait of the unit passes.
  void wait(int unit, int semaphore);
  /// What the unit knows where its queue comes to a signal.
  const VectorClock& knowledge(int unit);
  /// The semaphore rises by that signal.
  void signal(int unit, int semaphore, const VectorClock& knowledge, std::int64_t instruction, int mnemonic, Cycle now);
  /// Every unit is idle: all that was comes before all that will be.
  void join_all();

 private:
  struct PageWrites {          ///< of a page of granules
    std::uint64_t count = 0;   ///< the last one's
    std::uint32_t writer = 0;  ///< unit + 1; `many`
  };
  /// Entries end in 8 bits, one for each byte that was touched.
  struct Touches {
    ZeroedArray<std::uint64_t> last;                            ///< by granule
    std::map<std::size_t, std::vector<std::uint64_t>> earlier;  ///< by granule: of bytes that the last one left alone
    void add_part(std::size_t granule, std::uint64_t bytes, std::uint64_t now);
    void add_whole(std::size_t first, std::size_t end, std::uint64_t now);
    template <class Visit>
    void for_each_earlier(std::size_t first, std::size_t end, Visit&& visit) const {
      if (earlier.empty()) return;
      for (auto at = earlier.lower_bound(first); at != earlier.end() && at->first < end; ++at) {
        for (const std::uint64_t entry : at->second) visit(entry);
      }
    }
  };
  struct Shadow {
    Touches writes;                                      ///< count << 24 | unit << 8 | bytes
    std::deque<Touches> reads;                           ///< per reading unit: count << 8 | bytes
    std::vector<int> reader_slot;                        ///< by unit; -1: never read so far
    std::vector<int> reader;                             ///< unit of each slot
    ReadLog log;                                         ///< of pages that nothing has written
    ZeroedArray<PageWrites> page_writes;                 ///< what most often answers for all granules of a page
    std::vector<ZeroedArray<std::uint64_t>> page_reads;  ///< per reading unit: the last one's count
    std::size_t granules = 0;
  };
  struct Instance {  ///< an operation by unit and count
    int unit;
    std::uint64_t count;
  };
  struct Origin {
    std::uint64_t count = 0;
    std::int64_t instruction = -1;
    int mnemonic = -1;
  };
  void watch(Shadow& shadow, const Memory& memory);
  std::optional<Instance> read_run(Shadow& shadow, Touches* reads, int unit, std::int64_t address, std::int64_t length);
  std::optional<Instance> read_shadow(Shadow& shadow, Touches* reads, int unit, std::int64_t address,
                                      std::int64_t length);
  static void mark_read(Shadow& shadow, const ReadLog::Entry& entry);
  static bool knows_writes(const VectorClock& clock, const Shadow& shadow, std::int64_t address, std::int64_t length);
  static bool knows_reads(std::uint64_t known, const ZeroedArray<std::uint64_t>& page_reads, std::int64_t address,
                          std::int64_t length);
  static void note_write(Shadow& shadow, int unit, std::uint64_t count, std::int64_t address, std::int64_t length);
  static void note_read(Shadow& shadow, int unit, std::uint64_t count, std::int64_t address, std::int64_t length);
  std::optional<Instance> write_run(Shadow& shadow, int unit, std::int64_t address, std::int64_t length);
  bool interlocked(const Instance& earlier);
  /// What `find` gives that the operation that begins does not wait for.
  template <class Find>
  std::optional<Instance> not_interlocked(Find&& find) {
    std::optional<Instance> found = find();
    while (found && interlocked(*found)) found = find();
    return found;
  }
  static std::optional<Instance> unordered_write(const VectorClock& clock, std::uint64_t write);
  static std::optional<Instance> unordered_write(const VectorClock& clock, const Shadow& shadow, std::size_t first,
                                                 std::size_t end, std::uint64_t bytes);
  static std::optional<Instance> unordered_read(const VectorClock& clock, const Shadow& shadow, std::size_t slot,
                                                std::int64_t address, std::int64_t length);
  static Touches& reads_of(Shadow& shadow, int unit);
  void report(const Operation& operation, const AccessShape& access, bool write, const Instance& other, Cycle now);

  const Architecture& architecture_;
  HazardLog& hazards_;
  std::optional<InterlockOrder> interlock_;
  const Operation* operation_ = nullptr;  ///< that begins
  SemaphoreOrder semaphores_;
  std::vector<Shadow> shadows_;  ///< by memory; 0 granules: not watched
  std::vector<VectorClock> clocks_;
  std::vector<std::vector<Origin>>
      origins_;  ///< by unit, by count modulo their greatest number; none of a unit that began nothing
};

}  // namespace accord::sim

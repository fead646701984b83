#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <systemc>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/kernels/byte_store.h"
#include "simulator/modules/busy_account.h"
#include "simulator/modules/dram_controller.h"
#include "simulator/time/dependence_graph.h"
#include "simulator/time/timeline.h"

namespace accord::sim {

/// Scratchpad, register file, buffer or DRAM (accord::Memory).
/// Socket: data, as direct access (TLM-2.0's DMI). Ports and banks are reserved with `access`.
class MemoryModule : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<MemoryModule, 32, tlm::tlm_base_protocol_types, 0,
                                             sc_core::SC_ZERO_OR_MORE_BOUND>
      socket;

  /// `number` of the memory in the covenant.
  MemoryModule(const sc_core::sc_module_name& name, DependenceGraph& graph, int number, const Memory& spec,
               ByteStore& store, const StallAccount& account);

  /// Takes ports for `words` words that lie in `extent` bytes from `address`, evenly in the banks there. Words of one
  /// bank share its ports, one word per port and cycle; several banks work side by side. Where several ports are more
  /// than `pace` cycles need for them all, the words come one after the other over these.
  TimeSlot access(bool write, std::int64_t address, std::int64_t extent, std::int64_t words, Time earliest,
                  const Delay& pace = at_once) {
    const std::int64_t bank = alone_ && words > 0 ? bank_of(address) : 0;
    if (!alone_ || words <= 0 || bank_of(address + extent - 1) != bank)
      return access_banks(write, address, extent, words, earliest, pace);
    const TimeSlot slot = reserve(ports(write, static_cast<std::size_t>(bank)), earliest, words);
    account_.add(slot.first, slot.end);
    return slot;
  }

  /// The same for all runs of a footprint, each bank's words counted where they lie.
  TimeSlot access(bool write, std::int64_t base, const Footprint& footprint, Time earliest,
                  const Delay& pace = at_once);

  /// Words that `bytes` contiguous bytes touch.
  std::int64_t words(std::int64_t address, std::int64_t bytes) const {
    if (word_shift_ >= 0) return ((address + bytes - 1) >> word_shift_) - (address >> word_shift_) + 1;
    return (address + bytes - 1) / spec_.word - address / spec_.word + 1;
  }

  /// Words that the footprint's runs touch, each all of its own, with its lowest byte at `low`.
  std::int64_t words(std::int64_t low, const Footprint& footprint) const;

  std::int64_t word() const { return spec_.word; }
  Cycle latency() const { return latency_; }
  /// `time` and the latency: the memory's own, and of a DRAM part the time from a column command to its data.
  Time after_latency(Time time) const {
    const Time there = graph_.after(time, {Cause::latency, number_, own_latency_});
    return graph_.after(there, {Cause::rows, number_, latency_ - own_latency_});
  }
  /// When a word is written whose last bytes came at the end of the cycle before `there`: a slower clock's port cycle
  /// begins with them.
  Time written(Time there) const { return graph_.after(there, {Cause::fixed, 0, until_written_}); }
  /// Reference cycles that a port takes for a word.
  Cycle word_cycles() const { return until_written_ + 1; }
  bool off_chip() const { return spec_.off_chip; }
  BusyAccount& account() { return account_; }
  /// When all that was written is there, behind `end`: DRAM may still keep some.
  Time drained(Time end);

 private:
  inline static const Delay at_once{Cause::fixed, 0, 0};

  bool grant_direct_access(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& granted);
  TimeSlot access_banks(bool write, std::int64_t address, std::int64_t extent, std::int64_t words, Time earliest,
                        const Delay& pace);
  /// Of one that begins in the first bank and ends in the last.
  TimeSlot access_banks(bool write, std::int64_t low, const Footprint& footprint, std::int64_t first_bank,
                        std::int64_t last_bank, Time earliest, const Delay& pace);
  /// Of one bank.
  TimeSlot access_paced(Timeline& ports, std::int64_t words, Time earliest, const Delay& pace);
  /// The same for DRAM: so many bursts from the one at `address` on.
  TimeSlot access_dram(bool write, std::int64_t address, std::int64_t bursts, Time earliest);
  /// The clock of DRAM in which the cycle begins, or the next.
  DramChannel::Clock clock_at(Cycle at) const {
    const Period& clock = spec_.dram->period;
    return Period{clock.denominator, clock.numerator}.cycles(at);
  }
  /// Charges what the channel has served.
  void account_served(DramController& channel);
  /// Places what DRAM would write before `clock` if nothing else came, and charges it.
  void settle_channels(DramChannel::Clock clock);
  Timeline& ports(bool write, std::size_t bank) {
    return (write && !spec_.shared_ports ? write_ports_ : read_ports_)[bank];
  }
  std::int64_t bank_of(std::int64_t address) const {
    if (spec_.banks == 1) return 0;
    return std::min<std::int64_t>(bank_shift_ >= 0 ? address >> bank_shift_ : address / bank_bytes_, spec_.banks - 1);
  }
  TimeSlot reserve(Timeline& ports, Time earliest, std::int64_t words) {
    const Delay delay(Cause::port, number_, spec_.period.cycles(words), words);
    const TimeSlot slot = graph_.reserve(ports, earliest, delay, words * spec_.period.numerator);
    return slow_together_ ? whole_cycles(ports, slot, earliest, words) : slot;
  }
  /// The same where each word takes one of several ports for more than a cycle of the reference: all of them begin at
  /// once, while their timeline has words one after the other.
  TimeSlot whole_cycles(const Timeline& ports, const TimeSlot& slot, Time earliest, std::int64_t words);
  void add(TimeSlot& all, const TimeSlot& slot) const;

  DependenceGraph& graph_;
  int number_;
  const Memory& spec_;
  ByteStore& store_;
  BusyAccount account_;
  Cycle latency_;
  Cycle own_latency_;
  Cycle until_written_;
  std::int64_t bank_bytes_;
  int word_shift_;      ///< log2 of the word where that is an integer, else -1
  int bank_shift_;      ///< that of a bank's bytes
  bool alone_;          ///< a bank's port for reads, and that for writes; what lies in one bank takes no others
  bool slow_together_;  ///< several ports, each word taking one for more than a cycle of the reference
  /// Of each bank all ports, which are alike: one that serves as many words in a cycle. Shared ones are the first.
  std::vector<Timeline> read_ports_, write_ports_;
  Time last_read_;                        ///< of DRAM: when the latest read ended
  std::vector<DramController> channels_;  ///< of DRAM, which has no ports
};

}  // namespace accord::sim

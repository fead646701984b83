#pragma once

#include <vector>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "simulator/cycle/pace.h"
#include "simulator/modules/busy_account.h"

namespace accord::sim::cycle {

/// The ports of a memory's banks: each takes one word per cycle of the memory, in the order in which words are
/// presented. Every word goes to the bank in which it lies.
class MemoryPorts {
 public:
  MemoryPorts(const Memory& spec, const StallAccount& account);

  /// Presents the word that holds `address` in cycle `at`, which never goes back; returns the port cycle that takes it.
  Timeline::Slot access(bool write, std::int64_t address, Cycle at);

  std::size_t bank(std::int64_t address) const;
  /// Words that a bank takes per cycle.
  std::size_t ports(bool write) const { return (write && !spec_.shared_ports ? writes_ : reads_).front().size(); }
  /// Reference cycles that a bank takes for so many words at least.
  Cycle least_cycles(bool write, std::int64_t words) const {
    return spec_.period.cycles(ceil_div(words, static_cast<std::int64_t>(ports(write))));
  }
  std::int64_t word() const { return spec_.word; }
  Cycle latency() const { return latency_of(spec_); }
  bool off_chip() const { return spec_.off_chip; }
  BusyAccount& account() { return account_; }

 private:
  const Memory& spec_;
  BusyAccount account_;
  std::vector<std::vector<Pace>> reads_, writes_;  ///< by bank; shared ones are the first
};

/// Calls `visit(address, end)` for each word that `bytes` contiguous bytes touch: its first touched byte, and how many
/// of the bytes lie before its end.
template <class Visit>
void for_each_word(std::int64_t word, std::int64_t address, std::int64_t bytes, Visit&& visit) {
  for (std::int64_t at = address; at < address + bytes;) {
    const std::int64_t end = std::min((at / word + 1) * word, address + bytes);
    visit(at, end - address);
    at = end;
  }
}

}  // namespace accord::sim::cycle

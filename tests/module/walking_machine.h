#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machines.h"

namespace accord::test {

constexpr std::int64_t dram_bytes = 8192, spad_bytes = 4096, list_bytes = 512;

/// A machine of movers. Memories: dram (off chip, word 16, latency 32), spad and twin (words of 16, latency 4, one
/// bank, one port each way), lists (words of 8, latency 3). Movers, each with set-up 20, requests of 64, 16 in flight,
/// over one duplex bus of 16 B per cycle; walks of four dimensions, all strides free:
///   in     `pad_in` dram -> spad, `gather_in` dram[lists] -> spad by i32 in dimension 1,
///          `both_in` dram[lists] -> spad and twin by i16 in dimension 2; `pad_in` and `both_in` fill with the i16 -300
///   out    `pad_out` spad -> dram, fills with the byte 7; `gather_out` spad[lists] -> dram by u8 in dimension 1
///   lister `load_list` dram -> lists
/// and fence, wait_UNIT, signal_UNIT.
Architecture walking_machine(Sync::Kind sync);

/// Arguments of one transfer by name, and what they mean, by plain loops.
struct WalkCase {
  std::string mnemonic;
  std::map<std::string, std::int64_t> arguments;
  std::int64_t argument(const std::string& name, std::int64_t otherwise = 0) const {
    const auto found = arguments.find(name);
    return found == arguments.end() ? otherwise : found->second;
  }
  std::vector<std::pair<std::string, std::int64_t>> fields() const { return {arguments.begin(), arguments.end()}; }

  /// Fills, then copies, position by position. `list` gives the source's steps in dimension `dim`; -1: none.
  void apply(const std::vector<std::int8_t>& source, std::vector<std::int8_t>& target,
             const std::vector<std::int8_t>& element, const std::vector<std::int64_t>& list, int dim) const;
};

}  // namespace accord::test

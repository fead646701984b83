#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "archdsl/tensor/stride.h"

namespace accord::sim {

/// The bytes one access touches, relative to its base address: runs of `run` contiguous bytes, repeated over `outer`
/// (innermost first, positive steps). [offset, offset + extent) is the range that bounds them all.
struct Footprint {
  std::int64_t offset = 0;
  std::int64_t extent = 0;  ///< 0: touches nothing
  std::int64_t run = 0;
  std::vector<Stride> outer;
  std::int64_t bytes = 0;  ///< of all runs
};

/// Merges what is contiguous or overlaps; `element` bytes at each point of `dims`, the first at `offset`. nullopt where
/// the touched range exceeds 2^48 bytes either way.
std::optional<Footprint> make_footprint(std::int64_t element, std::int64_t offset, std::vector<Stride> dims);

/// Whether the footprint at one base and another at its own have a byte in common.
bool meet(const Footprint& a, std::int64_t base_a, const Footprint& b, std::int64_t base_b);

/// Words of `word` bytes that the runs touch, each run all of its own, with the lowest byte at `low`.
std::int64_t words_of(const Footprint& footprint, std::int64_t low, std::int64_t word);

/// Adds them to the counts of the stretches of `stretch` bytes, a multiple of `word`, in which they lie: of all from the
/// one of the lowest byte to that of the highest.
void count_words(const Footprint& footprint, std::int64_t low, std::int64_t word, std::int64_t stretch,
                 std::span<std::int64_t> counts);

/// Calls `visit(address, bytes)` for every run, from the lowest outer index to the highest.
template <class Visit>
void for_each_run(const Footprint& footprint, std::int64_t base, Visit&& visit) {
  if (footprint.extent == 0) return;
  const std::int64_t first = base + footprint.offset;
  if (footprint.outer.empty()) return visit(first, footprint.run);
  const Stride inner = footprint.outer.front();
  std::int64_t repeats = 1;
  for (std::size_t d = 1; d < footprint.outer.size(); ++d) repeats *= footprint.outer[d].count;
  for (std::int64_t r = 0; r < repeats; ++r) {
    std::int64_t address = first, rest = r;
    for (std::size_t d = 1; d < footprint.outer.size(); ++d) {
      address += rest % footprint.outer[d].count * footprint.outer[d].step;
      rest /= footprint.outer[d].count;
    }
    for (std::int64_t i = 0; i < inner.count; ++i) visit(address + i * inner.step, footprint.run);
  }
}

}  // namespace accord::sim

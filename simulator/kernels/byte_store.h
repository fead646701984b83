#pragma once

#include <cstdint>

#include "simulator/kernels/zeroed_array.h"

namespace accord::sim {

/// A memory's content: bytes, and for each byte whether it was ever written. Takes real memory only where touched.
class ByteStore {
 public:
  /// `held`: false where nothing will be read or written, so that no address space is taken.
  explicit ByteStore(std::int64_t capacity, bool held = true);

  std::int64_t capacity() const { return capacity_; }
  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }

  static constexpr std::size_t page = 4096;
  /// Puts whole pages of a file where whole pages are, without copying them; what is written there stays out of it.
  void map(std::int64_t address, int file, std::size_t offset, std::size_t length) {
    bytes_.map(static_cast<std::size_t>(address), file, offset, length);
  }

  void mark_written(std::int64_t address, std::int64_t length) {
    if (length <= 0) return;
    const std::int64_t last = address + length - 1;
    if (address >> 6 != last >> 6) return mark_words(address, last);
    written_[static_cast<std::size_t>(address >> 6)] |= mask_from(address) & mask_to(last);
  }
  bool is_written(std::int64_t address, std::int64_t length) const {
    if (length <= 0) return true;
    const std::int64_t last = address + length - 1;
    if (address >> 6 != last >> 6) return are_words_written(address, last);
    const std::uint64_t mask = mask_from(address) & mask_to(last);
    return (written_[static_cast<std::size_t>(address >> 6)] & mask) == mask;
  }
  /// Whether some byte of the range was written.
  bool is_touched(std::int64_t address, std::int64_t length) const;
  /// First byte of the range that was never written; the range must hold one.
  std::int64_t first_unwritten(std::int64_t address, std::int64_t length) const;

 private:
  // Bits of a word of `written_`: those of the bytes from `address` on, those up to `last`.
  static std::uint64_t mask_from(std::int64_t address) { return ~std::uint64_t{0} << (address & 63); }
  static std::uint64_t mask_to(std::int64_t last) { return ~std::uint64_t{0} >> (63 - (last & 63)); }
  // The same for what spans words.
  void mark_words(std::int64_t address, std::int64_t last);
  bool are_words_written(std::int64_t address, std::int64_t last) const;

  std::int64_t capacity_;
  ZeroedArray<std::byte> bytes_;
  ZeroedArray<std::uint64_t> written_;  ///< one bit per byte
};

}  // namespace accord::sim

#pragma once

#include <cstdint>

#include "simulator/kernels/zeroed_array.h"

namespace accord::sim {

/// A memory's content: bytes, and for each byte whether it was ever written. Takes real memory only where touched.
class ByteStore {
 public:
  explicit ByteStore(std::int64_t capacity);

  std::int64_t capacity() const { return capacity_; }
  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }

  void mark_written(std::int64_t address, std::int64_t length);
  bool is_written(std::int64_t address, std::int64_t length) const;
  /// First byte of the range that was never written; the range must hold one.
  std::int64_t first_unwritten(std::int64_t address, std::int64_t length) const;

 private:
  std::int64_t capacity_;
  ZeroedArray<std::byte> bytes_;
  ZeroedArray<std::uint64_t> written_;  ///< one bit per byte
};

}  // namespace accord::sim

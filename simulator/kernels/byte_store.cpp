#include "simulator/kernels/byte_store.h"

namespace accord::sim {

namespace {

constexpr std::uint64_t all = ~std::uint64_t{0};

std::uint64_t mask_from(std::int64_t address) { return all << (address & 63); }
std::uint64_t mask_to(std::int64_t last) { return all >> (63 - (last & 63)); }

}  // namespace

ByteStore::ByteStore(std::int64_t capacity)
    : capacity_(capacity),
      bytes_(static_cast<std::size_t>(capacity)),
      written_(static_cast<std::size_t>((capacity + 63) / 64)) {}

void ByteStore::mark_written(std::int64_t address, std::int64_t length) {
  if (length <= 0) return;
  const std::int64_t last = address + length - 1;
  const std::int64_t from = address >> 6, to = last >> 6;
  std::uint64_t* words = written_.data();
  if (from == to) {
    words[from] |= mask_from(address) & mask_to(last);
    return;
  }
  words[from] |= mask_from(address);
  for (std::int64_t i = from + 1; i < to; ++i) words[i] = all;
  words[to] |= mask_to(last);
}

bool ByteStore::is_written(std::int64_t address, std::int64_t length) const {
  if (length <= 0) return true;
  const std::int64_t last = address + length - 1;
  const std::int64_t from = address >> 6, to = last >> 6;
  const std::uint64_t* words = written_.data();
  if (from == to) {
    const std::uint64_t mask = mask_from(address) & mask_to(last);
    return (words[from] & mask) == mask;
  }
  std::uint64_t missing = ~words[from] & mask_from(address);
  for (std::int64_t i = from + 1; i < to; ++i) missing |= ~words[i];
  return (missing | (~words[to] & mask_to(last))) == 0;
}

std::int64_t ByteStore::first_unwritten(std::int64_t address, std::int64_t length) const {
  while (length > 1 && is_written(address, 1)) {
    ++address;
    --length;
  }
  return address;
}

}  // namespace accord::sim

#include "simulator/kernels/byte_store.h"

#include <algorithm>

namespace accord::sim {

ByteStore::ByteStore(std::int64_t capacity, bool held)
    : capacity_(capacity),
      bytes_(held ? static_cast<std::size_t>(capacity) : 0),
      written_(held ? static_cast<std::size_t>((capacity + 63) / 64) : 0) {}

void ByteStore::mark_words(std::int64_t address, std::int64_t last) {
  const std::int64_t from = address >> 6, to = last >> 6;
  std::uint64_t* words = written_.data();
  words[from] |= mask_from(address);
  for (std::int64_t i = from + 1; i < to; ++i) words[i] = ~std::uint64_t{0};
  words[to] |= mask_to(last);
}

bool ByteStore::are_words_written(std::int64_t address, std::int64_t last) const {
  const std::int64_t from = address >> 6, to = last >> 6;
  const std::uint64_t* words = written_.data();
  std::uint64_t missing = ~words[from] & mask_from(address);
  for (std::int64_t i = from + 1; i < to; ++i) missing |= ~words[i];
  return (missing | (~words[to] & mask_to(last))) == 0;
}

bool ByteStore::is_touched(std::int64_t address, std::int64_t length) const {
  if (length <= 0) return false;
  const std::int64_t last = address + length - 1, from = address >> 6, to = last >> 6;
  const std::uint64_t* words = written_.data();
  if (from == to) return (words[from] & mask_from(address) & mask_to(last)) != 0;
  return (words[from] & mask_from(address)) != 0 || (words[to] & mask_to(last)) != 0 ||
         std::any_of(words + from + 1, words + to, [](std::uint64_t word) { return word != 0; });
}

std::int64_t ByteStore::first_unwritten(std::int64_t address, std::int64_t length) const {
  while (length > 1 && is_written(address, 1)) {
    ++address;
    --length;
  }
  return address;
}

}  // namespace accord::sim

#include "compiler/codegen/text.h"

#include <algorithm>
#include <cstring>

namespace accord {

void Text::append(std::span<const std::byte> instructions) {
  for (; !instructions.empty(); instructions = instructions.subspan(size_)) {
    std::memcpy(add(), instructions.data(), size_);
  }
}

std::vector<std::byte> Text::from(std::size_t first) const {
  std::vector<std::byte> result;
  result.reserve((count_ - first) * size_);
  while (first < count_) {
    const std::size_t begin = first % per_block_, end = std::min(per_block_, begin + count_ - first);
    const auto block = blocks_[first / per_block_].begin();
    result.insert(result.end(), block + static_cast<std::ptrdiff_t>(begin * size_),
                  block + static_cast<std::ptrdiff_t>(end * size_));
    first += end - begin;
  }
  return result;
}

void Text::cut(std::size_t first) {
  count_ = first;
  blocks_.resize((first + per_block_ - 1) / per_block_);
}

std::vector<std::byte> Text::take() {
  std::vector<std::byte> result = from(0);
  cut(0);
  return result;
}

}  // namespace accord

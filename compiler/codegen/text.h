#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace accord {

/// Encoded instructions, all of one size, in blocks: a program of 100 MB is not copied whenever it has outgrown its
/// memory.
class Text {
 public:
  explicit Text(std::size_t instruction)
      : size_(instruction), per_block_(std::max<std::size_t>(1, (std::size_t{1} << 20) / instruction)) {}

  /// Appends one instruction, to be filled in.
  std::byte* add() {
    if (count_ % per_block_ == 0) blocks_.emplace_back(per_block_ * size_);
    return at(count_++);
  }
  void append(std::span<const std::byte> instructions);

  /// Copies of the instructions from `first` on.
  std::vector<std::byte> from(std::size_t first) const;

  /// Drops the instructions from `first` on.
  void cut(std::size_t first);

  /// All of them, side by side; they are gone here.
  std::vector<std::byte> take();

 private:
  std::byte* at(std::size_t i) { return blocks_[i / per_block_].data() + i % per_block_ * size_; }

  std::size_t size_;
  std::size_t per_block_;
  std::size_t count_ = 0;
  std::vector<std::vector<std::byte>> blocks_;
};

}  // namespace accord

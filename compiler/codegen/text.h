#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace accord {

/// Encoded instructions, all of one size, side by side.
class Text {
 public:
  explicit Text(std::size_t instruction) : size_(instruction) {}

  /// Appends one instruction, to be filled in.
  std::byte* add() {
    append_zeros(size_);
    return bytes_.data() + bytes_.size() - size_;
  }
  void append(std::span<const std::byte> instructions);

  /// Copies of the instructions from `first` on.
  std::vector<std::byte> from(std::size_t first) const;

  /// Drops the instructions from `first` on.
  void cut(std::size_t first) { bytes_.resize(first * size_); }

  /// All of them; they are gone here.
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append_zeros(std::size_t bytes) {
    if (bytes > bytes_.capacity() - bytes_.size()) make_room(bytes);
    bytes_.resize(bytes_.size() + bytes);
  }
  void make_room(std::size_t bytes);

  std::size_t size_;
  std::vector<std::byte> bytes_;
};

}  // namespace accord

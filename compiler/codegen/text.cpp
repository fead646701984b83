#include "compiler/codegen/text.h"

#include <algorithm>
#include <new>

namespace accord {
namespace {

constexpr std::size_t long_text = std::size_t{4} << 20, longest = std::size_t{512} << 20;

}  // namespace

void Text::append(std::span<const std::byte> instructions) {
  if (instructions.size() > bytes_.capacity() - bytes_.size()) make_room(instructions.size());
  bytes_.insert(bytes_.end(), instructions.begin(), instructions.end());
}

/// A program of 100 MB is not copied whenever it has outgrown its memory: addresses cost nothing, only what is written.
void Text::make_room(std::size_t bytes) {
  const std::size_t needed = bytes_.size() + bytes;
  const std::size_t doubled = std::max({needed, 2 * bytes_.size(), std::size_t{4096}});
  if (doubled >= long_text && doubled < longest) {
    try {
      return bytes_.reserve(longest);
    } catch (const std::bad_alloc&) {  // addresses may be limited, too
    }
  }
  bytes_.reserve(doubled);
}

std::vector<std::byte> Text::from(std::size_t first) const {
  return {bytes_.begin() + static_cast<std::ptrdiff_t>(first * size_), bytes_.end()};
}

}  // namespace accord

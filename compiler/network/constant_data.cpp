#include "compiler/network/constant_data.h"

#include <cstdint>

namespace accord {

const std::byte* ConstantBytes::data() const {
  std::call_once(aligned_, [this] {
    constexpr std::uintptr_t widest = alignof(std::int64_t);  // of the element types
    if (reinterpret_cast<std::uintptr_t>(bytes_.data()) % widest == 0) return;
    own_ = copy();
    bytes_ = own_;
    keeper_.reset();
  });
  return bytes_.data();
}

}  // namespace accord

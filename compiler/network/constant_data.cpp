#include "compiler/network/constant_data.h"

#include <cassert>
#include <cstdint>
#include <utility>

namespace accord {

const std::byte* ConstantBytes::data() const {
  std::call_once(aligned_, [this] {
    if (made_late_) {
      const ConstantData made = std::exchange(make_, nullptr)();
      bytes_ = made->aligned();
      keeper_ = made;
      assert(bytes_.size() == size_);
      return;
    }
    constexpr std::uintptr_t widest = alignof(std::int64_t);  // of the element types
    if (reinterpret_cast<std::uintptr_t>(bytes_.data()) % widest == 0) return;
    own_.assign(bytes_.begin(), bytes_.end());
    bytes_ = own_;
    keeper_.reset();
  });
  return bytes_.data();
}

}  // namespace accord

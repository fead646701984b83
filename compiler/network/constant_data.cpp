#include "compiler/network/constant_data.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

namespace accord {

bool ConstantBytes::is_aligned() const {
  constexpr std::uintptr_t widest = alignof(std::int64_t);  // of the element types
  return reinterpret_cast<std::uintptr_t>(bytes_.data()) % widest == 0;
}

const std::byte* ConstantBytes::data() const {
  std::call_once(aligned_, [this] {
    if (reordered_) {
      const ConstantData ordered = order_(elements_->unaligned());
      assert(ordered->size() == size_);
      bytes_ = ordered->aligned();
      keeper_ = ordered;
      elements_ = nullptr;
    } else if (!is_aligned()) {
      own_.assign(bytes_.begin(), bytes_.end());
      bytes_ = own_;
      keeper_.reset();
    }
  });
  return bytes_.data();
}

std::shared_ptr<const std::byte> ConstantBytes::lend() const {
  if (elements_) {
    const ConstantData ordered = order_(elements_->unaligned());
    return {ordered, ordered->data()};
  }
  if (is_aligned()) return {std::shared_ptr<const void>(), bytes_.data()};
  const std::shared_ptr<std::byte[]> own(new std::byte[size_]);
  std::memcpy(own.get(), bytes_.data(), size_);
  return {own, own.get()};
}

}  // namespace accord

#include "archdsl/isa/image_bytes.h"

#include <algorithm>
#include <cassert>

namespace accord {

bool ImageBytes::operator==(const ImageBytes& other) const { return std::ranges::equal(*this, other); }

std::vector<std::byte>& ImageBytes::own() {
  assert(!keeper_);
  return own_;
}

}  // namespace accord

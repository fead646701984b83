#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archdsl/tensor/element_type.h"

namespace accord {

using Shape = std::vector<std::int64_t>;

/// A tensor's value: dense, row-major, in its type.
struct Value {
  ElementType type = ElementType::fp32;
  Shape shape;
  std::vector<std::byte> data;
};

/// Values by tensor name.
using Values = std::map<std::string, Value>;

}  // namespace accord

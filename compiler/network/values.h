#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// A tensor's value: dense, row-major, in its type.
struct Value {
  ElementType type = ElementType::fp32;
  Shape shape;
  std::vector<std::byte> data;
};

/// Values by tensor name.
using Values = std::map<std::string, Value>;

}  // namespace accord

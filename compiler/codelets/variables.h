#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Integer variables that extents and constants of a codelet may name: NAME_0, NAME_last, strides_0, group, ...
class Variables {
 public:
  void add(const std::string& name, std::int64_t value);
  void add_shape(const std::string& name, const Shape& shape);

  /// Throws Error where there is no such number.
  std::int64_t evaluate(const std::string& text) const;

  /// Of an iterator with this name; throws Error where that counts nothing, or too much.
  std::int64_t extent(const std::string& iterator, const std::string& text) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::int64_t> values_;
};

/// The attribute's numbers; none where it is a text.
std::vector<double> attribute_numbers(const Attribute& attribute);

}  // namespace accord

#pragma once

#include <string>

namespace accord {

/// A place in a covenant; line and column are 1-based, 0 = unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Location&) const = default;
};

}  // namespace accord

#pragma once

#include <stdexcept>
#include <string>

namespace accord {

/// The user's mistake (a model that cannot be read, a program file cut off): message for the terminal, exit status 1.
/// Mistakes inside a covenant are diagnostics instead (archdsl/source/diagnostics.h), since they come many at once.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace accord

#pragma once

#include <map>
#include <string>

#include "compiler/network/network.h"

namespace accord::test {

/// The operators that a quantised network computes in fp32, by name, with the reason.
inline std::map<std::string, std::string> in_float(const Network& network) {
  std::map<std::string, std::string> result;
  for (const Operator& op : network.operators) {
    if (!op.in_float.empty()) result.emplace(op.name, op.in_float);
  }
  return result;
}

}  // namespace accord::test

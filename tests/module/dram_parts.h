#pragma once

#include <string>

#include "archdsl/graph/architecture.h"

namespace accord::test {

/// gemmini16's off-chip memory, made of a part of configs/parts; `more` follows it in the covenant.
Memory memory_of(const std::string& part, const std::string& more = "");

Dram without_refresh(Dram part);

}  // namespace accord::test

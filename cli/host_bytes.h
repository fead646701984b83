#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/isa/program.h"

namespace accord {

/// By layer of the program: bytes of the tensors, constants aside, that the host's work for it reads and writes, each
/// tensor once and whole.
std::vector<std::int64_t> host_bytes(const Program& program);

}  // namespace accord

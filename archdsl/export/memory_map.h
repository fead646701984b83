#pragma once

#include <string>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Markdown: every memory with its addresses, banks, word, ports, and who reads and writes it. Memories that differ
/// only in the indices of their names share a row.
std::string to_memory_map(const Architecture& architecture);

}  // namespace accord

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Everything that the covenant resolves to, without places and citation. Equal architectures give equal text.
nlohmann::json resolved(const Architecture& architecture);

/// FNV-1a (64 bits) of the resolved content's text, as 16 hex digits.
std::string hash_of(const Architecture& architecture);

}  // namespace accord

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "archdsl/check/load.h"

namespace accord {

/// Which covenant a command works on.
struct ArchitectureChoice {
  std::string arch;                              ///< file, or the name of a shipped accelerator
  std::map<std::string, std::string> overrides;  ///< `--set`
};

inline constexpr const char* default_accelerator = "gemmini16";

/// Where the shipped accelerator of that name stands: configs/accelerators/NAME.yaml of the tree that this was built
/// from.
std::filesystem::path shipped_covenant(const std::string& name);

/// The file itself, or the shipped accelerator's. Throws Error where neither exists.
std::filesystem::path find_covenant(const std::string& arch);

/// All diagnostics go to stderr; throws Error where one of them is an error.
Architecture load_or_report(const ArchitectureChoice& choice);

}  // namespace accord

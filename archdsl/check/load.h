#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/source/diagnostics.h"

namespace accord {

struct LoadResult {
  std::optional<Architecture> architecture;  ///< absent where any diagnostic is an error
  std::vector<Diagnostic> diagnostics;       ///< all of the file's, in source order
  std::vector<std::filesystem::path>
      files;  ///< that were read: the covenant and what it extends, includes or tabulates
};

/// Where files that a covenant extends or includes are looked for after its own folder: the folders of the environment
/// variable ACCORD_PATH, separated by colons, then the shipped configs.
std::vector<std::filesystem::path> covenant_path();

/// Reads, checks and resolves a covenant. `overrides` replace params (`--set`). Never throws for what a file holds.
LoadResult load_architecture(const std::filesystem::path& file,
                             const std::map<std::string, std::string>& overrides = {});

}  // namespace accord

#pragma once

#include <filesystem>
#include <vector>

#include "archdsl/source/node.h"
#include "archdsl/source/reporter.h"

namespace accord {

/// Parses the covenant and every file that it extends or includes, and gives the one document that they make. Files are
/// looked for beside the file that names them, then in `search`. Reports what is wrong; a null node where nothing is
/// left.
Node compose(Reporter& reporter, const std::vector<std::filesystem::path>& search);

/// Parses a file that `path` names; a null node, with a diagnostic, where there is none.
Node read_named_file(Reporter& reporter, const Node& path, const std::vector<std::filesystem::path>& search);

}  // namespace accord

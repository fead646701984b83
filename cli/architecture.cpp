#include "cli/architecture.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/files.h"

namespace accord {

std::filesystem::path shipped_covenant(const std::string& name) {
  return std::filesystem::path(ACCORD_CONFIGS_DIR) / "accelerators" / (name + ".yaml");
}

std::filesystem::path find_covenant(const std::string& arch) {
  if (is_there(arch)) return arch;
  const auto shipped = shipped_covenant(arch);
  if (is_there(shipped)) return shipped;
  throw Error(fmt::format("{}: neither a file nor the name of a shipped accelerator", arch));
}

Architecture load_or_report(const ArchitectureChoice& choice) {
  const auto file = find_covenant(choice.arch);
  auto loaded = load_architecture(file, choice.overrides);
  for (const auto& diagnostic : loaded.diagnostics) std::cerr << render(diagnostic) << '\n';
  if (loaded.architecture) return std::move(*loaded.architecture);
  const auto errors = std::count_if(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::error; });
  throw Error(fmt::format("{}: {} error{}", file.string(), errors, errors == 1 ? "" : "s"));
}

}  // namespace accord

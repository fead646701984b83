#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "archdsl/check/load.h"
#include "tests/file_text.h"
#include "tests/overrides.h"
#include "tests/scratch.h"

namespace accord {

/// All covenants of the library and of tests/accept.
inline std::vector<std::filesystem::path> all_covenants() {
  const std::filesystem::path root = ACCORD_SOURCE_DIR;
  std::vector<std::filesystem::path> files;
  for (const char* const folder : {"configs/accelerators", "tests/accept", "tests/accept/warnings"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
  }
  return files;
}

inline Architecture load_file(const std::filesystem::path& file) {
  LoadResult result = load_architecture(file, overrides_of(file));
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::error) FAIL_CHECK(render(diagnostic));
  }
  REQUIRE(result.architecture.has_value());
  return *std::move(result.architecture);
}

/// Loads a covenant given as text.
inline Architecture load_text(const std::string& text) {
  const Scratch file("covenant.yaml");
  std::ofstream(file.path, std::ios::binary) << text;
  return load_file(file.path);
}

}  // namespace accord

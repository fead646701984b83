// Are wrong covenants rejected, with the right words at the right place? Each NAME.yaml stands beside NAME.expect, the
// diagnostics as rendered. A first line `# set: param=value` gives an override. ACCORD_UPDATE_GOLDEN=1 rewrites them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "archdsl/check/load.h"
#include "tests/file_text.h"
#include "tests/overrides.h"

namespace {

const std::filesystem::path folder = std::filesystem::path(ACCORD_SOURCE_DIR) / "tests/reject";

std::vector<std::filesystem::path> covenants() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Golden texts name the file without its folder.
void shorten(accord::Diagnostic& diagnostic) {
  if (diagnostic.where.line > 0 || diagnostic.where.file.starts_with('/')) {
    diagnostic.where.file = std::filesystem::path(diagnostic.where.file).filename();
  }
  for (accord::Diagnostic& note : diagnostic.notes) shorten(note);
}

}  // namespace

TEST_CASE("each wrong covenant gives its diagnostics") {
  const bool update = std::getenv("ACCORD_UPDATE_GOLDEN") != nullptr;
  const auto files = covenants();
  CHECK(files.size() >= 180);
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.filename().string());
    accord::LoadResult result = accord::load_architecture(file, accord::overrides_of(file));
    std::string text;
    for (accord::Diagnostic& diagnostic : result.diagnostics) {
      shorten(diagnostic);
      text += render(diagnostic);
    }
    CHECK_FALSE(result.architecture.has_value());
    std::filesystem::path golden = file;
    golden.replace_extension(".expect");
    if (update) std::ofstream(golden, std::ios::binary) << text;
    CHECK_EQ(accord::file_text(golden), text);
  }
}

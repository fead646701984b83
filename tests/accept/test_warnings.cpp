// What deserves a word but no refusal: each NAME.yaml of `warnings` stands beside NAME.expect, its warnings as
// rendered. ACCORD_UPDATE_GOLDEN=1 rewrites them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/accept/accepted.h"
#include "tests/file_text.h"

namespace {

/// Golden texts name the file without its folder.
void shorten(accord::Diagnostic& diagnostic) {
  diagnostic.where.file = std::filesystem::path(diagnostic.where.file).filename();
  for (accord::Diagnostic& note : diagnostic.notes) shorten(note);
}

}  // namespace

TEST_CASE("each idle or uneven covenant gives its warnings and an architecture") {
  const bool update = std::getenv("ACCORD_UPDATE_GOLDEN") != nullptr;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(accord::test::repository() / "tests/accept/warnings")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    CAPTURE(entry.path().filename().string());
    accord::LoadResult result = accord::load_architecture(entry.path());
    CHECK(result.architecture.has_value());
    std::string text;
    for (accord::Diagnostic& diagnostic : result.diagnostics) {
      CHECK(diagnostic.severity == accord::Severity::warning);
      shorten(diagnostic);
      text += render(diagnostic);
    }
    std::filesystem::path golden = entry.path();
    golden.replace_extension(".expect");
    if (update) std::ofstream(golden, std::ios::binary) << text;
    CHECK_EQ(accord::file_text(golden), text);
  }
  CHECK(files >= 8);
}

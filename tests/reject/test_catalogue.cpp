// Does docs/diagnostics.md give, for every code, a wrong covenant with that code and a right one without?
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "archdsl/check/load.h"
#include "tests/file_text.h"
#include "tests/overrides.h"

using accord::DiagnosticCode;
using accord::Severity;

namespace {

const std::filesystem::path root = ACCORD_SOURCE_DIR;
const std::filesystem::path page = root / "docs/diagnostics.md";

/// The text below the heading of a code, up to the next heading.
std::string section(const std::string& text, const std::string& code) {
  const std::string heading = "\n## `" + code + "`\n";
  const std::size_t begin = text.find(heading);
  if (begin == std::string::npos) return {};
  const std::size_t first = begin + heading.size();
  return text.substr(first, text.find("\n## ", first) - first);
}

/// The first two files that a section links to: the wrong one and the right one.
std::vector<std::filesystem::path> examples(const std::string& section) {
  std::vector<std::filesystem::path> files;
  for (std::size_t at = 0; (at = section.find("](", at)) != std::string::npos; ++at) {
    const std::string target = section.substr(at + 2, section.find(')', at) - at - 2);
    if (target.ends_with(".yaml")) files.push_back(page.parent_path() / target);
  }
  return files;
}

/// The section's lines that end in `# wrong` or `# right`, without that.
std::vector<std::string> quoted(const std::string& section, const std::string& mark) {
  std::vector<std::string> lines;
  std::istringstream in(section);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos || at + mark.size() != line.size()) continue;
    lines.push_back(line.substr(0, line.find_last_not_of(' ', at - 1) + 1));
  }
  return lines;
}

accord::LoadResult load(const std::filesystem::path& file) {
  return accord::load_architecture(file, accord::overrides_of(file));
}

bool gives(const accord::LoadResult& result, const DiagnosticCode& code) {
  return std::any_of(result.diagnostics.begin(), result.diagnostics.end(), [&](const accord::Diagnostic& diagnostic) {
    return diagnostic.code == code.code && diagnostic.severity == code.severity;
  });
}

/// True where a golden of the folder holds the code.
bool has_golden(const std::filesystem::path& folder, const std::string& code) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".expect" &&
        accord::file_text(entry.path()).find("[" + code + "]: ") != std::string::npos) {
      return true;
    }
  }
  return false;
}

void check_quotes(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  const std::string text = accord::file_text(file);
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("every code has a golden") {
  for (const DiagnosticCode& code : accord::diagnostic_codes()) {
    CAPTURE(code.code);
    const bool error = code.severity == Severity::error;
    CHECK(has_golden(root / (error ? "tests/reject" : "tests/accept/warnings"), std::string(code.code)));
  }
}

TEST_CASE("every code's wrong example gives it, its right example does not") {
  const std::string text = accord::file_text(page);
  for (const DiagnosticCode& code : accord::diagnostic_codes()) {
    CAPTURE(code.code);
    const std::string words = section(text, std::string(code.code));
    const std::vector<std::filesystem::path> files = examples(words);
    REQUIRE(files.size() >= 2);
    const accord::LoadResult wrong = load(files[0]);
    CHECK(gives(wrong, code));
    CHECK(wrong.architecture.has_value() == (code.severity == Severity::warning));
    const accord::LoadResult right = load(files[1]);
    CHECK(right.architecture.has_value());
    CHECK_FALSE(gives(right, code));
    check_quotes(files[0], quoted(words, "# wrong"));
    check_quotes(files[1], quoted(words, "# right"));
  }
}

TEST_CASE("every section is a code's") {
  const std::string text = accord::file_text(page);
  std::size_t sections = 0;
  for (std::size_t at = 0; (at = text.find("\n## ", at)) != std::string::npos; ++at) ++sections;
  CHECK(sections == accord::diagnostic_codes().size());
}

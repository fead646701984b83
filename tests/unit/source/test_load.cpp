// Does the loader survive files that are no covenants, and say so?
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "archdsl/check/load.h"
#include "tests/file_text.h"
#include "tests/scratch.h"

using namespace accord;

namespace {

const std::filesystem::path root = ACCORD_SOURCE_DIR;

std::string first_message(const std::filesystem::path& file) {
  const LoadResult result = load_architecture(file);
  CHECK_FALSE(result.architecture.has_value());
  return result.diagnostics.empty() ? "" : result.diagnostics[0].message;
}

}  // namespace

TEST_CASE("what is no file is named so") {
  CHECK(first_message("/nonexistent/arch.yaml") == "the file does not exist");
  CHECK(first_message(root) == "this is not a file");
  CHECK(first_message("/dev/zero") == "this is not a file");
  const Scratch large("large.yaml");
  std::ofstream(large.path) << std::string(5 << 20, 'a');
  CHECK(first_message(large.path) == "the file is larger than 4 MiB");
}

TEST_CASE("diagnostics come in source order, all at once") {
  const LoadResult result = load_architecture(root / "tests/reject/many_mistakes.yaml");
  CHECK(result.diagnostics.size() >= 5);
  for (std::size_t i = 1; i < result.diagnostics.size(); ++i) {
    CHECK(result.diagnostics[i - 1].where.line <= result.diagnostics[i].where.line);
  }
}

TEST_CASE("every code is in the documentation and no code is there twice") {
  const std::string text = file_text(root / "docs/diagnostics.md");
  for (const DiagnosticCode& row : diagnostic_codes()) {
    const std::string cell = "| `" + std::string(row.code) + "` |";
    CAPTURE(cell);
    const std::size_t at = text.find(cell);
    CHECK(at != std::string::npos);
    CHECK(text.find(cell, at + 1) == std::string::npos);
    CHECK(text.find(row.meaning) != std::string::npos);
  }
}

TEST_CASE("mutilated covenants give diagnostics or load, and never crash") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::string original = file_text(root / "configs/accelerators/gemmini16.yaml");
  const Scratch file("mutant.yaml");
  const std::string alphabet = "{}[]:,\"'#&*!|>-?%@`${} \n\t09azAZ._+";
  for (int round = 0; round < 300; ++round) {
    std::string text = original;
    for (unsigned change = 0; change < 1 + random() % 4; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = alphabet[random() % alphabet.size()]; break;
        case 1: text.erase(at, random() % 40); break;
        case 2: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
        default: text.insert(at, original.substr(random() % original.size(), random() % 60));
      }
    }
    std::ofstream(file.path, std::ios::binary | std::ios::trunc) << text;
    const LoadResult result = load_architecture(file.path);
    if (!result.architecture) CHECK_FALSE(result.diagnostics.empty());
    for (const Diagnostic& diagnostic : result.diagnostics) CHECK_FALSE(render(diagnostic).empty());
  }
}

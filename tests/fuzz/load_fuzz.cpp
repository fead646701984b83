// Does the loader survive any covenant? Input: leading lines `# set: PARAM=VALUE` are overrides; a line `#file NAME`
// begins a further file, which the covenant may include, extend or name as a table. Found wrong: a crash, a sanitizer's
// report, an architecture beside errors or neither of them, and a machine whose instructions do not survive as text.
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "archdsl/check/load.h"
#include "archdsl/isa/program.h"
#include "tests/fuzz/scratch_folder.h"

namespace {

using namespace accord;

constexpr std::string_view override_mark = "# set: ";
constexpr std::string_view file_mark = "#file ";
constexpr std::size_t most_files = 8;

/// Only plain names: nothing is written outside the folder.
std::string file_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 32)) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') name += c;
  }
  return name + ".yaml";
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::map<std::string, std::string> take_overrides(std::string_view& text) {
  std::map<std::string, std::string> overrides;
  while (text.starts_with(override_mark)) {
    const std::string_view line = take_line(text).substr(override_mark.size());
    const std::size_t equals = std::min(line.find('='), line.size());
    overrides.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return overrides;
}

/// Writes the input's files; the covenant is the first.
void write_files(std::string_view text, ScratchFolder& folder) {
  std::string name = "covenant.yaml";
  for (std::size_t files = 0; files < most_files; ++files) {
    const std::string_view rest = text;
    std::size_t size = 0;
    while (!text.empty() && !text.starts_with(file_mark)) size += take_line(text).size() + 1;
    folder.write(name, rest.substr(0, std::min(size, rest.size())));
    if (text.empty()) return;
    name = file_name(take_line(text).substr(file_mark.size()));
  }
}

void require(bool condition) {
  if (!condition) std::abort();
}

/// Any bits are text that gives the same bits again.
void check_instructions(const Architecture& architecture) {
  Program program;
  program.architecture = architecture.name;
  program.architecture_hash = architecture.hash;
  program.controller = architecture.controller.name;
  unsigned bits = 1;
  for (int i = 0; i < 256; ++i) {
    bits = bits * 1103515245U + 12345U;
    program.text.push_back(static_cast<std::byte>(i % 64 < 48 ? bits >> 16 : 0));
  }
  require(assemble(architecture, disassemble(architecture, program), "text").text == program.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchFolder folder;
  folder.clear();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto overrides = take_overrides(text);
  write_files(text, folder);
  const LoadResult result = load_architecture(folder.path() / "covenant.yaml", overrides);
  bool wrong = false;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    wrong = wrong || diagnostic.severity == Severity::error;
    require(!render(diagnostic).empty());
  }
  require(wrong != result.architecture.has_value());
  if (result.architecture) check_instructions(*result.architecture);
  return 0;
}

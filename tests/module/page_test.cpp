// Do the examples of docs/movers.md give what the page says?
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "archdsl/check/load.h"
#include "archdsl/tensor/convert.h"
#include "simulator/simulate.h"
#include "tests/file_text.h"

using namespace accord;

namespace {

const std::filesystem::path root = ACCORD_SOURCE_DIR;

/// What stands behind `# MARK:` in the example.
std::string note(const std::string& example, const std::string& mark) {
  const std::string line = "# " + mark + ": ";
  const std::size_t at = example.find(line);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + line.size();
  return example.substr(begin, example.find('\n', begin) - begin);
}

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

std::vector<double> elements(const Value& value) {
  std::vector<double> result;
  const auto size = static_cast<std::size_t>(bytes(value.type));
  for (std::size_t at = 0; at < value.data.size(); at += size)
    result.push_back(load_element(value.data.data() + at, value.type));
  return result;
}

void run(const std::string& example) {
  CAPTURE(example);
  const LoadResult loaded = load_architecture(root / note(example, "machine"));
  REQUIRE(loaded.architecture);
  const Program program = assemble(*loaded.architecture, example, "docs/movers.md");
  for (const Fidelity fidelity : {Fidelity::transaction, Fidelity::cycle, Fidelity::function}) {
    SimulateOptions options;
    options.fidelity = fidelity;
    const SimulateResult result = simulate(*loaded.architecture, program, {}, options);
    for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
    CHECK(result.broken_invariants.empty());
    CHECK(elements(result.outputs.at("y")) == numbers(note(example, "y")));
    if (fidelity != Fidelity::function) CHECK(std::to_string(result.total_cycles) == note(example, "cycles"));
  }
}

}  // namespace

TEST_CASE("do the examples of docs/movers.md give what the page says") {
  const std::string page = file_text(root / "docs/movers.md");
  const std::string open = "```asm\n", close = "```";
  int examples = 0;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    run(page.substr(at, page.find(close, at) - at));
    ++examples;
  }
  CHECK(examples == 5);
}

#include <doctest/doctest.h>

#include <sstream>

#include "archdsl/isa/program.h"
#include "cli/numeric.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t wait_seed = 11;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_wait(const Architecture& architecture, const std::string& line) {
  for (const auto& mnemonic : architecture.isa.mnemonics) {
    if (mnemonic.meaning == Meaning::wait && line.starts_with(mnemonic.name + " ")) return true;
  }
  return false;
}

std::string without_line(const std::vector<std::string>& lines, std::size_t deleted) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != deleted) text += lines[i] + "\n";
  }
  return text;
}

/// Deletes each wait in turn, as one would with an editor.
void check_every_wait(const Architecture& architecture) {
  NetworkBuilder builder(wait_seed);
  const auto network = builder.finish(builder.relu(builder.conv(builder.input({1, 12, 6, 6}), 20, 3, 1, 1)));
  const auto inputs = seeded_inputs_of(network, wait_seed);
  const auto program = compile(architecture, to_numeric(architecture, network, inputs));
  const auto lines = lines_of(disassemble(architecture, program));
  int waits = 0;
  int reported = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_wait(architecture, lines[i])) continue;
    ++waits;
    CAPTURE(lines[i]);
    const auto result = simulate(architecture, assemble(architecture, without_line(lines, i), "mutant.s"), inputs);
    if (!result.hazards.empty()) ++reported;
  }
  CHECK(waits > 0);
  CHECK(reported == waits);
}

}  // namespace

TEST_CASE("is a wait deleted from a compiled program a named hazard") {
  SUBCASE("gemmini16 with semaphores") {
    auto result = load_text(edited("gemmini16", "sync: {interlock: {entries: 28}}", "sync: {semaphores: 16}"));
    REQUIRE(result.architecture);
    check_every_wait(*result.architecture);
  }
  SUBCASE("dnnweaver64") { check_every_wait(machine("dnnweaver64")); }
}

TEST_CASE("does a compiled program survive disassembly and assembly") {
  const auto architecture = machine("gemmini16");
  for (const auto& [name, network] : small_networks(wait_seed)) {
    CAPTURE(name);
    const auto inputs = seeded_inputs_of(network, wait_seed);
    const auto program = compile(architecture, to_numeric(architecture, network, inputs));
    const auto again = assemble(architecture, disassemble(architecture, program), "again.s");
    CHECK(again.text == program.text);
    CHECK(simulate(architecture, again, inputs).total_cycles == simulate(architecture, program, inputs).total_cycles);
  }
}

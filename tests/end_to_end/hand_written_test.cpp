#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/scratch_file.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

/// c[2,16] = a[2,3] * b[3,16], with semaphores: load to mesh 0, mesh to store 1. Where sync is no semaphores, the waits
/// and signals go.
constexpr const char* product_program = R"(
.symbol a dram 0x1000 i8 [2, 3] [16, 1] input
.symbol c dram 0x3000 i32 [2, 16] [64, 4] output
.image dram 0x2000 i8 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
  2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2
  0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
.image dram 0x4000 zeros 1024
config_ld ld_stride=16, ld_block=16
mvin dst=0, src=0x1000, cols=3, blocks=1, rows=2
mvin dst=16, src=0x2000, cols=16, blocks=1, rows=3
config_ld ld_stride=64, ld_block=64
mvin_acc dst=0, src=0x4000, cols=64, blocks=1, rows=2
signal_load semaphore=0
config_ex a_step=16
preload b_addr=16, c_addr=0, b_load=1
wait_mesh semaphore=0
compute a=0, i=2, j=16, k=3
signal_mesh semaphore=1
config_st st_stride=64
wait_store semaphore=1
mvout_raw src=0, dst=0x3000, cols=64, rows=2
)";

constexpr const char* interlock = "sync: {interlock: {entries: 28}}";

/// The text without its lines that contain `what`; the test fails where there is none.
std::string without(const std::string& text, const std::string& what) {
  std::istringstream lines(text);
  std::string rest, line;
  bool found = false;
  while (std::getline(lines, line)) {
    if (line.find(what) == std::string::npos) {
      rest += line + "\n";
    } else {
      found = true;
    }
  }
  REQUIRE(found);
  return rest;
}

Architecture with_semaphores() {
  auto result = load_text(edited("gemmini16", interlock, "sync: {semaphores: 4}"));
  REQUIRE(result.architecture);
  return *result.architecture;
}

Values input() {
  const std::int8_t elements[] = {1, 1, 1, 0, -1, 5};
  Value a{ElementType::i8, {2, 3}, std::vector<std::byte>(6)};
  std::memcpy(a.data.data(), elements, sizeof elements);
  return {{"a", a}};
}

SimulateResult simulated(const Architecture& architecture, const std::string& text) {
  return simulate(architecture, assemble(architecture, text, "product.s"), input());
}

bool has(const SimulateResult& result, const std::string& kind) {
  return std::any_of(result.hazards.begin(), result.hazards.end(), [&](const Hazard& h) { return h.kind == kind; });
}

void check_product(const SimulateResult& result) {
  for (const auto& hazard : result.hazards) FAIL_CHECK(hazard.kind, ": ", hazard.message);
  CHECK(result.broken_invariants.empty());
  REQUIRE(result.outputs.contains("c"));
  std::int32_t c[32];
  REQUIRE(result.outputs.at("c").data.size() == sizeof c);
  std::memcpy(c, result.outputs.at("c").data.data(), sizeof c);
  for (int j = 0; j < 16; ++j) {
    CHECK(c[j] == (j + 1) + 2 + (j == 15));
    CHECK(c[16 + j] == -2 + (j == 15 ? 5 : 0));
  }
}

std::string unsynchronised() { return without(without(product_program, "signal_"), "wait_"); }

/// Exit status of `accord sim` on a program file.
Exit sim_status(const std::filesystem::path& program) {
  SimCommand command;
  command.choice.arch = "gemmini16";
  command.program = program;
  return run_command(command);
}

}  // namespace

TEST_CASE("does a hand-written program give what paper and pencil give") {
  SUBCASE("interlock") { check_product(simulated(machine("gemmini16"), unsynchronised())); }
  SUBCASE("semaphores") { check_product(simulated(with_semaphores(), product_program)); }
}

TEST_CASE("is a missing wait a named hazard") {
  for (const std::string wait : {"wait_mesh", "wait_store"}) {
    CAPTURE(wait);
    const auto result = simulated(with_semaphores(), without(product_program, wait));
    REQUIRE(has(result, "race"));
    const auto& hazard = result.hazards.front();
    CHECK_FALSE(hazard.mnemonic.empty());
    CHECK_FALSE(hazard.where.empty());
  }
}

TEST_CASE("is a missing signal a deadlock that names who waits") {
  const auto result = simulated(with_semaphores(), without(product_program, "signal_load"));
  CHECK(has(result, "deadlock"));
}

TEST_CASE("is a value that was never written reported when it is read") {
  CHECK(has(simulated(machine("gemmini16"), without(unsynchronised(), "mvin_acc")), "uninitialised_read"));
}

TEST_CASE("does a source that steps by 0 pass the link once, in and out") {
  const auto traffic = [](const Architecture& architecture, const std::string& stride, const std::string& store) {
    const auto text = without(unsynchronised(), "mvout_raw") + "config_ld ld_stride=" + stride + ", ld_block=16\n" +
                      "mvin dst=64, src=0x2000, cols=16, blocks=1, rows=8\n" + store;
    const auto result = simulated(architecture, text);
    CHECK(result.broken_invariants.empty());
    return std::pair(result.link_bytes.at("bus"), result.total_cycles);
  };
  const auto whole = traffic(machine("gemmini16"), "16", ""), once = traffic(machine("gemmini16"), "0", "");
  CHECK(whole.first - once.first == 7 * 16);
  CHECK(once.second <= whole.second);
  const std::string out = "config_st st_stride=64\nmvout_raw src=0, dst=0x3000, cols=64, rows=2\n";
  const auto repeating =
      load_text(edited("gemmini16", "source: \"${4 * dim} B\", target: free", "source: 0 B, target: free"));
  REQUIRE(repeating.architecture);
  CHECK(traffic(*repeating.architecture, "0", out).first - traffic(*repeating.architecture, "0", "").first == 64);
}

TEST_CASE("does a program that no machine could run end with an error") {
  const auto architecture = machine("gemmini16");
  const ScratchFile file;
  auto program = assemble(architecture, unsynchronised(), "product.s");
  SUBCASE("undefined opcode") { program.text[0] = std::byte{0xee}; }
  SUBCASE("address out of range") {
    program = assemble(architecture, unsynchronised() + "mvin dst=0, src=0xff00000000, cols=16, blocks=1, rows=1\n",
                       "product.s");
  }
  write_program(program, file.path());
  CHECK(sim_status(file.path()) == Exit::user_error);
}

TEST_CASE("is a program file that is cut off anywhere refused") {
  const auto architecture = machine("gemmini16");
  const ScratchFile file;
  write_program(assemble(architecture, unsynchronised(), "product.s"), file.path());
  const auto whole = file_text(file.path());
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    CAPTURE(size);
    write_text(file.path(), whole.substr(0, size));
    CHECK_THROWS_AS(read_program(file.path()), Error);
  }
}

TEST_CASE("is a program for another machine refused") {
  const auto program = assemble(machine("gemmini16"), unsynchronised(), "product.s");
  CHECK_THROWS_AS(simulate(machine("gemmini16", {{"dim", "32"}}), program, input()), Error);
}

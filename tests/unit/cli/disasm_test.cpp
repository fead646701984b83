#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>

#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "tests/scratch.h"

using namespace accord;

TEST_CASE("is a program refused whose text could not be assembled again?") {
  const Scratch scratch("disasm");
  std::filesystem::create_directories(scratch.path);
  const DisasmCommand command{{"gemmini16", {}}, scratch.path / "p.elf", scratch.path / "p.s"};
  const auto machine = load_or_report(command.choice);
  const Program right = assemble(machine, ".symbol x dram 0x40 i8 [2] input\n.image dram 0x80 i8 1 2 3\n", "p.s");
  write_program(right, command.program);
  CHECK(run_command(command) == Exit::right);

  Program wrong = right;
  wrong.images[0].address = std::int64_t{1} << 40;
  write_program(wrong, command.program);
  const auto file = command.program.string();
  CHECK_THROWS_WITH_AS(run_command(command), (file + ": an image does not fit into memory dram").c_str(), Error);

  wrong = right;
  wrong.symbols[0].address = std::int64_t{1} << 40;
  write_program(wrong, command.program);
  CHECK_THROWS_WITH_AS(run_command(command), (file + ": symbol x does not fit into memory dram").c_str(), Error);
}

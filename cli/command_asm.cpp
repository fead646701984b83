#include "archdsl/isa/program.h"
#include "cli/commands.h"
#include "cli/files.h"

namespace accord {

namespace {
constexpr std::size_t most_assembly = 4096;  ///< MiB: images stand in the text
}

Exit run_command(const AsmCommand& command) {
  const auto architecture = load_or_report(command.choice);
  const auto program = assemble(architecture, read_text(command.source, most_assembly), command.source.string());
  write_program(program, command.output);
  return Exit::right;
}

}  // namespace accord

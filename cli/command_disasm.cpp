#include <fmt/format.h>

#include <iostream>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "cli/files.h"

namespace accord {

Exit run_command(const DisasmCommand& command) {
  const auto architecture = load_or_report(command.choice);
  const auto program = read_program(command.program);
  if (program.architecture_hash != architecture.hash) {
    throw Error(
        fmt::format("{} was made for {} ({}), the covenant is {} ({}): use the same file and --set, or compile again",
                    command.program.string(), program.architecture, program.architecture_hash, architecture.name,
                    architecture.hash));
  }
  const auto text = disassemble(architecture, program);
  if (command.output.empty()) std::cout << text;
  write_text(command.output, text);
  return Exit::right;
}

}  // namespace accord

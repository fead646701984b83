#include <iostream>

#include "archdsl/isa/program.h"
#include "cli/commands.h"
#include "cli/files.h"

namespace accord {

Exit run_command(const DisasmCommand& command) {
  const auto architecture = load_or_report(command.choice);
  const auto text = disassemble(architecture, read_program(command.program));
  if (command.output.empty()) std::cout << text;
  write_text(command.output, text);
  return Exit::right;
}

}  // namespace accord

#include "cli/commands.h"
#include "compiler/frontends/zoo.h"

namespace accord {

Exit run_command(const ZooCommand& command) {
  write_zoo(command.name, command.output.empty() ? command.name + ".onnx" : command.output, command.seed);
  return Exit::right;
}

}  // namespace accord

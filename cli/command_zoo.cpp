#include "cli/commands.h"
#include "compiler/frontends/zoo.h"

namespace accord {

Exit run_command(const ZooCommand& command) {
  const auto file = command.output.empty() ? std::filesystem::path(command.name + ".onnx") : command.output;
  write_zoo(command.name, file, command.seed);
  return Exit::right;
}

}  // namespace accord

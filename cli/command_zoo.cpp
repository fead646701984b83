#include "cli/commands.h"
#include "cli/files.h"
#include "compiler/frontends/zoo.h"

namespace accord {

Exit run_command(const ZooCommand& command) {
  check_ending(command.output, "ONNX", ".onnx");
  const auto file = command.output.empty() ? std::filesystem::path(command.name + ".onnx") : command.output;
  write_zoo(command.name, file, command.seed);
  return Exit::right;
}

}  // namespace accord

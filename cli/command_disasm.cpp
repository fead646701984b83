#include <fmt/format.h>

#include <iostream>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "simulator/kernels/load_images.h"
#include "simulator/kernels/symbols.h"

namespace accord {

namespace {

/// The text of what lies outside its memory could not be assembled again.
void check_fits(const Architecture& architecture, const Program& program, const std::filesystem::path& file) {
  const auto capacity = [&](const std::string& memory) {
    return architecture.memories[sim::memory_index(architecture, memory)].capacity;
  };
  try {
    for (const auto& image : program.images) sim::check_image(image, capacity(image.memory));
    for (const auto& symbol : program.symbols) sim::check_symbol(symbol, capacity(symbol.memory));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace

Exit run_command(const DisasmCommand& command) {
  const auto architecture = load_or_report(command.choice);
  const auto program = read_program(command.program);
  if (program.architecture_hash != architecture.hash) {
    throw Error(
        fmt::format("{} was made for {} ({}), the covenant is {} ({}): use the same file and --set, or compile again",
                    command.program.string(), program.architecture, program.architecture_hash, architecture.name,
                    architecture.hash));
  }
  check_fits(architecture, program, command.program);
  const auto text = disassemble(architecture, program);
  if (command.output.empty()) std::cout << text;
  write_text(command.output, text);
  return Exit::right;
}

}  // namespace accord

#include <fmt/format.h>

#include <iostream>

#include "archdsl/export/ipxact.h"
#include "archdsl/export/isa_manual.h"
#include "archdsl/export/memory_map.h"
#include "archdsl/export/show.h"
#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "cli/files.h"

namespace accord {

namespace {

void print(const std::filesystem::path& output, const std::string& text) {
  if (!output.empty()) return write_text(output, text);
  std::cout << text;
}

/// What is already a description of a machine, only in another form.
Exit import(const ShowCommand& command) {
  if (command.memory_map || command.isa || !command.choice.overrides.empty() ||
      (!command.output.empty() && command.output.extension() != ".yaml")) {
    throw Error(fmt::format("{}: IP-XACT is turned into a covenant first: accord show {} -o F.yaml",
                            command.choice.arch, command.choice.arch));
  }
  print(command.output, import_ipxact(command.choice.arch));
  return Exit::right;
}

}  // namespace

Exit run_command(const ShowCommand& command) {
  if (std::filesystem::path(command.choice.arch).extension() == ".xml") return import(command);
  if (command.memory_map || command.isa) check_ending(command.output, "Markdown", ".md");
  const Architecture architecture = load_or_report(command.choice);
  if (command.memory_map) {
    print(command.output, to_memory_map(architecture));
  } else if (command.isa) {
    print(command.output, to_isa_manual(architecture));
  } else if (command.output.empty()) {
    throw Error("show needs -o FILE, --memory-map or --isa");
  } else {
    show(architecture, command.output);
  }
  return Exit::right;
}

}  // namespace accord

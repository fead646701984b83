#include "cli/command_schema.h"

#include <iostream>

#include "archdsl/schema/reference.h"
#include "cli/files.h"

namespace accord {

Exit run_command(const SchemaCommand& command) {
  if (command.reference) {
    check_ending(command.output, "Markdown", ".md");
  } else {
    check_ending(command.output, "JSON", ".json");
  }
  const std::string text = command.reference ? reference_markdown() : file_schema(command.of).dump(2) + "\n";
  if (command.output.empty()) {
    std::cout << text;
  } else {
    write_text(command.output, text);
  }
  return Exit::right;
}

}  // namespace accord

#pragma once

#include <filesystem>

#include "archdsl/schema/schema.h"
#include "cli/commands.h"

namespace accord {

struct SchemaCommand {
  FileKind of = FileKind::covenant;
  bool reference = false;        ///< Markdown instead
  std::filesystem::path output;  ///< empty: stdout
};
Exit run_command(const SchemaCommand& command);

}  // namespace accord

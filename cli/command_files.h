#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_schema.h"
#include "cli/commands.h"

namespace accord {

/// A file, and the option that names it.
struct NamedFile {
  std::string option;
  std::filesystem::path file;  ///< empty: none
};

/// What a command's options name for it to read and to write.
struct CommandFiles {
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs;
};

CommandFiles files_of(const CheckCommand& command);
CommandFiles files_of(const ShowCommand& command);
CommandFiles files_of(const SchemaCommand& command);
CommandFiles files_of(const ZooCommand& command);
CommandFiles files_of(const CompileCommand& command);
CommandFiles files_of(const MapCommand& command);
CommandFiles files_of(const SimCommand& command);
CommandFiles files_of(const RunCommand& command);
CommandFiles files_of(const ValidateCommand& command);
CommandFiles files_of(const AsmCommand& command);
CommandFiles files_of(const DisasmCommand& command);

/// Throws Error where an output is also an input, or two outputs are one file, under whatever names.
void check_files(const CommandFiles& files);

}  // namespace accord

#include "cli/command_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/load.h"
#include "archdsl/source/error.h"
#include "cli/files.h"
#include "cli/validation/benches.h"
#include "compiler/frontends/onnx_file.h"

namespace accord {

namespace {

/// The file of `NAME=FILE`, or of `FILE` alone.
std::filesystem::path file_assigned(const std::string& text) {
  const auto equals = text.find('=');
  return is_there(text) || equals == std::string::npos ? text : text.substr(equals + 1);
}

void add_assigned(std::vector<NamedFile>& files, const char* option, const std::vector<std::string>& assignments) {
  for (const auto& text : assignments) files.push_back({option, file_assigned(text)});
}

bool any_named(const std::vector<NamedFile>& files) {
  return std::ranges::any_of(files, [](const NamedFile& named) { return !named.file.empty(); });
}

/// The covenant, and where anything is written the files that it is made of: `files` has its outputs.
void add_covenant_files(CommandFiles& files, const ArchitectureChoice& choice, const char* option) {
  const bool given = choice.arch.empty() || is_there(choice.arch);
  const std::filesystem::path covenant = given ? std::filesystem::path(choice.arch) : shipped_covenant(choice.arch);
  files.inputs.push_back({option, covenant});
  if (!any_named(files.outputs) || !is_file(covenant) || covenant.extension() == ".xml") return;
  for (const auto& file : load_architecture(covenant, choice.overrides).files) files.inputs.push_back({option, file});
}

void add_external_data(CommandFiles& files, const std::filesystem::path& model) {
  if (!any_named(files.outputs) || !is_file(model) || model.extension() != ".onnx") return;
  for (const auto& file : external_files(model)) files.inputs.push_back({"--model", file});
}

/// Of a folder what `load_chosen` looks for in it.
void add_model_files(CommandFiles& files, const ModelChoice& model) {
  files.inputs.push_back({"--model", model.model});
  const std::filesystem::path path = model.model;
  add_external_data(files, is_folder(path) ? path / "model.onnx" : path);
  if (is_folder(model.model)) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(model.model, failed)) {
      const auto ending = entry.path().extension();
      if (ending == ".onnx" || ending == ".npy") files.inputs.push_back({"--model", entry.path()});
    }
  }
  add_assigned(files.inputs, "--input", model.inputs);
  add_assigned(files.inputs, "--expect", model.expected);
}

void add_recorded(std::vector<NamedFile>& files, const Recordings& recordings) {
  files.push_back({"--trace", recordings.trace});
  files.push_back({"--vcd", recordings.vcd});
  files.push_back({"--stats", recordings.stats});
  files.push_back({"--critical-path", recordings.critical_path});
}

/// Where the text goes: also a link that leads to no file yet names one.
std::filesystem::path destination(std::filesystem::path path) {
  constexpr int most_links = 40;
  std::error_code failed;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(path, failed); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, failed);
  }
  const auto canonical = std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
  return failed ? path : canonical;
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code failed;
  if (std::filesystem::equivalent(a, b, failed)) return is_file(a);  // /dev/null takes any number of outputs
  return !is_there(a) && !is_there(b) && destination(a) == destination(b);
}

}  // namespace

CommandFiles files_of(const CheckCommand& command) {
  CommandFiles files{{}, {{"--json", command.json}}};
  add_covenant_files(files, command.choice, "arch");
  return files;
}

CommandFiles files_of(const ShowCommand& command) {
  CommandFiles files{{}, {{"-o", command.output}}};
  add_covenant_files(files, command.choice, "arch");
  return files;
}

CommandFiles files_of(const SchemaCommand& command) { return {{}, {{"-o", command.output}}}; }

CommandFiles files_of(const ZooCommand& command) { return {{}, {{"-o", command.output}}}; }

CommandFiles files_of(const CompileCommand& command) {
  CommandFiles files{{}, {{"-o", command.output}, {"--json", command.json}}};
  add_covenant_files(files, command.choice, "--arch");
  add_model_files(files, command.model);
  return files;
}

CommandFiles files_of(const MapCommand& command) {
  CommandFiles files{{}, {{"--json", command.json}}};
  add_covenant_files(files, command.choice, "--arch");
  add_model_files(files, command.model);
  return files;
}

CommandFiles files_of(const SimCommand& command) {
  CommandFiles files{{{"program", command.program}}, {{"--json", command.json}}};
  add_assigned(files.outputs, "--output", command.outputs);
  add_recorded(files.outputs, command.recordings);
  add_covenant_files(files, command.choice, "--arch");
  add_assigned(files.inputs, "--input", command.inputs);
  return files;
}

CommandFiles files_of(const RunCommand& command) {
  CommandFiles files{{}, {{"-o", command.output}, {"--report", command.report}, {"--json", command.json}}};
  add_recorded(files.outputs, command.recordings);
  add_covenant_files(files, command.choice, "--arch");
  add_model_files(files, command.model);
  return files;
}

CommandFiles files_of(const ValidateCommand& command) {
  CommandFiles files{{{"--table", command.table}}, {{"--json", command.json}}};
  if (command.plots.empty()) return files;
  for (const Bench& bench : benches()) files.outputs.push_back({"--plots", command.plots / (bench.name + ".svg")});
  return files;
}

CommandFiles files_of(const AsmCommand& command) {
  CommandFiles files{{{"source", command.source}}, {{"-o", command.output}}};
  add_covenant_files(files, command.choice, "--arch");
  return files;
}

CommandFiles files_of(const DisasmCommand& command) {
  CommandFiles files{{{"program", command.program}}, {{"-o", command.output}}};
  add_covenant_files(files, command.choice, "--arch");
  return files;
}

void check_files(const CommandFiles& files) {
  for (std::size_t i = 0; i < files.outputs.size(); ++i) {
    const auto& [option, file] = files.outputs[i];
    for (const auto& input : files.inputs) {
      if (same_file(file, input.file))
        throw Error(fmt::format("{}: {} would replace what {} names, the input", file.string(), option, input.option));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (same_file(file, files.outputs[j].file))
        throw Error(fmt::format("{}: {} and {} name the same file", file.string(), files.outputs[j].option, option));
    }
  }
}

}  // namespace accord

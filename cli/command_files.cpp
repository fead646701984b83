#include "cli/command_files.h"

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/files.h"
#include "cli/validation/benches.h"

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

NamedFile covenant_file(const ArchitectureChoice& choice, const char* option) {
  if (choice.arch.empty() || is_there(choice.arch)) return {option, choice.arch};
  return {option, shipped_covenant(choice.arch)};
}

/// Of a folder what `load_chosen` looks for in it.
void add_model_files(std::vector<NamedFile>& files, const ModelChoice& model) {
  files.push_back({"--model", model.model});
  if (is_folder(model.model)) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(model.model, failed)) {
      const auto ending = entry.path().extension();
      if (ending == ".onnx" || ending == ".npy") files.push_back({"--model", entry.path()});
    }
  }
  add_assigned(files, "--input", model.inputs);
  add_assigned(files, "--expect", model.expected);
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
  return {{covenant_file(command.choice, "arch")}, {{"--json", command.json}}};
}

CommandFiles files_of(const ShowCommand& command) {
  return {{covenant_file(command.choice, "arch")}, {{"-o", command.output}}};
}

CommandFiles files_of(const SchemaCommand& command) { return {{}, {{"-o", command.output}}}; }

CommandFiles files_of(const ZooCommand& command) { return {{}, {{"-o", command.output}}}; }

CommandFiles files_of(const CompileCommand& command) {
  CommandFiles files{{covenant_file(command.choice, "--arch")}, {{"-o", command.output}, {"--json", command.json}}};
  add_model_files(files.inputs, command.model);
  return files;
}

CommandFiles files_of(const MapCommand& command) {
  CommandFiles files{{covenant_file(command.choice, "--arch")}, {{"--json", command.json}}};
  add_model_files(files.inputs, command.model);
  return files;
}

CommandFiles files_of(const SimCommand& command) {
  CommandFiles files{{covenant_file(command.choice, "--arch"), {"program", command.program}},
                     {{"--json", command.json}}};
  add_assigned(files.inputs, "--input", command.inputs);
  add_assigned(files.outputs, "--output", command.outputs);
  add_recorded(files.outputs, command.recordings);
  return files;
}

CommandFiles files_of(const RunCommand& command) {
  CommandFiles files{{covenant_file(command.choice, "--arch")},
                     {{"-o", command.output}, {"--report", command.report}, {"--json", command.json}}};
  add_model_files(files.inputs, command.model);
  add_recorded(files.outputs, command.recordings);
  return files;
}

CommandFiles files_of(const ValidateCommand& command) {
  CommandFiles files{{{"--table", command.table}}, {{"--json", command.json}}};
  if (command.plots.empty()) return files;
  for (const Bench& bench : benches()) files.outputs.push_back({"--plots", command.plots / (bench.name + ".svg")});
  return files;
}

CommandFiles files_of(const AsmCommand& command) {
  return {{covenant_file(command.choice, "--arch"), {"source", command.source}}, {{"-o", command.output}}};
}

CommandFiles files_of(const DisasmCommand& command) {
  return {{covenant_file(command.choice, "--arch"), {"program", command.program}}, {{"-o", command.output}}};
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

#include <iostream>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/files.h"

namespace accord {

namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: break;
  }
  return "note";
}

nlohmann::json diagnostic_json(const Diagnostic& diagnostic) {
  nlohmann::json json = {{"severity", severity_name(diagnostic.severity)},
                         {"code", diagnostic.code},
                         {"file", diagnostic.where.file},
                         {"line", diagnostic.where.line},
                         {"column", diagnostic.where.column},
                         {"message", diagnostic.message}};
  if (!diagnostic.hint.empty()) json["hint"] = diagnostic.hint;
  for (const auto& note : diagnostic.notes) json["notes"].push_back(diagnostic_json(note));
  return json;
}

}  // namespace

Exit run_command(const CheckCommand& command) {
  const auto file = find_covenant(command.choice.arch);
  const auto loaded = load_architecture(file, command.choice.overrides);
  auto diagnostics = nlohmann::json::array();
  for (const auto& diagnostic : loaded.diagnostics) {
    std::cerr << render(diagnostic) << '\n';
    diagnostics.push_back(diagnostic_json(diagnostic));
  }
  const bool right = loaded.architecture.has_value();
  write_json(command.json, {{"file", file.string()}, {"ok", right}, {"diagnostics", diagnostics}});
  if (!right) return Exit::user_error;
  const auto& architecture = *loaded.architecture;
  fmt::print(std::cout, "{}: {} memories, {} links, {} units, {} mnemonics: no errors\n", architecture.name,
             architecture.memories.size(), architecture.links.size(), architecture.units.size(),
             architecture.isa.mnemonics.size());
  return Exit::right;
}

}  // namespace accord

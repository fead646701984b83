#include <algorithm>
#include <iostream>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/report.h"
#include "cli/stopwatch.h"
#include "compiler/network/npy.h"

namespace accord {

namespace {

std::vector<TensorSlot> slots_of(const Program& program, Symbol::Role role) {
  std::vector<TensorSlot> slots;
  for (const auto& symbol : program.symbols) {
    if (symbol.role == role) slots.push_back({symbol.name, symbol.type, symbol.shape});
  }
  return slots;
}

/// Before the work: whether each names an output, or the only one.
void check_outputs(const std::vector<std::string>& assignments, const std::vector<TensorSlot>& outputs) {
  for (const auto& text : assignments) {
    const bool named =
        std::ranges::any_of(outputs, [&](const TensorSlot& output) { return text.starts_with(output.name + "="); });
    const bool only = outputs.size() == 1 && text.find('=') == std::string::npos;
    if (!named && !only) throw Error("'" + text + "': expected NAME=FILE.npy with NAME an output of the program");
  }
}

void write_outputs(const std::vector<std::string>& assignments, const Values& outputs) {
  for (const auto& text : assignments) {
    if (text.find('=') == std::string::npos && outputs.size() == 1) save_npy(text, outputs.begin()->second);
    for (const auto& [name, value] : outputs) {
      if (text.starts_with(name + "=")) save_npy(text.substr(name.size() + 1), value);
    }
  }
}

/// A program that no machine could run is the user's mistake; one that runs and goes wrong is a wrong result.
bool is_malformed(const Hazard& hazard) { return hazard.kind == "undefined_opcode" || hazard.kind == "out_of_range"; }

Exit status_of(const RunReport& report) {
  if (std::any_of(report.hazards.begin(), report.hazards.end(), is_malformed)) return Exit::user_error;
  return report.right() ? Exit::right : Exit::wrong_result;
}

}  // namespace

Exit run_command(const SimCommand& command) {
  if (!command.values && command.fidelity == Fidelity::function)
    throw Error("--fidelity function has values only: with --no-values nothing is left");
  const auto architecture = load_or_report(command.choice);
  const auto program = read_program(command.program);
  const auto wanted = slots_of(program, Symbol::Role::input);
  Values inputs = read_tensors(command.inputs, wanted);
  if (command.values) fill_seeded(inputs, wanted, command.seed);
  check_outputs(command.outputs, slots_of(program, Symbol::Role::output));

  SimulateOptions options;
  options.fidelity = command.fidelity;
  options.values = command.values;
  options.shortcuts = command.shortcuts;
  options.check_hazards = command.check_hazards && command.values;
  options.most_cycles = command.most_cycles;
  options.on_long_run = [](std::int64_t instructions) {
    fmt::print(std::cerr, "note: the program executes at least {:.1e} instructions; --most-cycles N ends it sooner\n",
               static_cast<double>(instructions));
  };
  request(command.recordings, options);
  const Stopwatch simulating;
  const auto result = simulate(architecture, program, inputs, options);
  auto report = make_report(architecture, program, result);
  report.model = command.program.string();
  report.values = command.values;
  report.simulate_s = simulating.seconds();
  report.total_s = report.simulate_s;
  report.binary_bytes = static_cast<std::int64_t>(std::filesystem::file_size(command.program));

  write_outputs(command.outputs, result.outputs);
  write_critical_path(command.recordings, architecture, program, result);
  print_report(report, std::cout);
  write_json(command.json, to_json(report));
  return status_of(report);
}

}  // namespace accord

#include <iostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/measure.h"
#include "cli/model.h"
#include "cli/numeric.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/searcher_choice.h"
#include "cli/stopwatch.h"
#include "compiler/compile.h"

namespace accord {

namespace {

void print_mapping(const Program& program) {
  for (const auto& layer : program.layers) {
    const auto place = layer.placed_on == "host" ? "host: " + layer.reason : layer.placed_on + "." + layer.capability;
    if (!layer.fusion.empty()) fmt::print(std::cout, "kept on chip: {}\n", layer.fusion);
    fmt::print(std::cout, "{} ({}): {}; {} MACs, bound {} cycles, {} bytes compulsory\n", layer.name, layer.op, place,
               layer.macs, layer.bound_cycles, layer.compulsory_bytes);
  }
}

nlohmann::json layers_json(const Program& program) {
  auto layers = nlohmann::json::array();
  for (const auto& layer : program.layers) {
    layers.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"placed_on", layer.placed_on},
                      {"capability", layer.capability},
                      {"reason", layer.reason},
                      {"fusion", layer.fusion},
                      {"macs", layer.macs},
                      {"bound_cycles", layer.bound_cycles},
                      {"compulsory_bytes", layer.compulsory_bytes}});
  }
  return layers;
}

/// Names of stages and passes in their order, with their seconds.
using StageTimes = std::vector<std::pair<std::string, double>>;

nlohmann::json to_json(const StageTimes& times) {
  auto stages = nlohmann::json::array();
  for (const auto& [stage, seconds] : times) stages.push_back({{"stage", stage}, {"seconds", seconds}});
  return stages;
}

nlohmann::json memory_json(const std::vector<MemoryUse>& uses) {
  auto memories = nlohmann::json::array();
  for (const auto& use : uses) memories.push_back(to_json(use));
  return memories;
}

Program compile_chosen(const CompileCommand& command, const Architecture& architecture, LoadedModel& model,
                       StageTimes& times) {
  const Progress progress(Progress::wanted(command.progress));
  progress.show("calibrate");
  const Stopwatch quantising;
  const auto numeric = to_numeric(architecture, std::move(model.network), model.inputs);
  times.emplace_back("quantise", quantising.seconds());
  for (const auto& warning : numeric.warnings) std::cerr << "warning: " << warning << '\n';
  CompileOptions options;
  options.timed = [&](const std::string& pass, double seconds) { times.emplace_back(pass, seconds); };
  options.searcher = searcher_of(command.searcher);
  options.dump_after = command.dump_after;
  options.dump = &std::cout;
  options.fuse = command.fuse;
  options.measure = measure_cycles;
  options.progress = [&](const std::string& pass, int done, int total) {
    progress.show(fmt::format("compile: {} {}/{}", pass, done, total));
  };
  return compile(architecture, numeric, options);
}

}  // namespace

Exit run_command(const CompileCommand& command) {
  const Stopwatch total;
  StageTimes times;
  const auto architecture = load_or_report(command.choice);
  times.emplace_back("covenant", total.seconds());
  const Stopwatch importing;
  auto model = load_chosen(command.model);
  times.emplace_back("import", importing.seconds());
  const auto program = compile_chosen(command, architecture, model, times);
  const Stopwatch writing;
  if (!command.output.empty()) write_program(program, command.output);
  times.emplace_back("write", writing.seconds());
  const double wall = total.seconds();
  const auto memory = memory_use(architecture, program);
  if (command.report) {
    print_mapping(program);
    print_memory(memory, std::cout);
  }
  fmt::print(std::cout, "{} on {}: {} layers, {} bytes of instructions, {:.2f} s\n", model.name, architecture.name,
             program.layers.size(), program.text.size(), wall);
  write_json(command.json, {{"arch", architecture.name},
                            {"model", model.name},
                            {"clock_hz", architecture.clock_hz},
                            {"wall", {{"compile_s", wall}, {"stages", to_json(times)}}},
                            {"instruction_bytes", program.text.size()},
                            {"memory", memory_json(memory)},
                            {"layers", layers_json(program)}});
  return Exit::right;
}

}  // namespace accord

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/main_job.h"
#include "cli/model.h"
#include "cli/progress.h"
#include "cli/searcher_choice.h"
#include "cli/stopwatch.h"
#include "compiler/numerics/compare.h"
#include "compiler/reference/execute.h"

namespace accord {

namespace {

constexpr double reference_tolerance = 1e-4;  ///< by default, of the largest output: fp32 sums in another order

std::vector<OutputDistance> distances(const Values& outputs, const Values& reference, const std::string& against) {
  std::vector<OutputDistance> all;
  for (const auto& [name, value] : reference) {
    const auto output = outputs.find(name);
    if (output == outputs.end()) continue;
    const auto comparison = compare(value, output->second);
    all.push_back({name, against, comparison.signal_to_noise_db, comparison.relative_max_error, comparison.not_finite});
  }
  return all;
}

Exit run_reference(const LoadedModel& model, const RunCommand& command) {
  for (const auto& warning : model.network.warnings) fmt::print(std::cout, "warning: {}\n", warning);
  const Stopwatch executing;
  const auto outputs = execute(model.imported, model.inputs);
  const double wall = executing.seconds();
  const auto found = distances(outputs, model.expected, "the expected output");
  const double tolerance = command.tolerance.value_or(reference_tolerance);
  const bool close = std::all_of(found.begin(), found.end(),
                                 [&](const OutputDistance& distance) { return distance.relative_error <= tolerance; });
  auto json = nlohmann::json{{"model", model.name}, {"wall", {{"reference_s", wall}}}};
  json["verified"] = found.empty() ? nlohmann::json(nullptr) : nlohmann::json(close);
  json["outputs"] = nlohmann::json::array();
  for (const auto& distance : found) {
    print_distance(distance, std::cout);
    json["outputs"].push_back(to_json(distance));
  }
  if (!found.empty()) fmt::print(std::cout, "verified: {} (relative error at most {:g})\n", close, tolerance);
  fmt::print(std::cout, "wall    reference {:.2f} s\n", wall);
  write_json(command.json, json);
  return close ? Exit::right : Exit::wrong_result;
}

MainJobOptions job_options(const LoadedModel& model, const RunCommand& command, const Progress& progress) {
  MainJobOptions options;
  options.model = &model.imported;
  options.searcher = searcher_of(command.searcher);
  options.fidelity = command.fidelity;
  options.tolerance = command.tolerance;
  options.verify = command.verify;
  options.binary = command.output;
  options.recordings = command.recordings;
  options.dump_after = command.dump_after;
  options.dump = &std::cout;
  options.fuse = command.fuse;
  options.progress = [&progress](const std::string& text) { progress.show(text); };
  return options;
}

RunReport run_machine(const LoadedModel& model, const RunCommand& command) {
  auto choice = command.choice;
  if (choice.arch.empty()) choice.arch = default_accelerator;
  const auto architecture = load_or_report(choice);
  if (command.tolerance && architecture.numerics.integer)
    throw Error("--tolerance is for float machines: what integers compute is compared bit by bit");
  const Progress progress(Progress::wanted(command.progress));
  auto job = run_main_job(architecture, model.network, model.inputs, job_options(model, command, progress));
  job.report.model = model.name;
  const auto elsewhere = [](const LayerReport& layer) {
    return layer.placed_on == "host" || layer.placed_on == "memory";
  };
  if (std::ranges::all_of(job.report.layers, elsewhere))
    job.report.warnings.push_back("the machine does no layer of this model; the reasons stand with the layers");
  job.report.distances = distances(job.outputs, job.fp32_outputs, "the fp32 reference");
  for (auto& distance : distances(job.outputs, model.expected, "the expected output")) {
    job.report.distances.push_back(std::move(distance));
  }
  return job.report;
}

}  // namespace

Exit run_command(const RunCommand& command) {
  const Stopwatch total;
  const auto model = load_chosen(command.model);
  if (command.reference_only) return run_reference(model, command);
  auto report = run_machine(model, command);
  report.total_s = total.seconds();
  std::ostringstream text;
  print_report(report, text);
  std::cout << text.str();
  write_text(command.report, text.str());
  write_json(command.json, to_json(report));
  return report.right() ? Exit::right : Exit::wrong_result;
}

}  // namespace accord

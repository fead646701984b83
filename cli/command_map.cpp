#include <algorithm>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"
#include "archdsl/source/suggest.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/map_report.h"
#include "cli/measure.h"
#include "cli/model.h"
#include "cli/numeric.h"
#include "cli/progress.h"
#include "cli/searcher_choice.h"

namespace accord {
namespace {

/// Whether the layer's result or one of its operators is called so.
bool is_called(const LayerChoices& layer, const Network& network, const std::string& name) {
  return layer.name == name || std::ranges::any_of(layer.plan.group.operators, [&](int op) {
           return network.operators[static_cast<std::size_t>(op)].name == name;
         });
}

/// The layers that are called so; all where no name is given.
std::vector<LayerChoices> chosen_layers(Compilation& compilation, const std::string& wanted) {
  if (wanted.empty()) return explore(compilation);
  const auto is_wanted = [&](const LayerChoices& layer) { return is_called(layer, compilation.network, wanted); };
  std::vector<LayerChoices> layers = explore(compilation, is_wanted);
  std::vector<std::string> names;
  for (const LayerChoices& layer : layers) names.push_back(layer.name);
  std::erase_if(layers, [&](const LayerChoices& layer) { return !is_wanted(layer); });
  if (layers.empty()) {
    const std::string near = did_you_mean(wanted, names);
    throw Error(fmt::format("--layer {}: the model has no such layer{}{}", wanted, near.empty() ? "" : "; ", near));
  }
  return layers;
}

}  // namespace

Exit run_command(const MapCommand& command) {
  const auto architecture = load_or_report(command.choice);
  auto model = load_chosen(command.model);
  const auto numeric = to_numeric(architecture, std::move(model.network), model.inputs);
  CompileOptions options;
  options.searcher = searcher_of(command.searcher);
  options.measure = measure_cycles;
  const Progress progress(Progress::wanted(command.progress));
  Compilation compilation(architecture, numeric, options);
  const auto layers = chosen_layers(compilation, command.layer);
  std::vector<std::optional<LayerRun>> runs(layers.size());
  auto json = nlohmann::json{{"arch", architecture.name}, {"model", model.name}, {"layers", nlohmann::json::array()}};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    print_choices(compilation.machine, layers[i], command.explain, std::cout);
    if (command.calibrate) {
      progress.show(fmt::format("simulate: {}/{} {}", i + 1, layers.size(), layers[i].name));
      runs[i] = run_layer(compilation, layers[i]);
    }
    json["layers"].push_back(choices_json(compilation.machine, layers[i], runs[i]));
  }
  if (command.explain && command.layer.empty()) {
    Compilation whole(architecture, numeric, options);
    explore_chains(whole);
    print_sums(whole, std::cout);
    json["sums"] = whole.sums;
    print_layouts(whole, std::cout);
    json["layouts"] = whole.layouts;
    print_chains(whole, std::cout);
    json["chains"] = chains_json(whole);
  }
  if (command.calibrate) print_calibration(layers, runs, std::cout);
  write_json(command.json, json);
  return Exit::right;
}

}  // namespace accord

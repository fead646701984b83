#include "cli/map_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "compiler/mapping/divisions.h"

namespace accord {
namespace {

/// Predicted bytes by link; a private wire goes by its route.
std::map<std::string, std::int64_t> link_bytes(const Architecture& architecture, const LayerChoice& choice) {
  std::map<std::string, std::int64_t> bytes;
  for (const auto& [where, count] : choice.traffic.routes) {
    const Unit& unit = architecture.units[where.first];
    const Route& route = unit.routes[where.second];
    for (const int link : route.links) bytes[architecture.links[link].name] += count;
    if (!route.links.empty()) continue;
    bytes[fmt::format("{}.{}->{}", unit.name, architecture.memories[route.source].name,
                      architecture.memories[route.target].name)] += count;
  }
  for (const auto& [where, count] : choice.traffic.capabilities) {
    const Unit& unit = architecture.units[where.first];
    bytes[unit.link >= 0 ? architecture.links[unit.link].name
                         : unit.name + "." + unit.capabilities[where.second].name] += count;
  }
  return bytes;
}

std::map<std::string, std::int64_t> memory_bytes(const Architecture& architecture, const LayerChoice& choice) {
  std::map<std::string, std::int64_t> bytes;
  for (std::size_t m = 0; m < choice.footprint.size(); ++m) {
    if (choice.footprint[m] > 0) bytes[architecture.memories[m].name] = choice.footprint[m];
  }
  return bytes;
}

std::map<std::string, double> unit_cycles(const Architecture& architecture, const LayerChoice& choice) {
  std::map<std::string, double> cycles;
  for (const auto& [unit, of_unit] : choice.cost.unit_cycles) {
    if (of_unit > 0) cycles[architecture.units[unit].name] = of_unit;
  }
  return cycles;
}

std::string busiest(const std::map<std::string, double>& cycles) {
  const auto most =
      std::max_element(cycles.begin(), cycles.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == cycles.end() ? "" : most->first;
}

template <typename Map>
std::string list(const Map& map, const char* unit) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : map)
    parts.push_back(fmt::format("{} {:.0f}{}", name, static_cast<double>(value), unit));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_found(const Machine& machine, const LayerChoices& layer, const LayerChoice& choice, std::ostream& out) {
  const Architecture& architecture = machine.architecture;
  out << mapping_text(machine, layer.plan.work, choice.mapping);
  fmt::print(out, "    busy: {}\n", list(unit_cycles(architecture, choice), " cycles"));
  fmt::print(out, "    moved: {}\n", list(link_bytes(architecture, choice), " B"));
  fmt::print(out, "    on chip: {}\n", list(memory_bytes(architecture, choice), " B"));
}

std::size_t found_count(const LayerChoices& layer) {
  return static_cast<std::size_t>(
      std::count_if(layer.choices.begin(), layer.choices.end(), [](const auto& choice) { return choice.found; }));
}

std::string measured_text(const Mapping& mapping) {
  return mapping.measured_cycles > 0 ? fmt::format(" ({:.0f} measured)", mapping.measured_cycles) : "";
}

/// Why the first one stands first.
std::string verdict(const Architecture& architecture, const LayerChoices& layer) {
  const LayerChoice& winner = layer.choices[0];
  std::string text = fmt::format("most of its time {} works", busiest(unit_cycles(architecture, winner)));
  if (found_count(layer) == 1) return text + "; no other assignment was tiled";
  // Measured ones are compared by that with each other, all else by predictions.
  const auto times_winner = [&](const LayerChoice& other) {
    const Mapping &best = winner.mapping, &next = other.mapping;
    const bool measured = best.measured_cycles > 0 && next.measured_cycles > 0;
    return measured ? next.measured_cycles / best.measured_cycles : next.predicted_cycles / best.predicted_cycles;
  };
  double next = std::numeric_limits<double>::infinity();
  for (const LayerChoice& other : std::span(layer.choices).subspan(1)) {
    if (other.found) next = std::min(next, times_winner(other));
  }
  constexpr double best = 1;
  if (next < best && winner.mapping.measured_cycles > 0)
    return text + "; measured, it is the quickest of those predicted about as quick";
  if (next < best) return text + "; others are predicted about as quick, and move more bytes off chip or are in doubt";
  return text + (next > best ? fmt::format("; the next assignment takes {:.1f} % longer", 100 * (next - best))
                             : "; another assignment is as quick, and stands later");
}

/// Of one that was found beside the chosen one.
const char* standing(const Mapping& chosen, const Mapping& other) {
  const bool measured = chosen.measured_cycles > 0 && other.measured_cycles > 0;
  if (measured || other.predicted_cycles >= chosen.predicted_cycles) return "slower";
  return other.scheduled ? "not taken, predicted about as quick"
                         : "not taken, predicted by its units' sums alone, which promise too little";
}

nlohmann::json choice_json(const Machine& machine, const LayerChoices& layer, const LayerChoice& choice) {
  const Architecture& architecture = machine.architecture;
  const Work& work = work_of(layer.plan.work, choice.mapping);
  auto steps = nlohmann::json::array();
  for (const auto& step : choice.mapping.steps) {
    const Capability& capability = machine.capability(step.match);
    nlohmann::json dims;
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      auto chain = nlohmann::json::array();
      for (const int it : step.chains[d]) chain.push_back(work.program.iterators[it].name);
      dims[capability.dims[d].name] = std::move(chain);
    }
    steps.push_back({{"capability", architecture.units[step.match.unit].name + "." + capability.name}, {"dims", dims}});
  }
  nlohmann::json json = {{"steps", steps}, {"found", choice.found}};
  if (choice.mapping.form) json["statement"] = form_text(*choice.mapping.form);
  if (!choice.found) {
    json["reason"] = choice.reason;
    return json;
  }
  auto levels = nlohmann::json::array();
  for (std::size_t level = 0; level < choice.mapping.tile.size(); ++level) {
    auto loops = nlohmann::json::array();
    for (const int it : choice.mapping.order[level]) {
      loops.push_back({{"iterator", work.program.iterators[it].name}, {"tile", choice.mapping.tile[level][it]}});
    }
    levels.push_back(std::move(loops));
  }
  json["levels"] = std::move(levels);
  json["predicted_cycles"] = choice.mapping.predicted_cycles;
  if (choice.mapping.measured_cycles > 0) json["measured_cycles"] = choice.mapping.measured_cycles;
  json["unit_cycles"] = unit_cycles(architecture, choice);
  json["predicted_link_bytes"] = link_bytes(architecture, choice);
  json["footprint_bytes"] = memory_bytes(architecture, choice);
  return json;
}

/// Of the chosen mapping.
std::string why_alone(const Machine& machine, const LayerChoices& layer) {
  if (found_count(layer) == 0) return "";
  const Mapping& chosen = layer.choices[0].mapping;
  const std::string why = accord::why_alone(machine, layer.plan.work, chosen);
  if (!why.empty() || !chosen.spatial.empty() || !std::isfinite(layer.divided)) return why;
  return fmt::format("not divided: over several elements {:.0f} cycles predicted at best", layer.divided);
}

}  // namespace

void print_choices(const Machine& machine, const LayerChoices& layer, bool explain, std::ostream& out) {
  const std::size_t found = found_count(layer);
  fmt::print(out, "{} ({}): ", layer.name, layer.op);
  if (layer.plan.placement == Placement::memory) {
    fmt::print(out, "rearranges only\n");
    return;
  }
  if (found == 0) {
    fmt::print(out, "host: {}\n", layer.plan.reason);
  } else {
    const Mapping& best = layer.choices[0].mapping;
    fmt::print(out, "{:.0f} cycles predicted{}, bound {}; {} of {} assignments tiled\n  chosen: {}\n",
               best.predicted_cycles, measured_text(best), layer.plan.bound.cycles, found, layer.choices.size(),
               verdict(machine.architecture, layer));
    print_found(machine, layer, layer.choices[0], out);
  }
  if (!explain) return;
  if (const auto why = why_alone(machine, layer); !why.empty()) fmt::print(out, "  {}\n", why);
  for (std::size_t i = found == 0 ? 0 : 1; i < layer.choices.size(); ++i) {
    const LayerChoice& choice = layer.choices[i];
    if (choice.found) {
      fmt::print(out, "  {}:\n", standing(layer.choices[0].mapping, choice.mapping));
      print_found(machine, layer, choice, out);
    } else {
      fmt::print(out, "  refused: {}\n{}", choice.reason, mapping_text(machine, layer.plan.work, choice.mapping));
    }
  }
  for (const auto& reason : layer.plan.turned_down) fmt::print(out, "  {}\n", reason);
  for (const auto& rejection : layer.rejections) fmt::print(out, "  {} {}\n", rejection.capability, rejection.reason);
}

void print_sums(const Compilation& compilation, std::ostream& out) {
  fmt::print(out, "sums weighed: {}\n", compilation.sums.size());
  for (const auto& sum : compilation.sums) fmt::print(out, "  {}\n", sum);
}

void print_layouts(const Compilation& compilation, std::ostream& out) {
  fmt::print(out, "layouts weighed: {}\n", compilation.layouts.size());
  for (const auto& layout : compilation.layouts) fmt::print(out, "  {}\n", layout);
}

void print_chains(const Compilation& compilation, std::ostream& out) {
  fmt::print(out, "chains that keep results on chip: {} chosen, {} refused\n", compilation.chains.size(),
             compilation.refused_chains.size());
  for (const auto& chain : compilation.chains) fmt::print(out, "  chosen: {}\n", chain.decision);
  for (const auto& chain : compilation.refused_chains) fmt::print(out, "  refused: {}\n", chain);
}

nlohmann::json chains_json(const Compilation& compilation) {
  auto chosen = nlohmann::json::array();
  for (const auto& chain : compilation.chains) chosen.push_back(chain.decision);
  return {{"chosen", chosen}, {"refused", compilation.refused_chains}};
}

void print_calibration(const std::vector<LayerChoices>& layers, const std::vector<std::optional<LayerRun>>& runs,
                       std::ostream& out) {
  fmt::print(out, "{:<40} {:>12} {:>12} {:>8}\n", "layer", "predicted", "simulated", "error");
  double sum = 0, worst = 0;
  int count = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!runs[i]) continue;
    if (!runs[i]->failure.empty()) {
      fmt::print(out, "{:<40} {:>12} not run: {}\n", layers[i].name, runs[i]->predicted, runs[i]->failure);
      continue;
    }
    fmt::print(out, "{:<40} {:>12} {:>12} {:>+7.1f}%\n", layers[i].name, runs[i]->predicted, runs[i]->simulated,
               100 * runs[i]->error());
    sum += std::abs(runs[i]->error());
    if (std::abs(runs[i]->error()) > std::abs(worst)) worst = runs[i]->error();
    ++count;
  }
  if (count > 0)
    fmt::print(out, "{} layers: mean error {:.1f} %, worst {:+.1f} %\n", count, 100 * sum / count, 100 * worst);
}

nlohmann::json choices_json(const Machine& machine, const LayerChoices& layer, const std::optional<LayerRun>& run) {
  nlohmann::json json = {{"name", layer.name}, {"op", layer.op}, {"bound_cycles", layer.plan.bound.cycles}};
  json["placed"] = layer.plan.placement == Placement::machine ? "machine"
                   : layer.plan.placement == Placement::host  ? "host"
                                                              : "memory";
  json["reason"] = layer.plan.reason;
  json["assignments"] = nlohmann::json::array();
  for (const auto& choice : layer.choices) json["assignments"].push_back(choice_json(machine, layer, choice));
  if (const auto why = why_alone(machine, layer); !why.empty()) json["not_divided"] = why;
  json["turned_down"] = layer.plan.turned_down;
  json["rejected_capabilities"] = nlohmann::json::array();
  for (const auto& rejection : layer.rejections) {
    json["rejected_capabilities"].push_back({{"capability", rejection.capability}, {"reason", rejection.reason}});
  }
  if (!run) return json;
  json["calibration"] = {{"predicted_cycles", run->predicted}};
  if (run->failure.empty()) {
    json["calibration"]["simulated_cycles"] = run->simulated;
    json["calibration"]["error"] = run->error();
  } else {
    json["calibration"]["failure"] = run->failure;
  }
  return json;
}

}  // namespace accord

#include <algorithm>
#include <map>
#include <ostream>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "archdsl/graph/components.h"
#include "cli/recordings.h"
#include "cli/report.h"

namespace accord {

namespace {

constexpr std::size_t widest_name = 36;
constexpr std::size_t most_shares = 6;
constexpr std::size_t most_lines = 10;  ///< of wrong layers, and of hazards

/// Keeps the end of a long name: that is where the names of one model differ.
std::string shortened(const std::string& name) {
  return name.size() <= widest_name ? name : "~" + name.substr(name.size() - widest_name + 1);
}

/// The leaf, other than work, that took the most cycles, with its share.
std::string top_stall(const LayerReport& layer) {
  const StallLeaves::value_type* top = nullptr;
  for (const auto& leaf : layer.stalls) {
    if (leaf.first != "working" && leaf.second > 0 && (!top || leaf.second > top->second)) top = &leaf;
  }
  if (!top || layer.cycles <= 0) return "-";
  return fmt::format("{} {:.0f}%", top->first,
                     100.0 * static_cast<double>(top->second) / static_cast<double>(layer.cycles));
}

std::string mark(const std::optional<bool>& verified) { return !verified ? "" : *verified ? "ok" : "WRONG"; }

void print_layers(const RunReport& report, std::ostream& out) {
  if (report.layers.empty()) return;
  std::size_t width = 5;
  for (const auto& layer : report.layers) width = std::max(width, shortened(layer.name).size());
  constexpr auto row = "{:<{}}  {:<12} {:<10} {:<14} {:>11} {:>11} {:>6} {:>6}  {:<26} {}\n";
  fmt::print(out, row, "layer", width, "op", "placed on", "capability", "cycles", "bound", "eff", "util", "top stall",
             "");
  for (const auto& layer : report.layers) {
    if (layer.placed_on == "host") {
      fmt::print(out, row, shortened(layer.name), width, layer.op, "host", "", "", "", "", "", "",
                 mark(layer.verified));
      continue;
    }
    if (!report.timed) {
      fmt::print(out, row, shortened(layer.name), width, layer.op, layer.placed_on, layer.capability, "", "", "", "",
                 "", mark(layer.verified));
      continue;
    }
    fmt::print(out, row, shortened(layer.name), width, layer.op, layer.placed_on, layer.capability, layer.cycles,
               layer.bound_cycles, fmt::format("{:.2f}", layer.efficiency()),
               fmt::format("{:.2f}", layer.utilisation(report.lanes)), top_stall(layer), mark(layer.verified));
  }
}

void print_host_layers(const RunReport& report, std::ostream& out) {
  const auto on_host = [](const LayerReport& layer) { return layer.placed_on == "host"; };
  if (std::none_of(report.layers.begin(), report.layers.end(), on_host)) return;
  fmt::print(out, "\non the host:\n");
  for (const auto& layer : report.layers) {
    if (on_host(layer))
      fmt::print(out, "  {} ({}, {} bytes): {}\n", layer.name, layer.op, layer.host_bytes, layer.reason);
  }
}

void print_chains(const RunReport& report, std::ostream& out) {
  const auto begins = [](const LayerReport& layer) { return !layer.fusion.empty(); };
  if (std::none_of(report.layers.begin(), report.layers.end(), begins)) return;
  fmt::print(out, "\nkept on chip, from this layer on:\n");
  for (const auto& layer : report.layers | std::views::filter(begins)) {
    fmt::print(out, "  {}: {}\n", layer.name, layer.fusion);
  }
}

/// MAC-weighted efficiency of the layers that multiply.
double weighted_efficiency(const RunReport& report) {
  double weighted = 0;
  double weight = 0;
  for (const auto& layer : report.layers) {
    if (layer.macs == 0 || layer.cycles == 0) continue;
    weighted += static_cast<double>(layer.macs) * layer.efficiency();
    weight += static_cast<double>(layer.macs);
  }
  return weight > 0 ? weighted / weight : 0;
}

/// Where each component's cycles went, the greatest part first; below one percent is left out.
void print_components(const RunReport& report, std::ostream& out) {
  fmt::print(out, "\nwhere the cycles went:\n");
  for (const auto& [component, leaves] : report.stalls) {
    std::vector<std::pair<std::int64_t, std::string>> parts;
    for (const auto& [leaf, cycles] : leaves) parts.emplace_back(cycles, leaf);
    std::sort(parts.rbegin(), parts.rend());
    std::string text;
    for (const auto& [cycles, leaf] : parts) {
      const double percent = 100.0 * static_cast<double>(cycles) / static_cast<double>(report.total_cycles);
      if (percent >= 1) text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", leaf, percent);
    }
    fmt::print(out, "  {:<10} {}\n", component, text);
  }
}

/// The greatest shares of a sum, in percent; elements of an array together.
std::string shares_text(const std::map<std::string, double>& shares, double sum) {
  std::map<std::string, double> groups;
  for (const auto& [component, share] : shares) groups[without_indices(component)] += share;
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [group, share] : groups) parts.emplace_back(100 * share / sum, group);
  std::sort(parts.rbegin(), parts.rend());
  std::string text;
  double rest = 100;
  for (const auto& [percent, component] : parts | std::views::take(most_shares)) {
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", component, percent);
    rest -= percent;
  }
  if (parts.size() > most_shares) text += fmt::format(", {} more {:.0f}%", parts.size() - most_shares, rest);
  return text;
}

void print_costs(const RunReport& report, std::ostream& out) {
  if (report.energy_pj > 0) {
    fmt::print(out, "energy  {:.4g} mJ: {}", report.energy_pj * 1e-9,
               shares_text(report.energy_shares, report.energy_pj));
    if (report.static_energy_pj > 0) fmt::print(out, "; static {:.4g} mJ", report.static_energy_pj * 1e-9);
    fmt::print(out, "\n");
  }
  double area = 0;
  for (const auto& [component, um2] : report.areas) area += um2;
  if (area > 0) fmt::print(out, "area    {:.4g} mm²: {}\n", area * 1e-6, shares_text(report.areas, area));
}

void print_time(const RunReport& report, std::ostream& out) {
  if (!report.timed) {
    fmt::print(out,
               "\ntotal   no cycles: values only. Not checked: races between operations, semaphore_overflow, "
               "invariants\n");
    return;
  }
  const auto cycles = static_cast<double>(report.total_cycles);
  fmt::print(out, "\ntotal   {} cycles = {:.4g} ms at {:.0f} MHz", report.total_cycles, 1e3 * cycles / report.clock_hz,
             report.clock_hz / 1e6);
  if (report.bound_cycles > 0) {
    fmt::print(out, "; bound {}, efficiency {:.2f} (MAC-weighted {:.2f})", report.bound_cycles,
               cycles > 0 ? static_cast<double>(report.bound_cycles) / cycles : 0, weighted_efficiency(report));
  }
  fmt::print(out, "\n");
}

void print_totals(const RunReport& report, std::ostream& out) {
  print_time(report, out);
  std::size_t idle = 0;
  for (const auto& [link, moved] : report.link_bytes) {
    if (moved > 0) fmt::print(out, "        {}: {} bytes\n", link, moved);
    idle += moved == 0;
  }
  if (idle > 0) fmt::print(out, "        {} further link{}: nothing\n", idle, idle == 1 ? "" : "s");
  fmt::print(out, "off-chip {} bytes\n", report.off_chip_bytes);
  if (report.host_bytes > 0) fmt::print(out, "host    {} bytes read and written, in no cycles\n", report.host_bytes);
  print_costs(report, out);
  fmt::print(out, "binary  {} bytes, {} instructions executed\n", report.binary_bytes, report.instructions);
}

void print_hazard(const Hazard& hazard, bool timed, std::ostream& out) {
  const bool of_program = hazard.instruction >= 0;
  std::string who = of_program ? fmt::format("instruction {}", hazard.instruction) : hazard.mnemonic;
  if (of_program && !hazard.mnemonic.empty()) who += fmt::format(" ({})", hazard.mnemonic);
  const std::string layer = hazard.layer.empty() ? "" : fmt::format("layer '{}'", hazard.layer);
  std::vector<std::string> parts = {hazard.kind + (timed ? fmt::format(" at cycle {}", hazard.cycle) : "")};
  for (const std::string& known : {who, layer, hazard.statement, hazard.where}) {
    if (!known.empty()) parts.push_back(known);
  }
  fmt::print(out, "HAZARD  {}: {}\n", fmt::join(parts, ", "), hazard.message);
}

void print_verdict(const RunReport& report, std::ostream& out) {
  if (!report.values) fmt::print(out, "time only: values and hazards were left out\n");
  for (const auto& distance : report.distances) print_distance(distance, out);
  const auto is_wrong = [](const LayerReport& layer) { return !layer.verdict.empty(); };
  for (const auto& layer : report.layers | std::views::filter(is_wrong) | std::views::take(most_lines)) {
    fmt::print(out, "WRONG   {}: {}\n", layer.name, layer.verdict);
  }
  for (const auto& hazard : report.hazards | std::views::take(most_lines)) print_hazard(hazard, report.timed, out);
  if (report.hazards.size() > most_lines) {
    fmt::print(out, "HAZARD  and {} more; --json gives them all\n", report.hazards.size() - most_lines);
  }
  for (const auto& broken : report.broken_invariants) fmt::print(out, "BROKEN  invariant: {}\n", broken);
  if (!report.verified) return;
  const auto rule =
      report.tolerance > 0 ? fmt::format("within {:g} of the largest value", report.tolerance) : "bit-exact";
  fmt::print(out, "verified: {} ({} mismatches, {} per layer), {} hazards, invariants {}\n", *report.verified,
             report.mismatches, rule, report.hazards.size(),
             !report.timed                      ? "not checked"
             : report.broken_invariants.empty() ? "hold"
                                                : "broken");
}

}  // namespace

void print_distance(const OutputDistance& distance, std::ostream& out) {
  fmt::print(out, "output  {}: {:.1f} dB signal-to-noise, relative error {:.2e} against {}\n", distance.name,
             distance.snr_db, distance.relative_error, distance.against);
  if (distance.not_finite > 0) {
    fmt::print(out, "WRONG   {}: {} elements are infinite or no number, and finite in {}\n", distance.name,
               distance.not_finite, distance.against);
  }
}

void print_memory(const std::vector<MemoryUse>& uses, std::ostream& out) {
  for (const MemoryUse& use : uses) {
    fmt::print(out, "memory  {}: tensors {} bytes ({} if none shared memory), constants {}, of {}\n", use.memory,
               use.tensors, use.tensors_apart, use.constants, use.capacity);
  }
}

void print_report(const RunReport& report, std::ostream& out) {
  for (const auto& warning : report.warnings) fmt::print(out, "warning: {}\n", warning);
  print_layers(report, out);
  print_host_layers(report, out);
  print_chains(report, out);
  if (report.total_cycles > 0) print_components(report, out);
  if (report.explanation) print_explanation(*report.explanation, report.total_cycles, out);
  print_totals(report, out);
  print_memory(report.memory, out);
  print_verdict(report, out);
  fmt::print(out, "wall    compile {:.2f} s, simulate {:.2f} s, reference {:.2f} s, all {:.2f} s\n", report.compile_s,
             report.simulate_s, report.reference_s, report.total_s);
}

}  // namespace accord

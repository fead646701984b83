#include "cli/recordings.h"

#include <fstream>
#include <iostream>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"

namespace accord {

namespace {

constexpr const char* too_long = "the run is too long to be explained (docs/simulator.md)";

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// For an explanation.
bool is_asked(const Recordings& recordings) {
  return recordings.explain || !recordings.critical_path.empty() || recordings.sensitivity;
}

nlohmann::json or_null(std::int64_t index) { return index >= 0 ? nlohmann::json(index) : nlohmann::json(nullptr); }

}  // namespace

void request(const Recordings& recordings, SimulateOptions& options) {
  options.trace = recordings.trace;
  options.vcd = recordings.vcd;
  options.stats = recordings.stats;
  options.stats_interval = recordings.stats_interval;
  options.explain = is_asked(recordings);
  options.sensitivities = recordings.sensitivity;
}

void write_critical_path(const Recordings& recordings, const Architecture& architecture, const Program& program,
                         const SimulateResult& result) {
  if (is_asked(recordings) && !result.explanation) {
    const std::string file = recordings.critical_path.empty() ? "" : ", and no " + recordings.critical_path.string();
    fmt::print(std::cerr, "note: no explanation{}: a hazard ended the run\n", file);
  }
  if (recordings.critical_path.empty() || !result.explanation) return;
  const Explanation& explanation = *result.explanation;
  if (!explanation.complete) throw Error(too_long);
  std::ofstream out(recordings.critical_path);
  fmt::print(out, "{{\"total_cycles\": {}, \"segments\": [", result.total_cycles);
  const char* separator = "\n";
  for (const Explanation::Segment& segment : explanation.path) {
    const Explanation::Share& share = explanation.shares[segment.share];
    nlohmann::json json = {{"from", segment.from},         {"to", segment.to},
                           {"component", share.component}, {"resource", share.resource},
                           {"waiting", share.waiting},     {"instruction", or_null(segment.instruction)}};
    json["unit"] = segment.unit < 0 ? architecture.controller.name
                                    : architecture.units[static_cast<std::size_t>(segment.unit)].name;
    json["layer"] = segment.layer < 0 ? nlohmann::json(nullptr)
                                      : nlohmann::json(program.layers[static_cast<std::size_t>(segment.layer)].name);
    out << separator << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    separator = ",\n";
  }
  if (!(out << "\n]}\n").flush()) throw Error(fmt::format("{}: cannot be written", recordings.critical_path.string()));
}

void print_explanation(const Explanation& explanation, std::int64_t total_cycles, std::ostream& out) {
  if (!explanation.complete) {
    fmt::print(out, "\n{}\n", too_long);
    return;
  }
  fmt::print(out, "\ncritical path:\n");
  for (const Explanation::Share& share : explanation.shares) {
    fmt::print(out, "  {:>5.1f}%  {:>12} cycles  {}{}: {}\n", percent(share.cycles, total_cycles), share.cycles,
               share.waiting ? "waiting for " : "", share.component, share.resource);
  }
  if (explanation.sensitivities.empty()) return;
  fmt::print(out, "\nthe same program on another machine, predicted:\n");
  std::int64_t without_effect = 0;
  for (const Explanation::Sensitivity& row : explanation.sensitivities) {
    const std::int64_t change = row.total_cycles - total_cycles;
    if (change == 0) {
      ++without_effect;
      continue;
    }
    fmt::print(out, "  {:>+6.1f}%  {:>12} cycles  {}: {}\n", percent(change, total_cycles), row.total_cycles,
               row.component, row.change);
  }
  if (without_effect > 0) fmt::print(out, "  without effect: {} more\n", without_effect);
  for (const Explanation::Share& share : explanation.shares) {
    if (share.of_part) fmt::print(out, "  not predicted: {}: {}\n", share.component, share.resource);
  }
}

nlohmann::json to_json(const Explanation& explanation, std::int64_t total_cycles) {
  if (!explanation.complete) return {{"critical_path", nullptr}, {"sensitivities", nullptr}};
  auto path = nlohmann::json::array(), sensitivities = nlohmann::json::array();
  for (const Explanation::Share& share : explanation.shares) {
    path.push_back({{"component", share.component},
                    {"resource", share.resource},
                    {"waiting", share.waiting},
                    {"cycles", share.cycles},
                    {"segments", share.segments}});
  }
  for (const Explanation::Sensitivity& row : explanation.sensitivities) {
    sensitivities.push_back({{"component", row.component},
                             {"change", row.change},
                             {"total_cycles", row.total_cycles},
                             {"gain_cycles", total_cycles - row.total_cycles}});
  }
  return {{"critical_path", path}, {"sensitivities", sensitivities}};
}

}  // namespace accord

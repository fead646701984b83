#include <nlohmann/json.hpp>

#include "cli/recordings.h"
#include "cli/report.h"

namespace accord {

namespace {

nlohmann::json verdict_json(const std::optional<bool>& verified) {
  return verified ? nlohmann::json(*verified) : nlohmann::json(nullptr);
}

/// A whole number where it is one.
nlohmann::json whole_or_not(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? nlohmann::json(whole) : nlohmann::json(number);
}

/// Figures that need time are null without it.
template <typename T>
nlohmann::json timed_json(const RunReport& report, const T& figure) {
  return report.timed ? nlohmann::json(figure) : nlohmann::json(nullptr);
}

nlohmann::json layer_json(const RunReport& report, const LayerReport& layer) {
  nlohmann::json json = {{"name", layer.name},
                         {"op", layer.op},
                         {"placed_on", layer.placed_on},
                         {"capability", layer.capability},
                         {"cycles", timed_json(report, layer.cycles)},
                         {"overlap_cycles", timed_json(report, layer.overlap_cycles)},
                         {"bound_cycles", timed_json(report, layer.bound_cycles)},
                         {"efficiency", timed_json(report, layer.efficiency())},
                         {"utilisation", timed_json(report, layer.utilisation(report.lanes))},
                         {"macs", layer.macs},
                         {"lane_macs", layer.lane_macs},
                         {"energy_pj", layer.energy_pj},
                         {"energy_by_component", layer.energy_shares},
                         {"bytes", layer.link_bytes},
                         {"off_chip_bytes", layer.off_chip_bytes},
                         {"host_bytes", layer.host_bytes},
                         {"fusion", layer.fusion},
                         {"stalls", timed_json(report, layer.stalls)},
                         {"verified", verdict_json(layer.verified)},
                         {"mismatches", layer.mismatches}};
  if (!layer.reason.empty()) json["reason"] = layer.reason;
  if (!layer.verdict.empty()) json["verdict"] = layer.verdict;
  return json;
}

nlohmann::json hazard_json(const RunReport& report, const Hazard& hazard) {
  return {{"kind", hazard.kind},
          {"cycle", timed_json(report, hazard.cycle)},
          {"instruction", hazard.instruction},
          {"mnemonic", hazard.mnemonic},
          {"layer", hazard.layer},
          {"statement", hazard.statement},
          {"where", hazard.where},
          {"message", hazard.message}};
}

template <typename T, typename Convert>
nlohmann::json array_of(const std::vector<T>& items, Convert convert) {
  auto array = nlohmann::json::array();
  for (const auto& item : items) array.push_back(convert(item));
  return array;
}

}  // namespace

nlohmann::json to_json(const OutputDistance& distance) {
  return {{"name", distance.name},
          {"against", distance.against},
          {"snr_db", distance.snr_db},
          {"relative_error", distance.relative_error},
          {"not_finite", distance.not_finite}};
}

nlohmann::json to_json(const MemoryUse& use) {
  return {{"memory", use.memory},
          {"capacity", use.capacity},
          {"tensors", use.tensors},
          {"tensors_apart", use.tensors_apart},
          {"constants", use.constants}};
}

nlohmann::json to_json(const RunReport& report) {
  return {
      {"arch", report.arch},
      {"model", report.model},
      {"clock_hz", report.clock_hz},
      {"timed", report.timed},
      {"values", report.values},
      {"total_cycles", timed_json(report, report.total_cycles)},
      {"bound_cycles", timed_json(report, report.bound_cycles)},
      {"instructions", report.instructions},
      {"lanes", whole_or_not(report.lanes)},
      {"verified", verdict_json(report.verified)},
      {"mismatches", report.mismatches},
      {"tolerance", report.tolerance},
      {"energy_pj", report.energy_pj},
      {"static_energy_pj", timed_json(report, report.static_energy_pj)},
      {"energy_by_component", report.energy_shares},
      {"area_um2", report.areas},
      {"wall",
       {{"compile_s", report.compile_s},
        {"simulate_s", report.simulate_s},
        {"reference_s", report.reference_s},
        {"total_s", report.total_s}}},
      {"binary_bytes", report.binary_bytes},
      {"invariants",
       {{"hold", timed_json(report, report.broken_invariants.empty())}, {"broken", report.broken_invariants}}},
      {"hazards", array_of(report.hazards, [&](const auto& hazard) { return hazard_json(report, hazard); })},
      {"layers", array_of(report.layers, [&](const auto& layer) { return layer_json(report, layer); })},
      {"bytes", report.link_bytes},
      {"off_chip_bytes", report.off_chip_bytes},
      {"host_bytes", report.host_bytes},
      {"stalls", timed_json(report, report.stalls)},
      {"memory", array_of(report.memory, [](const auto& use) { return to_json(use); })},
      {"outputs", array_of(report.distances, [](const auto& distance) { return to_json(distance); })},
      {"explanation", report.explanation ? to_json(*report.explanation, report.total_cycles) : nlohmann::json(nullptr)},
      {"warnings", report.warnings}};
}

}  // namespace accord

#include <nlohmann/json.hpp>

#include "cli/report.h"

namespace accord {

namespace {

nlohmann::json verdict_json(const std::optional<bool>& verified) {
  return verified ? nlohmann::json(*verified) : nlohmann::json(nullptr);
}

nlohmann::json layer_json(const LayerReport& layer, std::int64_t lanes) {
  nlohmann::json json = {{"name", layer.name},
                         {"op", layer.op},
                         {"placed_on", layer.placed_on},
                         {"capability", layer.capability},
                         {"cycles", layer.cycles},
                         {"overlap_cycles", layer.overlap_cycles},
                         {"bound_cycles", layer.bound_cycles},
                         {"efficiency", layer.efficiency()},
                         {"utilisation", layer.utilisation(lanes)},
                         {"macs", layer.macs},
                         {"lane_macs", layer.lane_macs},
                         {"energy_pj", layer.energy_pj},
                         {"bytes", layer.link_bytes},
                         {"off_chip_bytes", layer.off_chip_bytes},
                         {"fusion", layer.fusion},
                         {"stalls", layer.stalls},
                         {"verified", verdict_json(layer.verified)},
                         {"mismatches", layer.mismatches}};
  if (!layer.reason.empty()) json["reason"] = layer.reason;
  if (!layer.verdict.empty()) json["verdict"] = layer.verdict;
  return json;
}

nlohmann::json hazard_json(const Hazard& hazard) {
  return {{"kind", hazard.kind},         {"cycle", hazard.cycle},    {"instruction", hazard.instruction},
          {"mnemonic", hazard.mnemonic}, {"layer", hazard.layer},    {"statement", hazard.statement},
          {"where", hazard.where},       {"message", hazard.message}};
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
          {"relative_error", distance.relative_error}};
}

nlohmann::json to_json(const MemoryUse& use) {
  return {{"memory", use.memory},
          {"capacity", use.capacity},
          {"tensors", use.tensors},
          {"tensors_apart", use.tensors_apart},
          {"constants", use.constants}};
}

nlohmann::json to_json(const RunReport& report) {
  return {{"arch", report.arch},
          {"model", report.model},
          {"clock_hz", report.clock_hz},
          {"total_cycles", report.total_cycles},
          {"bound_cycles", report.bound_cycles},
          {"instructions", report.instructions},
          {"lanes", report.lanes},
          {"verified", verdict_json(report.verified)},
          {"mismatches", report.mismatches},
          {"tolerance", report.tolerance},
          {"energy_pj", report.energy_pj},
          {"wall",
           {{"compile_s", report.compile_s},
            {"simulate_s", report.simulate_s},
            {"reference_s", report.reference_s},
            {"total_s", report.total_s}}},
          {"binary_bytes", report.binary_bytes},
          {"invariants", {{"hold", report.broken_invariants.empty()}, {"broken", report.broken_invariants}}},
          {"hazards", array_of(report.hazards, hazard_json)},
          {"layers", array_of(report.layers, [&](const auto& layer) { return layer_json(layer, report.lanes); })},
          {"bytes", report.link_bytes},
          {"off_chip_bytes", report.off_chip_bytes},
          {"stalls", report.stalls},
          {"memory", array_of(report.memory, [](const auto& use) { return to_json(use); })},
          {"outputs", array_of(report.distances, [](const auto& distance) { return to_json(distance); })},
          {"warnings", report.warnings}};
}

}  // namespace accord

#include "simulator/kernels/program_map.h"

#include <algorithm>

#include "archdsl/source/error.h"

namespace accord::sim {

ProgramMap::ProgramMap(const Program& program, std::int64_t instructions) : program_(program), stages_(program.stages) {
  std::int64_t end = 0;
  for (const MapEntry& entry : program.map) {
    if (entry.first < end || entry.count < 0) throw Error("the program's map is not ascending");
    if (entry.layer < -1 || entry.layer >= static_cast<int>(program.layers.size())) {
      throw Error("the program's map names a layer that does not exist");
    }
    end = entry.first + entry.count;
  }
  if (stages_.empty()) {
    stages_.emplace_back();
    stages_.back().count = instructions;
  }
  for (const Stage& stage : stages_) {
    const bool layer_exists = stage.layer >= -1 && stage.layer < static_cast<int>(program.layers.size());
    if (!layer_exists || (stage.host && stage.layer < 0))
      throw Error("a stage of the program names a layer that does not exist");
    if (stage.first < 0 || stage.count < 0 || stage.first > instructions || stage.count > instructions - stage.first) {
      throw Error("a stage of the program lies outside its text");
    }
  }
  find_ends();
}

void ProgramMap::find_ends() {
  ends_.resize(stages_.size());
  has_work_.assign(program_.layers.size(), false);
  const auto last_in = [&](std::size_t stage, int layer, std::int64_t end) {
    if (layer < 0 || has_work_[static_cast<std::size_t>(layer)]) return;
    has_work_[static_cast<std::size_t>(layer)] = true;
    ends_[stage].push_back({end, layer});
  };
  for (std::size_t s = stages_.size(); s-- > 0;) {
    const Stage& stage = stages_[s];
    if (stage.host) {
      last_in(s, stage.layer, 0);
      continue;
    }
    const std::int64_t stage_end = stage.first + stage.count;
    auto entry = std::ranges::lower_bound(program_.map, stage_end, {}, &MapEntry::first);
    while (entry != program_.map.begin() && (entry - 1)->first + (entry - 1)->count > stage.first) {
      --entry;
      if (entry->count > 0) last_in(s, entry->layer, std::min(entry->first + entry->count, stage_end));
    }
    std::ranges::reverse(ends_[s]);
  }
}

const MapEntry* ProgramMap::find(std::int64_t instruction) const {
  const auto holds = [&](const MapEntry& entry) {
    return instruction >= entry.first && instruction - entry.first < entry.count;
  };
  const auto& map = program_.map;
  for (std::size_t i = last_; i < std::min(last_ + 2, map.size()); ++i) {
    if (!holds(map[i])) continue;
    last_ = i;
    return &map[i];
  }
  const auto after = std::ranges::upper_bound(map, instruction, {}, &MapEntry::first);
  if (after == map.begin() || !holds(*(after - 1))) return nullptr;
  last_ = static_cast<std::size_t>(after - map.begin()) - 1;
  return &map[last_];
}

int ProgramMap::layer(std::int64_t instruction) const {
  const MapEntry* entry = find(instruction);
  return entry ? entry->layer : -1;
}

std::string ProgramMap::layer_name(std::int64_t instruction) const {
  const int index = layer(instruction);
  return index < 0 ? std::string() : program_.layers[static_cast<std::size_t>(index)].name;
}

const std::string& ProgramMap::statement(std::int64_t instruction) const {
  static const std::string none;
  const MapEntry* entry = find(instruction);
  return entry ? entry->statement : none;
}

}  // namespace accord::sim

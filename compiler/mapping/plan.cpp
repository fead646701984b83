#include "compiler/mapping/plan.h"

#include <algorithm>
#include <cassert>

namespace accord {

const Access& access_of(const Capability& capability, int operand) {
  const Statement& pattern = capability.program.statements.back();
  for (const auto& access : pattern.accesses) {
    if (access.operand == operand && pattern.target.operand != operand) return access;
  }
  assert(pattern.target.operand == operand);
  return pattern.target;
}

std::int64_t wired_step(const Capability& capability, int operand, int dim) {
  const Access& access = access_of(capability, operand);
  for (std::size_t p = 0; p < access.indices.size(); ++p) {
    const Step& step = capability.operands[operand].steps[p];
    for (const auto& [d, coefficient] : access.indices[p].terms) {
      if (d == dim && step.kind == Step::Kind::fixed) return step.bytes * coefficient;
    }
  }
  return 0;
}

const Work& work_of(const Work& work, const Mapping& mapping) { return mapping.form ? mapping.form->work : work; }

Region region_of(const Architecture& architecture, const Mapping& mapping, int memory) {
  const auto found = mapping.regions.find(memory);
  return found == mapping.regions.end() ? Region{0, architecture.memories[memory].capacity} : found->second;
}

int main_way(const Mapping& mapping) { return mapping.steps.front().match.way; }

std::pair<int, int> main_capability(const Mapping& mapping) {
  return {mapping.steps[0].match.unit, mapping.steps[0].match.capability};
}

bool is_reduction(const Work& work, const Mapping& mapping, int iterator) {
  const Statement& statement = work_of(work, mapping).program.statements[mapping.steps[0].statement];
  return !depends(statement.target, iterator);
}

void adopt_tiling(Mapping& mapping, const Mapping& other) {
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    mapping.uses[u].hops = other.uses[u].hops;
    mapping.uses[u].depth = other.uses[u].depth;
    mapping.uses[u].dense = other.uses[u].dense;
    mapping.uses[u].as_home = other.uses[u].as_home;
  }
  mapping.levels = other.levels;
  mapping.detour = other.detour;
  mapping.tile = other.tile;
  mapping.order = other.order;
  mapping.copies = other.copies;
  mapping.rolls = other.rolls;
  mapping.alternates = other.alternates;
  mapping.stores_whole = other.stores_whole;
  mapping.predicted_cycles = other.predicted_cycles;
  mapping.scheduled = other.scheduled;
  mapping.measured_cycles = other.measured_cycles;
}

Copies equal_copies(std::size_t uses, int levels, int count) {
  return Copies(uses, std::vector<int>(static_cast<std::size_t>(levels), count));
}

int target_use(const Mapping& mapping) {
  const auto target = std::find_if(mapping.uses.begin(), mapping.uses.end(), [](const Use& use) {
    return use.step == 0 && (use.role == UseRole::accumulator || use.role == UseRole::output);
  });
  assert(target != mapping.uses.end());
  return static_cast<int>(target - mapping.uses.begin());
}

int starting_step(const Mapping& mapping) {
  const bool starts = mapping.steps.back().statement < mapping.steps.front().statement;
  return starts ? static_cast<int>(std::ssize(mapping.steps)) - 1 : -1;
}

void begin_in_target(Mapping& mapping) {
  const int starting = starting_step(mapping);
  const int depth = mapping.uses[target_use(mapping)].depth;
  for (Use& use : mapping.uses) {
    if (use.step == starting && use.role == UseRole::accumulator) use.depth = depth;
  }
}

int last_step(const Mapping& mapping) {
  return static_cast<int>(std::ssize(mapping.steps)) - (starting_step(mapping) < 0 ? 1 : 2);
}

bool is_carried(const Work& work, const Use& use) {
  return use.role == UseRole::start && !use.filled && !work.operands[use.access.operand].constant;
}

bool starts_tiles(const Work& work, const Use& use, int level) {
  return use.role == UseRole::start && level + 1 == use.depth && !is_carried(work, use);
}

bool starts_in_home(const Mapping& mapping) {
  const auto is_start = [](const Use& use) { return use.role == UseRole::start; };
  const auto in_place = [](const Use& use) { return use.step == 0 && use.role == UseRole::output && use.depth == 0; };
  const bool starts = starting_step(mapping) >= 0 || mapping.steps.front().opening >= 0 ||
                      std::any_of(mapping.uses.begin(), mapping.uses.end(), is_start);
  return starts && std::any_of(mapping.uses.begin(), mapping.uses.end(), in_place);
}

int target_level(const Mapping& mapping) { return mapping.uses[target_use(mapping)].depth - 1; }

int box_level(const Mapping& mapping, const Use& use, int level) {
  const bool main = use.step == 0 && use.role != UseRole::start;
  return main ? level : std::min(level, std::max(target_level(mapping), 0));
}

int first_level(const Use& use) { return use.role == UseRole::accumulator ? std::max(use.depth - 1, 0) : 0; }

int memory_at(const Architecture& architecture, const Use& use, int level) {
  if (level + 1 >= use.depth) return use.memory;
  const Hop& hop = hop_at(use, use.role == UseRole::output ? level : level + 1);
  return architecture.units[hop.unit].routes[hop.route].source;
}

const SharedTiles& shared_at(const Use& use, int level) {
  static const SharedTiles alone;
  return use.shared.empty() ? alone : use.shared[level];
}

const Hop& hop_at(const Use& use, int level) {
  return use.role == UseRole::output ? use.hops[use.hops.size() - 1 - level] : use.hops[level];
}

const Hop& brought_by(const Use& use, int level) {
  const Hop& bringer = shared_at(use, level).bringer;
  return bringer.unit >= 0 ? bringer : hop_at(use, level);
}

}  // namespace accord

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "archdsl/tensor/parse.h"
#include "compiler/compilation.h"
#include "compiler/explore.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/split.h"

namespace accord {
namespace {

std::string chain_text(const Work& work, const std::vector<int>& chain) {
  std::vector<std::string> names;
  for (const int it : chain) names.push_back(work.program.iterators[it].name);
  return fmt::format("({})", fmt::join(names, " "));
}

/// How the work is divided over elements, and which.
std::string division_text(const Machine& machine, const Work& work, const Mapping& mapping) {
  if (mapping.spatial.empty()) return "";
  std::vector<std::string> loops;
  for (const auto& loop : mapping.spatial) {
    loops.push_back(fmt::format("{} in parts of {}", work.program.iterators[loop.iterator].name, loop.part));
  }
  const auto parts = parts_of(machine, mapping);
  const auto& units = machine.architecture.units;
  return fmt::format("    over {} elements, {} to {}: {}\n", parts.size(),
                     units[parts.front().steps[0].match.unit].name, units[parts.back().steps[0].match.unit].name,
                     fmt::join(loops, ", "));
}

/// The operand that the use's tiles hold.
std::string name_of(const Work& work, const Use& use) {
  return use.access.operand < 0 ? "equal values" : work.program.operands[use.access.operand].name;
}

/// Inputs whose tiles stay for several passes over them, of the greatest part.
std::string kept_text(const Machine& machine, const Work& work, const Mapping& mapping) {
  if (mapping.tile.empty()) return "";
  const Mapping part = parts_of(machine, mapping).front();
  const Fills fills(part);
  std::string out;
  for (std::size_t u = 0; u < part.uses.size(); ++u) {
    const Fills::Round& round = fills.round(static_cast<int>(u));
    if (round.passes == 1) continue;
    out += fmt::format("    stays on chip: {}, {} tiles for {} passes\n", name_of(work, part.uses[u]), round.tiles,
                       round.passes);
  }
  return out;
}

/// Tiles without gaps between rows.
std::string dense_text(const Work& work, const Mapping& mapping) {
  std::vector<std::string> names;
  for (const Use& use : mapping.uses) {
    if (!use.dense) continue;
    std::string name = name_of(work, use);  // initial values and sums are one operand
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names.empty() ? "" : fmt::format("    without gaps on chip: {}\n", fmt::join(names, ", "));
}

/// Tiles that the last transfer arranges.
std::string as_home_text(const Work& work, const Mapping& mapping) {
  std::vector<std::string> names;
  for (const Use& use : mapping.uses) {
    if (use.as_home) names.push_back(name_of(work, use));
  }
  return names.empty() ? "" : fmt::format("    on the way as off chip: {}\n", fmt::join(names, ", "));
}

/// What a diagonal in floats relies on.
std::string finite_text(const WorkForm& form) {
  if (form.twin < 0) return "";
  const Statement& main = form.work.program.statements[form.statement];
  if (!is_float(main.value->type)) return "";
  for (const Access& access : main.accesses) {
    const WorkOperand& operand = form.work.operands[access.operand];
    if (operand.constant) continue;
    return fmt::format("    multiplies zeros beside the diagonal: right while {} is finite\n",
                       form.work.program.operands[access.operand].name);
  }
  return "";
}

}  // namespace

std::string form_text(const WorkForm& form) {
  return to_string(form.work.program, form.work.program.statements[form.statement]);
}

/// What begins the sums.
std::string opening_text(const Machine& machine, const StatementPlan& step) {
  const int opening = opening_of(machine, step);
  return fmt::format(", sums begun by {}", machine.architecture.units[step.match.unit].capabilities[opening].name);
}

std::string mapping_text(const Machine& machine, const Work& whole, const Mapping& mapping) {
  const Work& work = work_of(whole, mapping);
  std::string out;
  if (mapping.form) out += fmt::format("    as {}\n", form_text(*mapping.form)) + finite_text(*mapping.form);
  for (const auto& step : mapping.steps) {
    const Capability& capability = machine.capability(step.match);
    out += fmt::format("    {}.{}:", machine.architecture.units[step.match.unit].name, capability.name);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      out += fmt::format(" {}={}", capability.dims[d].name, chain_text(work, step.chains[d]));
    }
    if (step.opening >= 0) out += opening_text(machine, step);
    out += "\n";
  }
  out += division_text(machine, work, mapping);
  for (std::size_t level = 0; level < mapping.tile.size(); ++level) {
    out += fmt::format("    level {}:", level);
    for (const int it : mapping.order[level]) {
      if (mapping.extent[it] > 1)
        out += fmt::format(" {}:{}", work.program.iterators[it].name, mapping.tile[level][it]);
    }
    out += "\n";
  }
  if (machine.rolls && !mapping.rolls) out += "    without hardware loops\n";
  if (mapping.rolls && mapping.alternates) out += "    two copies on chip take turns\n";
  if (mapping.stores_whole) out += "    results stored in one go\n";
  out += kept_text(machine, work, mapping) + dense_text(work, mapping) + as_home_text(work, mapping);
  for (const auto& use : mapping.uses) {
    if (use.windowed) out += "    windows shared on chip\n";
    if (use.windowed) break;
  }
  if (mapping.predicted_cycles > 0) out += fmt::format("    predicted {:.0f} cycles\n", mapping.predicted_cycles);
  return out;
}

namespace {

/// Where the tensors between layers lie, once that is planned.
std::string tensors_text(const Compilation& compilation) {
  if (compilation.tensor_bytes == 0) return "";
  std::string out = fmt::format("tensors: {} bytes\n", compilation.tensor_bytes);
  for (std::size_t t = 0; t < compilation.homes.size(); ++t) {
    const Home& home = compilation.homes[t];
    if (home.address < 0) continue;
    out += fmt::format("  {} at {}: {} bytes\n", compilation.network.tensors[t].name, home.address - home.origin,
                       home.bytes);
  }
  return out;
}

}  // namespace

std::string describe(const Compilation& compilation) {
  std::string out;
  for (const auto& layer : compilation.layers) {
    std::vector<std::string> names;
    for (const int op : layer.group.operators) names.push_back(compilation.network.operators[op].name);
    out += fmt::format("layer {}\n", fmt::join(names, " + "));
    for (const auto& it : layer.work.program.iterators) {
      if (it.extent > 1) out += fmt::format("  for {} in 0..{}\n", it.name, it.extent);
    }
    for (const auto& statement : layer.work.program.statements) {
      out += fmt::format("  {}\n", to_string(layer.work.program, statement));
    }
    if (layer.placement == Placement::host) out += fmt::format("  host: {}\n", layer.reason);
    if (!layer.mappings.empty()) {
      out += fmt::format("  bound {} cycles, {} mappings\n", layer.bound.cycles, layer.mappings.size());
      out += mapping_text(compilation.machine, layer.work, layer.mappings.front());
    }
  }
  for (const auto& sum : compilation.sums) out += fmt::format("sum {}\n", sum);
  for (const auto& layout : compilation.layouts) out += fmt::format("layout {}\n", layout);
  return out + tensors_text(compilation);
}

}  // namespace accord

#include <algorithm>
#include <map>

#include "archdsl/tensor/parse.h"
#include "compiler/compilation.h"
#include "compiler/mapping/search.h"

namespace accord {
namespace {

constexpr int tried = 8;  // assignments per capability whose tiles are searched, best compute bound first
constexpr int kept = 3;   // per capability, handed on for the case that an encoding cannot express the best

/// Equal layers get equal mappings: everything that the search looks at.
std::string signature(const Compilation& compilation, const LayerPlan& layer) {
  std::string text;
  for (const auto& statement : layer.work.program.statements) text += to_string(layer.work.program, statement) + ";";
  // Operand names differ from layer to layer; their order of appearance does not.
  std::map<std::string, std::string> names;
  for (const auto& operand : layer.work.program.operands) names.emplace(operand.name, "");
  std::string out;
  int numbered = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const auto word = text.substr(i, end - i);
    const auto it = names.find(word);
    if (it == names.end()) {
      out += word;
    } else {
      if (it->second.empty()) it->second = "#" + std::to_string(numbered++);
      out += it->second;
    }
    i = end;
  }
  for (const auto& it : layer.work.program.iterators) out += it.name + "=" + std::to_string(it.extent) + ",";
  for (const auto& operand : layer.work.operands) {
    out += operand.tensor == no_tensor
               ? "-"
               : std::to_string(element_count(compilation.network.tensors[operand.tensor].shape));
    out += operand.constant ? "c" : "v";
  }
  return out;
}

/// Tiles, order and buffers of an equal layer's mappings; matches and uses stay the layer's own.
void adopt(std::vector<Mapping>& mappings, const std::vector<std::pair<std::size_t, Mapping>>& known) {
  std::vector<Mapping> result;
  for (const auto& [index, source] : known) {
    Mapping mapping = mappings[index];
    mapping.tile = source.tile;
    mapping.order = source.order;
    mapping.buffers = source.buffers;
    mapping.predicted_cycles = source.predicted_cycles;
    result.push_back(std::move(mapping));
  }
  mappings = std::move(result);
}

using Known = std::vector<std::pair<std::size_t, Mapping>>;

/// The capability that does the main statement.
std::pair<int, int> main_capability(const Mapping& mapping) {
  return {mapping.steps[0].match.unit, mapping.steps[0].match.capability};
}

Known search(const Compilation& compilation, LayerPlan& layer) {
  Known found;
  std::string error;
  std::map<std::pair<int, int>, int> count;
  for (std::size_t i = 0; i < layer.mappings.size(); ++i) {
    Mapping mapping = layer.mappings[i];
    if (count[main_capability(mapping)] >= tried) continue;
    std::string why;
    if (choose_tiles(compilation.machine, compilation.network, layer.work, compilation.homes, mapping, why)) {
      ++count[main_capability(mapping)];
      found.emplace_back(i, std::move(mapping));
    } else if (error.empty()) {
      error = why;
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.predicted_cycles < b.second.predicted_cycles; });
  count.clear();
  std::erase_if(found, [&](const auto& entry) { return ++count[main_capability(entry.second)] > kept; });
  if (found.empty()) layer.reason = error;
  return found;
}

}  // namespace

void map_pass(Compilation& compilation) {
  std::map<std::string, Known> known;
  std::size_t done = 0;
  for (auto& layer : compilation.layers) {
    compilation.progress("map", done++, compilation.layers.size());
    if (layer.placement != Placement::machine) continue;
    const std::string key = signature(compilation, layer);
    auto it = known.find(key);
    if (it == known.end()) it = known.emplace(key, search(compilation, layer)).first;
    if (it->second.empty()) {
      layer.placement = Placement::host;
      if (layer.reason.empty()) layer.reason = "no tiling fits";
      continue;
    }
    adopt(layer.mappings, it->second);
  }
}

}  // namespace accord

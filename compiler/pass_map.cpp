#include <algorithm>
#include <map>
#include <stdexcept>

#include "archdsl/tensor/parse.h"
#include "compiler/compilation.h"
#include "compiler/mapping/searcher.h"
#include "compiler/mapping/split.h"
#include "compiler/mapping/verify.h"

namespace accord {
namespace {

constexpr int kept = 3;  // per capability, handed on for the case that an encoding cannot express the best

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

/// Tiles, order and copies of an equal layer's mappings; matches and uses stay the layer's own.
void adopt(std::vector<Mapping>& mappings, const std::vector<std::pair<std::size_t, Mapping>>& known) {
  std::vector<Mapping> result;
  for (const auto& [index, source] : known) {
    Mapping mapping = mappings[index];
    mapping.spatial = source.spatial;
    mapping.tile = source.tile;
    mapping.order = source.order;
    mapping.copies = source.copies;
    mapping.predicted_cycles = source.predicted_cycles;
    result.push_back(std::move(mapping));
  }
  mappings = std::move(result);
}

using Known = std::vector<std::pair<std::size_t, Mapping>>;

/// Adds the divisions over several elements that are quicker; each mapping stays behind its own.
void divide_all(const Compilation& compilation, const SearchProblem& problem, SharedMachines& shared, Known& known) {
  Known all;
  for (const auto& [index, mapping] : known) {
    auto quicker = divide(problem, *compilation.options.searcher, shared, mapping);
    if (quicker.size() > kept) quicker.resize(kept);
    for (auto& divided : quicker) all.emplace_back(index, std::move(divided));
    all.emplace_back(index, mapping);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.predicted_cycles < b.second.predicted_cycles; });
  known = std::move(all);
}

Known search(const Compilation& compilation, SharedMachines& shared, LayerPlan& layer) {
  const SearchProblem problem = {compilation.machine, compilation.network, layer.work,
                                 compilation.homes,   layer.mappings,      shipped_cost_model()};
  const SearchResult result = compilation.options.searcher->search(problem);
  Known known;
  std::map<std::pair<int, int>, int> count;
  for (const auto& found : result.found) {
    if (++count[main_capability(found.mapping)] <= kept) known.emplace_back(found.assignment, found.mapping);
  }
  if (known.empty() && !result.refused.empty()) layer.reason = result.refused.front().reason;
  divide_all(compilation, problem, shared, known);
  return known;
}

/// A searcher that finds a wrong mapping is a fault of ours.
void check(const Compilation& compilation, const LayerPlan& layer) {
  for (const auto& mapping : layer.mappings) {
    const std::string wrong = verify(compilation.machine, compilation.network, layer.work, compilation.homes, mapping);
    if (!wrong.empty()) throw std::logic_error("a mapping that was found does not verify: " + wrong);
  }
}

}  // namespace

void map_pass(Compilation& compilation) {
  std::map<std::string, Known> known;
  SharedMachines shared(compilation.machine);
  std::size_t done = 0;
  for (auto& layer : compilation.layers) {
    compilation.progress("map", done++, compilation.layers.size());
    if (layer.placement != Placement::machine) continue;
    const std::string key = signature(compilation, layer);
    auto it = known.find(key);
    if (it == known.end()) it = known.emplace(key, search(compilation, shared, layer)).first;
    if (it->second.empty()) {
      layer.placement = Placement::host;
      if (layer.reason.empty()) layer.reason = "no tiling fits";
      continue;
    }
    adopt(layer.mappings, it->second);
    check(compilation, layer);
  }
}

}  // namespace accord

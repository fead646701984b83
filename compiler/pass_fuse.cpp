#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "compiler/compilation.h"
#include "compiler/fusion/partition.h"
#include "compiler/fusion/placement.h"
#include "compiler/fusion/retarget.h"
#include "compiler/mapping/searcher.h"
#include "compiler/mapping/verify.h"

namespace accord {
namespace {

constexpr std::size_t preferred = 3;  // of a layer's assignments are tried for its slices
constexpr std::size_t effort = 2;     // slices whose tiles are searched, per layer
constexpr int rounds = 24;  // partitions looked at; each refuses a chain that did not keep what its estimate promised

/// Loops, accesses and operations of the work, without the numbers that tiles do not depend on.
std::string structure_of(const Work& work) {
  std::string text;
  for (const auto& it : work.program.iterators) text += fmt::format("{},", it.extent);
  const auto add_access = [&](const Access& access) {
    text += fmt::format("@{}{}", access.operand, static_cast<int>(work.program.operands[access.operand].type));
    for (const auto& index : access.indices) {
      text += '[';
      for (const auto& [it, coefficient] : index.terms) text += fmt::format("{}*{}+", coefficient, it);
    }
  };
  const auto add_value = [&](auto&& self, const Expr& value) -> void {
    text += fmt::format("({}", static_cast<int>(value.op));
    for (const auto& argument : value.args) self(self, *argument);
    text += ')';
  };
  for (const auto& statement : work.program.statements) {
    text += fmt::format("/{}", static_cast<int>(statement.reduction));
    add_access(statement.target);
    add_value(add_value, *statement.value);
    for (const auto& access : statement.accesses) add_access(access);
  }
  return text;
}

/// A chain with everything chosen.
struct Realised {
  std::vector<LayerPlan> slices;
  double cycles = 0;
  double bytes = 0;
};

/// Chooses chains by estimate, maps their slices, and takes those that cost less than their layers apart.
class Fuser {
 public:
  explicit Fuser(Compilation& compilation)
      : compilation_(compilation),
        problem_{compilation.architecture, compilation.network, compilation.homes, {}, {}, 1.0} {}

  void run();

 private:
  void find_facts();
  void find_keepers();
  std::optional<Realised> realise(const Chain& chain, std::string& why);
  void keep_results(const Chain& chain);
  bool place_results(const Chain& chain);
  Bound fresh_bound(const LayerPlan& slice, int iterator, std::int64_t fresh) const;
  bool map_slice(const Chain& chain, int strip, int layer, Realised& realised, std::string& why);
  bool map_work(const LayerPlan& layer, LayerPlan& slice, int number, std::string& why);
  std::vector<Mapping> assignments(const LayerPlan& layer, const LayerPlan& slice, int number, std::string& why) const;
  bool within_margins(const LayerPlan& slice, const Mapping& mapping) const;
  std::string slice_key(const LayerPlan& slice, int number) const;
  void accept(const std::vector<std::pair<Chain, Realised>>& taken);
  double apart_cycles(const Chain& chain) const;
  double apart_bytes(const Chain& chain) const;
  const LayerPlan& layer(int index) const { return compilation_.layers[index]; }
  const LayerFacts& facts(int index) const { return problem_.layers[index]; }

  Compilation& compilation_;
  FusionProblem problem_;
  // Of the chain that is being realised:
  std::vector<std::map<TensorId, Stretch>> stretches_;  ///< per strip
  std::vector<std::map<int, Region>> regions_;          ///< per slice
  std::size_t searched_ = 0;
  std::map<std::string, SearchResult::Found> known_;  ///< the best mapping, by slice
};

void Fuser::find_facts() {
  const int count = static_cast<int>(compilation_.layers.size());
  std::vector<int> last_reader(compilation_.network.tensors.size(), -1);
  for (int l = 0; l < count; ++l) {
    for (const int op : layer(l).group.operators) {
      for (const TensorId t : compilation_.network.operators[op].inputs) {
        if (t != no_tensor) last_reader[t] = l;
      }
    }
  }
  for (const TensorId t : compilation_.network.outputs) last_reader[t] = count;
  for (int l = 0; l < count; ++l) {
    const LayerPlan& plan = layer(l);
    LayerFacts facts;
    facts.work = &plan.work;
    static const std::vector<Mapping> none;
    // What one element keeps, others do not reach: work divided over elements stays apart.
    const bool chains = plan.placement == Placement::machine && plan.mappings.front().spatial.empty();
    facts.assignments = chains ? &plan.assignments : &none;
    if (plan.outputs.size() == 1 && !facts.assignments->empty()) {
      facts.result = plan.outputs[0];
      facts.last_reader = last_reader[facts.result];
      if (compilation_.homes[facts.result].alias >= 0) facts.last_reader = count;
      const Mapping& best = plan.mappings.front();
      Geometry geometry(compilation_.machine, compilation_.network, plan.work, compilation_.homes, best);
      facts.cycles = shipped_cost_model().cost(compilation_.machine, geometry, plan.work, best).cycles;
      facts.traffic = off_chip_traffic_of(compilation_.machine, geometry, plan.work, best);
      for (const auto& operand : plan.work.operands) {
        if (!operand.constant || operand.tensor == no_tensor) continue;
        const Tensor& tensor = compilation_.network.tensors[operand.tensor];
        facts.constant_bytes += static_cast<double>(element_count(tensor.shape) * bytes(tensor.type));
      }
    }
    problem_.layers.push_back(std::move(facts));
  }
}

void Fuser::find_keepers() {
  problem_.keepers.assign(compilation_.network.tensors.size(), {});
  std::map<TensorId, std::vector<TensorUser>> users;
  for (const auto& facts : problem_.layers) {
    for (const auto& operand : facts.work->operands) {
      if (operand.tensor != no_tensor && !operand.constant)
        users[operand.tensor].push_back({facts.work, facts.assignments});
    }
  }
  for (const auto& facts : problem_.layers) {
    if (facts.result == no_tensor) continue;
    const bool margin = compilation_.homes[facts.result].has_margin();
    problem_.keepers[facts.result] = keeper_of(compilation_.machine, facts.result, users[facts.result], margin);
  }
}

double Fuser::apart_cycles(const Chain& chain) const {
  double sum = 0;
  for (int l = chain.first; l <= chain.last; ++l) sum += facts(l).cycles;
  return sum;
}

double Fuser::apart_bytes(const Chain& chain) const {
  double sum = 0;
  for (int l = chain.first; l <= chain.last; ++l) sum += facts(l).traffic.total();
  return sum;
}

/// Tensors for the stretches that stay on chip, with their homes.
void Fuser::keep_results(const Chain& chain) {
  stretches_.assign(static_cast<std::size_t>(chain.strips()), {});
  for (int strip = 0; strip < chain.strips(); ++strip) {
    for (int l = chain.first; l < chain.last; ++l) {
      if (facts(l).last_reader > chain.last) continue;
      const TensorId whole = facts(l).result;
      const Range range = chain.ranges[strip][l - chain.first];
      Home home = stretch_home(problem_, whole, chain.index, range);
      Tensor tensor = compilation_.network.tensors[whole];
      tensor.shape[chain.index] = range.size();
      if (chain.strips() > 1) tensor.name += fmt::format("[{}:{}]", range.first, range.last);
      const TensorId id = static_cast<TensorId>(compilation_.network.tensors.size());
      compilation_.strips[id] = {whole, chain.index, range.first};
      stretches_[strip][whole] = {id, chain.index, range.first, tensor.shape, home.outside};
      compilation_.network.tensors.push_back(std::move(tensor));
      compilation_.homes.push_back(std::move(home));
    }
  }
}

bool Fuser::place_results(const Chain& chain) {
  const int length = chain.last - chain.first + 1;
  std::vector<KeptTensor> kept;
  std::vector<TensorId> ids;
  for (int strip = 0; strip < chain.strips(); ++strip) {
    for (int l = chain.first; l < chain.last; ++l) {
      const auto found = stretches_[strip].find(facts(l).result);
      if (found == stretches_[strip].end()) continue;
      const Home& home = compilation_.homes[found->second.tensor];
      const int start = strip * length - chain.first;
      kept.push_back({home.memory, home.bytes, start + l, start + facts(l).last_reader});
      ids.push_back(found->second.tensor);
    }
  }
  regions_ = place_kept(compilation_.architecture, kept, chain.strips() * length);
  if (regions_.empty()) return false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Home& home = compilation_.homes[ids[i]];
    home.address = kept[i].address + home.origin;
  }
  return true;
}

/// What the mapping reaches beyond a kept tensor must lie in its margin.
bool Fuser::within_margins(const LayerPlan& slice, const Mapping& mapping) const {
  return std::all_of(mapping.uses.begin(), mapping.uses.end(), [&](const Use& use) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) return true;
    const WorkOperand& operand = slice.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant) return true;
    Home home = compilation_.homes[operand.tensor];
    reach(home, compilation_.network.tensors[operand.tensor].shape, use.access, mapping.extent);
    const Home& now = compilation_.homes[operand.tensor];
    return home.before == now.before && home.after == now.after;
  });
}

/// Everything that decides a slice's tiles; where its stretches begin does not.
std::string Fuser::slice_key(const LayerPlan& slice, int number) const {
  std::string key = structure_of(slice.work);
  for (const auto& operand : slice.work.operands) {
    if (operand.tensor == no_tensor) continue;
    const Home& home = compilation_.homes[operand.tensor];
    key += fmt::format(";{}:{}", home.memory, fmt::join(home.strides, ","));
  }
  for (const auto& [memory, region] : regions_[number]) key += fmt::format("|{}:{}", memory, region.bytes);
  return key;
}

/// The layer's own assignments, best first, for the slice: its accesses and extents, and ways to the tensors' new
/// homes.
std::vector<Mapping> Fuser::assignments(const LayerPlan& layer, const LayerPlan& slice, int number,
                                        std::string& why) const {
  std::vector<Mapping> found;
  why = "none of the layer's assignments reaches what is kept";
  for (const Mapping& alone : layer.assignments) {
    auto mapping = retarget(compilation_.machine, compilation_.homes, alone, layer.work, slice.work);
    if (!mapping || !within_margins(slice, *mapping)) continue;
    mapping->regions = regions_[number];
    found.push_back(std::move(*mapping));
    if (found.size() == preferred) break;
  }
  return found;
}

/// The quickest mapping of the slice in what is left of the memories.
bool Fuser::map_work(const LayerPlan& layer, LayerPlan& slice, int number, std::string& why) {
  const auto choices = assignments(layer, slice, number, why);
  if (choices.empty()) return false;
  const std::string key = slice_key(slice, number);
  auto found = known_.find(key);
  if (found == known_.end()) {
    if (searched_++ >= effort * compilation_.layers.size()) {
      why = "enough slices have been searched";
      return false;
    }
    auto result = compilation_.options.searcher->search(
        {compilation_.machine, compilation_.network, slice.work, compilation_.homes, choices, shipped_cost_model()});
    if (result.found.empty()) {
      why = result.refused.front().reason;
      return false;
    }
    found = known_.emplace(key, std::move(result.found.front())).first;
  }
  const Mapping& best = found->second.mapping;
  Mapping mapping = choices[found->second.assignment];
  mapping.tile = best.tile;
  mapping.order = best.order;
  mapping.copies = best.copies;
  mapping.predicted_cycles = best.predicted_cycles;
  why = verify(compilation_.machine, compilation_.network, slice.work, compilation_.homes, mapping);
  if (!why.empty()) return false;
  slice.mappings = {std::move(mapping)};
  return true;
}

/// Bound of what the network asks for: without what the strip computes anew.
Bound Fuser::fresh_bound(const LayerPlan& slice, int iterator, std::int64_t fresh) const {
  if (fresh == 0) return {};
  std::vector<Mapping> mappings = {slice.mappings.front()};
  Work work = slice.work;
  if (iterator >= 0 && fresh < work.program.iterators[iterator].extent) {
    work.program.iterators[iterator].extent = fresh;
    mappings[0].extent[iterator] = fresh;
  }
  return bound_of(compilation_.machine, compilation_.network, work, compilation_.homes, mappings);
}

bool Fuser::map_slice(const Chain& chain, int strip, int l, Realised& realised, std::string& why) {
  const LayerPlan& whole = layer(l);
  const Range range = chain.ranges[strip][l - chain.first];
  const int iterator = chain.strips() == 1 ? -1 : result_iterator(whole.work, chain.index);
  LayerPlan slice;
  slice.group = whole.group;
  slice.work = slice_of(whole.work, iterator, range, stretches_[strip]);
  if (chain.strips() > 1) slice.strip = fmt::format("[{}:{}]", range.first, range.last);
  const auto kept = stretches_[strip].find(facts(l).result);
  if (kept != stretches_[strip].end()) {
    slice.outputs = {kept->second.tensor};
  } else if (strip + 1 == chain.strips()) {
    slice.outputs = whole.outputs;
  }
  const int number = strip * (chain.last - chain.first + 1) + l - chain.first;
  if (!map_work(whole, slice, number, why)) return false;
  const std::int64_t fresh = chain.fresh(strip, l).size();
  slice.macs = macs_of(slice.work) / range.size() * fresh;
  slice.bound = fresh_bound(slice, iterator, fresh);
  const Mapping& mapping = slice.mappings.front();
  Geometry geometry(compilation_.machine, compilation_.network, slice.work, compilation_.homes, mapping);
  realised.cycles += mapping.predicted_cycles;
  realised.bytes += off_chip_traffic_of(compilation_.machine, geometry, slice.work, mapping).total();
  realised.slices.push_back(std::move(slice));
  return true;
}

std::optional<Realised> Fuser::realise(const Chain& chain, std::string& why) {
  keep_results(chain);
  if (!place_results(chain)) {
    why = "the results do not fit side by side";
    return std::nullopt;
  }
  Realised realised;
  for (int strip = 0; strip < chain.strips(); ++strip) {
    for (int l = chain.first; l <= chain.last; ++l) {
      if (!map_slice(chain, strip, l, realised, why)) return std::nullopt;
    }
  }
  return realised;
}

void Fuser::accept(const std::vector<std::pair<Chain, Realised>>& taken) {
  std::vector<LayerPlan> layers;
  int next = 0;
  for (const auto& [chain, realised] : taken) {
    for (; next < chain.first; ++next) layers.push_back(std::move(compilation_.layers[next]));
    FusedChain fused;
    const double cycles = apart_cycles(chain), bytes = apart_bytes(chain);
    for (; next <= chain.last; ++next) fused.apart.push_back(std::move(compilation_.layers[next]));
    fused.decision = fmt::format(
        "{} layers in {} strip{}: {:.0f} cycles and {:.0f} off-chip bytes predicted, apart {:.0f} and {:.0f}",
        chain.last - chain.first + 1, chain.strips(), chain.strips() == 1 ? "" : "s", realised.cycles, realised.bytes,
        cycles, bytes);
    for (auto slice : realised.slices) {
      slice.chain = static_cast<int>(compilation_.chains.size());
      layers.push_back(std::move(slice));
    }
    compilation_.chains.push_back(std::move(fused));
  }
  for (; next < static_cast<int>(compilation_.layers.size()); ++next) {
    layers.push_back(std::move(compilation_.layers[next]));
  }
  compilation_.layers = std::move(layers);
}

void Fuser::run() {
  problem_.off_chip_width = off_chip_width(compilation_.architecture);
  if (problem_.off_chip_width <= 0) return;
  find_facts();
  find_keepers();
  std::set<ChainKey> refused;
  std::map<ChainKey, Realised> realised;
  std::vector<std::pair<Chain, Realised>> taken;
  for (int round = 0; round < rounds; ++round) {
    taken.clear();
    bool settled = true;
    for (const Chain& chain : partition(problem_, refused)) {
      const ChainKey key = {chain.first, chain.last, chain.asked};
      auto known = realised.find(key);
      if (known == realised.end()) {
        std::string why;
        auto found = realise(chain, why);
        const double apart = cost(problem_, apart_cycles(chain), apart_bytes(chain));
        if (!found || !quick_enough(problem_, chain, found->cycles) ||
            cost(problem_, found->cycles, found->bytes) >= apart) {
          refused.insert(key);
          settled = false;
          continue;
        }
        known = realised.emplace(key, std::move(*found)).first;
      }
      taken.emplace_back(chain, known->second);
    }
    if (settled) break;
  }
  if (!taken.empty()) accept(taken);
}

}  // namespace

void fuse_pass(Compilation& compilation) {
  if (compilation.options.fuse) Fuser(compilation).run();
}

}  // namespace accord

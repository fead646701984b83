#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "archdsl/source/error.h"
#include "compiler/compilation.h"
#include "compiler/fusion/placement.h"
#include "compiler/fusion/retarget.h"
#include "compiler/fusion_problem.h"
#include "compiler/lowering/margins.h"
#include "compiler/measured_program.h"
#include "compiler/slice_search.h"

namespace accord {
namespace {

constexpr int rounds = 64;  // partitions looked at; each learns what chains cost that only promised to cost less
constexpr std::array time_weights = {1.0, 2.0, 4.0, 8.0, 16.0, 1e3, 1e6};  // of cycles against off-chip bytes
constexpr double hopeless = 1.25;  // times the cycles of its layers apart, and a chain is not looked into further

/// A chain with everything chosen.
struct Realised {
  Chain chain;
  std::vector<LayerPlan> slices;
  ChainCost cost;
};

/// What the slices of a layer take, as far as they are mapped.
struct Spent {
  double cycles = 0;
  std::int64_t positions = 0;
};

std::string strips_text(int strips) { return fmt::format("{} strip{}", strips, strips == 1 ? "" : "s"); }

/// Chooses chains by estimate, maps their slices, and takes those that cost less than their layers apart.
class Fuser {
 public:
  explicit Fuser(Compilation& compilation)
      : compilation_(compilation),
        problem_(fusion_problem(compilation)),
        partitioner_(problem_),
        search_(compilation) {}

  void run();

 private:
  void explore();
  bool is_quick_enough(const std::vector<Chain>& chains) const;
  void realise(const Chain& chain);
  std::string map_slices(const Chain& chain, Realised& realised);
  bool schedule_apart(const Chain& chain);
  void keep_results(const Chain& chain);
  bool place_results(const Chain& chain);
  bool map_slice(const Chain& chain, int strip, int layer, Realised& realised, std::string& why);
  bool fits_nowhere(int l, const LayerPlan& slice);
  void teach(const Chain& chain);
  std::optional<double> margin_cycles(const LayerPlan& slice, std::string& why) const;
  void bound_slices(const Chain& chain, std::vector<LayerPlan>& slices) const;
  void refuse_all_but(const std::vector<Chain>& taken);
  void accept(const std::vector<Chain>& taken);
  void accept_if_quick(const std::vector<Chain>& taken);
  std::string title(const Chain& chain) const;
  std::string weighing(const Chain& chain) const;
  ChainCost apart(const Chain& chain) const { return partitioner_.apart(chain.first, chain.last); }
  bool keeps(const Chain& chain, int l) const { return l < chain.last && facts(l).last_reader <= chain.last; }
  const std::string& name_of(int l) const { return compilation_.network.tensors[facts(l).result].name; }
  const LayerPlan& layer(int index) const { return compilation_.layers[index]; }
  const LayerFacts& facts(int index) const { return problem_.layers[index]; }

  Compilation& compilation_;
  FusionProblem problem_;
  Partitioner partitioner_;
  SliceSearch search_;
  std::map<ChainKey, Realised> realised_;
  // Of the chain that is being realised:
  std::vector<std::map<TensorId, Stretch>> stretches_;  ///< per strip
  std::vector<std::map<int, Region>> regions_;          ///< per slice
  std::vector<Spent> spent_;                            ///< per layer
};

std::string Fuser::title(const Chain& chain) const {
  return fmt::format("{} to {}, {} layers in {}: ", name_of(chain.first), name_of(chain.last),
                     chain.last - chain.first + 1, strips_text(chain.strips()));
}

/// What was predicted for the chain, and for its layers apart.
std::string Fuser::weighing(const Chain& chain) const {
  const ChainCost with = realised_.at(key_of(chain)).cost, without = apart(chain);
  return fmt::format("{:.0f} cycles and {:.0f} off-chip bytes predicted, apart {:.0f} and {:.0f}", with.cycles,
                     with.off_chip_bytes, without.cycles, without.off_chip_bytes);
}

/// Tensors for the stretches that stay on chip, with their homes.
void Fuser::keep_results(const Chain& chain) {
  stretches_.assign(static_cast<std::size_t>(chain.strips()), {});
  for (int strip = 0; strip < chain.strips(); ++strip) {
    for (int l = chain.first; l < chain.last; ++l) {
      if (!keeps(chain, l)) continue;
      const TensorId whole = facts(l).result;
      const Positions range = chain.ranges[strip][l - chain.first];
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

/// Cycles of the transfers that fill the margins of what the slice keeps; nothing where the machine cannot.
std::optional<double> Fuser::margin_cycles(const LayerPlan& slice, std::string& why) const {
  double cycles = 0;
  try {
    std::vector<OffChip> nothing;
    for (const TensorId t : slice.outputs) {
      const Home& home = compilation_.homes[t];
      if (home.memory < 0) continue;
      const OpList list = fill_margin(compilation_.machine, home, compilation_.network.tensors[t], nothing);
      for (const auto& op : list.ops) cycles += op.busy;
    }
  } catch (const Error& error) {
    why = error.what();
    return std::nullopt;
  }
  return cycles;
}

bool Fuser::map_slice(const Chain& chain, int strip, int l, Realised& realised, std::string& why) {
  const LayerPlan& whole = layer(l);
  const Positions range = chain.ranges[strip][l - chain.first];
  const int iterator = chain.strips() == 1 ? -1 : result_iterator(whole.work, chain.index);
  LayerPlan slice;
  slice.group = whole.group;
  slice.of_model = whole.of_model;
  slice.work = slice_of(whole.work, iterator, range, stretches_[strip]);
  if (chain.strips() > 1) slice.strip = fmt::format("[{}:{}]", range.first, range.last);
  const auto kept = stretches_[strip].find(facts(l).result);
  if (kept != stretches_[strip].end()) {
    slice.outputs = {kept->second.tensor};
  } else if (strip + 1 == chain.strips()) {
    slice.outputs = whole.outputs;
  }
  const auto margin = margin_cycles(slice, why);
  if (!margin) return false;
  const int number = strip * (chain.last - chain.first + 1) + l - chain.first;
  auto mapping = search_.find(whole, slice, regions_[number], why);
  if (!mapping) {
    if (fits_nowhere(l, slice)) spent_[l - chain.first] = {std::numeric_limits<double>::infinity(), 1};
    return false;
  }
  Geometry geometry(compilation_.machine, compilation_.network, slice.work, compilation_.homes, *mapping);
  realised.cost.cycles += mapping->predicted_cycles + *margin;
  spent_[l - chain.first].cycles += mapping->predicted_cycles + *margin;
  spent_[l - chain.first].positions += range.size();
  realised.cost.off_chip_bytes += off_chip_traffic_of(compilation_.machine, geometry, slice.work, *mapping).total();
  slice.mappings = {std::move(*mapping)};
  const std::int64_t macs = whole.macs < 0 ? macs_of(whole.work) : whole.macs;
  const Shape& result = whole.work.operands[whole.work.program.statements.back().target.operand].shape;
  slice.macs = macs / result[static_cast<std::size_t>(chain.index)] * chain.fresh(strip, l).size();
  realised.slices.push_back(std::move(slice));
  return true;
}

/// Whether the slice could not be if it had all memory to itself.
bool Fuser::fits_nowhere(int l, const LayerPlan& slice) {
  std::string why;
  return !search_.exhausted() && !search_.find(layer(l), slice, {}, why);
}

/// The partitioner learns what layers take with what the chain keeps of them.
void Fuser::teach(const Chain& chain) {
  for (int l = chain.first; l <= chain.last; ++l) {
    const Spent& spent = spent_[l - chain.first];
    if (spent.positions == 0) continue;
    std::int64_t all = 0;
    for (const auto& ranges : chain.ranges) all += ranges[l - chain.first].size();
    partitioner_.learn(chain, l, spent.cycles, static_cast<double>(spent.positions) / static_cast<double>(all));
  }
}

/// The layers' own cycles by the yardstick that the slices are measured with.
bool Fuser::schedule_apart(const Chain& chain) {
  for (int l = chain.first; l <= chain.last; ++l) {
    Mapping& mapping = compilation_.layers[l].mappings[predicted_best(layer(l))];
    const auto cycles = search_.cycles(layer(l), mapping);
    if (!cycles) return false;
    mapping.predicted_cycles = problem_.layers[l].alone_cycles = *cycles;
    if (mapping.spatial.empty()) problem_.layers[l].cycles = *cycles;
    mapping.scheduled = true;
  }
  return true;
}

/// Maps all slices; returns why the chain cannot be, or costs more than its layers apart.
std::string Fuser::map_slices(const Chain& chain, Realised& realised) {
  if (!schedule_apart(chain)) return "too many operations to schedule";
  if (!place_results(chain)) return "the results do not fit side by side";
  const ChainCost before = apart(chain);
  std::string why;
  for (int strip = 0; strip < chain.strips(); ++strip) {
    for (int l = chain.first; l <= chain.last; ++l) {
      if (!map_slice(chain, strip, l, realised, why)) return why;
      if (realised.cost.cycles > hopeless * before.cycles) {
        return fmt::format("more than {:.0f} cycles predicted, apart {:.0f}", realised.cost.cycles, before.cycles);
      }
    }
  }
  return "";
}

void Fuser::realise(const Chain& chain) {
  const std::size_t tensors = compilation_.network.tensors.size();
  Realised realised{chain, {}, {}};
  keep_results(chain);
  spent_.assign(static_cast<std::size_t>(chain.last - chain.first + 1), {});
  const std::string why = map_slices(chain, realised);
  teach(chain);
  if (why.empty()) {
    partitioner_.settle(chain, doubted(problem_, realised.cost));
    realised_.emplace(key_of(chain), std::move(realised));
    return;
  }
  partitioner_.settle(chain, std::nullopt);
  compilation_.network.tensors.resize(tensors);
  compilation_.homes.resize(tensors);
  compilation_.strips.erase(compilation_.strips.lower_bound(static_cast<TensorId>(tensors)), compilation_.strips.end());
  compilation_.refused_chains.push_back(title(chain) + why);
}

/// What the network asks for of a layer, its neighbours' results on chip, shared out to strips by the rows that each
/// computes first; no more than what the strip itself asks for, for the layer's rows may be padded and the strip's not.
void Fuser::bound_slices(const Chain& chain, std::vector<LayerPlan>& slices) const {
  Homes homes = compilation_.homes;
  for (int l = chain.first; l < chain.last; ++l) {
    const TensorId result = facts(l).result;
    if (keeps(chain, l)) homes[result].memory = problem_.keepers[result].memory;
  }
  const int length = chain.last - chain.first + 1;
  for (int l = chain.first; l <= chain.last; ++l) {
    std::vector<Mapping> candidates;
    for (const auto& assignment : layer(l).assignments) {
      if (auto kept = retarget(compilation_.machine, homes, assignment, layer(l).work, layer(l).work)) {
        candidates.push_back(std::move(*kept));
      }
    }
    Bound whole = bound_of(compilation_.machine, compilation_.network, layer(l).work, homes, candidates);
    whole.cycles = std::min(whole.cycles, layer(l).bound.cycles);
    whole.compute_cycles = std::min(whole.compute_cycles, layer(l).bound.compute_cycles);
    const std::int64_t rows = chain.ranges.back()[l - chain.first].last;
    const auto until = [&](std::int64_t all, std::int64_t row) { return all / rows * row + all % rows * row / rows; };
    for (int strip = 0; strip < chain.strips(); ++strip) {
      const Positions fresh = chain.fresh(strip, l);
      LayerPlan& slice = slices[static_cast<std::size_t>(strip * length + l - chain.first)];
      const Bound own =
          bound_of(compilation_.machine, compilation_.network, slice.work, compilation_.homes, slice.mappings);
      const auto share = [&](std::int64_t all) { return until(all, fresh.last) - until(all, fresh.first); };
      slice.bound = {std::min(share(whole.cycles), own.cycles),
                     std::min(share(whole.compute_cycles), own.compute_cycles),
                     std::min(share(whole.compulsory_bytes), own.compulsory_bytes)};
    }
  }
}

/// Chains take the place of their layers.
void Fuser::accept(const std::vector<Chain>& taken) {
  std::vector<LayerPlan> layers;
  int next = 0;
  const auto move_until = [&](int end) {
    for (; next < end; ++next) layers.push_back(std::move(compilation_.layers[next]));
  };
  for (const auto& chain : taken) {
    move_until(chain.first);
    Realised& realised = realised_.at(key_of(chain));
    FusedChain fused;
    fused.decision = title(chain) + weighing(chain);
    bound_slices(chain, realised.slices);
    for (; next <= chain.last; ++next) fused.apart.push_back(std::move(compilation_.layers[next]));
    for (auto& slice : realised.slices) {
      slice.chain = static_cast<int>(compilation_.chains.size());
      layers.push_back(std::move(slice));
    }
    compilation_.chains.push_back(std::move(fused));
  }
  move_until(static_cast<int>(compilation_.layers.size()));
  compilation_.layers = std::move(layers);
}

/// The same where the program is not slower with them: predictions know little of what layers wait for on chip.
void Fuser::accept_if_quick(const std::vector<Chain>& taken) {
  if (!may_measure_program(compilation_)) return accept(taken);
  const std::optional<double> before = measured_program(compilation_);
  if (!before) return accept(taken);
  std::vector<LayerPlan> layers = compilation_.layers;
  accept(taken);
  const std::optional<double> after = measured_program(compilation_);
  if (after && *after <= *before) return;
  compilation_.layers = std::move(layers);
  compilation_.chains.clear();
  const std::string why =
      after ? fmt::format("; measured, all takes {:.0f} cycles with chains and {:.0f} without", *after, *before)
            : "; the instruction set cannot express all";
  for (const Chain& chain : taken) compilation_.refused_chains.push_back(title(chain) + weighing(chain) + why);
}

/// Looks into what partitions promise, each made with what was learnt from the one before, until one keeps all.
void Fuser::explore() {
  for (int round = 0; round < rounds && !search_.exhausted(); ++round) {
    auto promised = partitioner_.chains();
    std::erase_if(promised, [&](const Chain& chain) { return realised_.contains(key_of(chain)); });
    if (promised.empty()) return;
    std::stable_sort(promised.begin(), promised.end(),
                     [&](const Chain& a, const Chain& b) { return partitioner_.saving(a) > partitioner_.saving(b); });
    for (const Chain& chain : promised) realise(chain);
  }
}

/// Whether the layers take no more time with the chains than without.
bool Fuser::is_quick_enough(const std::vector<Chain>& chains) const {
  double more = 0;
  for (const Chain& chain : chains) {
    more += doubted(problem_, realised_.at(key_of(chain)).cost).cycles - apart(chain).cycles;
  }
  return more <= 0;
}

/// Notes what was weighed for the other chains that were realised.
void Fuser::refuse_all_but(const std::vector<Chain>& taken) {
  for (const auto& [key, realised] : realised_) {
    const bool is_taken = std::any_of(taken.begin(), taken.end(), [&](const Chain& c) { return key_of(c) == key; });
    if (!is_taken) compilation_.refused_chains.push_back(title(realised.chain) + weighing(realised.chain));
  }
}

void Fuser::run() {
  if (problem_.off_chip_width <= 0) return;
  explore();
  partitioner_.close();
  for (const double weight : time_weights) {
    partitioner_.weigh_time(weight);
    const auto chains = partitioner_.chains();
    if (!is_quick_enough(chains)) continue;
    refuse_all_but(chains);
    if (!chains.empty()) accept_if_quick(chains);
    return;
  }
}

}  // namespace

void fuse_pass(Compilation& compilation) {
  if (compilation.options.fuse) Fuser(compilation).run();
}

}  // namespace accord

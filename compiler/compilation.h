#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/mapping/bound.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/groups.h"
#include "compiler/mapping/homes.h"

namespace accord {

enum class Placement { machine, host, memory };  ///< memory: the layer is only a way of seeing others' results

/// One layer on its way through the passes.
struct LayerPlan {
  Group group;
  std::vector<TensorId> outputs;  ///< read outside the layer, or the network's; complete when the layer ends
  Work work;
  std::optional<Work> with_ones;  ///< `work` with iterators that count one, where a capability counts more at least
  Placement placement = Placement::machine;
  std::string reason;                    ///< why on the host
  bool of_model = true;                  ///< its results are the model's, not only rearranged for a reader
  std::vector<std::string> turned_down;  ///< why `place` has no more assignments
  std::vector<Mapping> mappings;         ///< with tiles, best first
  std::vector<Mapping> assignments;      ///< the most promising first, without tiles: for slices of the layer. The one
                                         ///< with the least compute bound is among them
  std::int64_t instructions = 0;         ///< of the main capability at least, by the first of the assignments
  Bound bound;
  int chain = -1;          ///< that this is a layer, or a strip of a layer, of; -1: of none
  std::string strip;       ///< "[0:16]": positions of the result that the strip computes
  std::int64_t macs = -1;  ///< of a strip, without what it computes anew; of rearranged images; -1: those of `work`
};

/// Where a tensor that is kept on chip stands in the network's: all of it, or a strip.
struct StripOf {
  TensorId whole = no_tensor;
  int index = 0;
  std::int64_t first = 0;
};

/// Layers that hand their results on without off-chip memory.
struct FusedChain {
  /// The same layers, each by itself: for the case that an encoding cannot express strips.
  std::vector<LayerPlan> apart;
  std::string decision;  ///< what was weighed, for the user
};

struct LayerSearch;

/// State that the passes hand on.
struct Compilation {
  const Architecture& architecture;
  Network network;      ///< the model's, and the tensors of strips
  int model_operators;  ///< the first ones; those behind are the compiler's own
  const CompileOptions& options;
  Architecture carrying;  ///< with what the mapper adds
  Machine machine;        ///< that
  std::vector<LayerPlan> layers;
  std::map<std::string, std::shared_ptr<LayerSearch>> searches;  ///< those made, by what they look at
  Homes homes;
  bool lists_assignments = false;      ///< all that `place` finds stay with their layer, to be shown
  bool searches_copies = true;         ///< false: what cannot share memory is left to the host, whoever copies it later
  bool keeps_constants = true;         ///< false: the program has none of their bytes, only their addresses
  bool takes_turns = true;             ///< layers lay their tiles from the low and the high end of memories by turns
  std::int64_t tensor_bytes = 0;       ///< of off-chip memory, from 0 on, that tensors take turns in
  std::map<TensorId, StripOf> strips;  ///< tensors kept on chip
  std::vector<FusedChain> chains;
  std::vector<std::string> refused_chains;  ///< that were looked into, with the reason
  std::vector<std::string> sums;            ///< whose division was weighed, each with what came of it
  std::vector<std::string> layouts;         ///< that were weighed against those by rule, each with what came of it

  Compilation(const Architecture& a, Network n, const CompileOptions& o)
      : architecture(a),
        network(std::move(n)),
        model_operators(static_cast<int>(network.operators.size())),
        options(o),
        carrying(with_carriers(a)),
        machine(carrying),
        homes(initial_homes(network)) {}

  /// Drops the tensors from the first of these on, which nothing reads or writes.
  void forget(std::size_t first) {
    network.tensors.resize(first);
    network.names = {};
    homes.resize(first);
  }

  void progress(const std::string& pass, std::size_t done, std::size_t total) const {
    if (options.progress) options.progress(pass, static_cast<int>(done), static_cast<int>(total));
  }
};

/// A group's layer, its work as the operators' codelets have it.
LayerPlan layer_of(const Compilation& compilation, Group group);

/// What the layer is called by: the result of its last operator.
const std::string& name_of(const Network& network, const LayerPlan& layer);

/// A copy without the layer's mappings, for another form of it: there are thousands of them before they are searched.
LayerPlan without_mappings(LayerPlan& layer);

/// The promising assignments of the layer's work, and the bound of all; on the host where there are none.
void assign(const Compilation& compilation, LayerPlan& layer);

/// Leaves out assignments that a search would not come to, for their compute bounds are greater than those of hundreds
/// of their capability: layers have thousands. The layer's bound is known before.
void keep_promising(const Compilation& compilation, LayerPlan& layer);

/// The passes, in order; one file each.
void group_pass(Compilation& compilation);        ///< fusion groups -> work
void place_pass(Compilation& compilation);        ///< work -> candidate mappings, or host with the reason
void sums_pass(Compilation& compilation);         ///< sums of few results in parts, where that is quicker
void interleave_pass(Compilation& compilation);   ///< rows of the network's inputs side by side, where that is quicker
void columns_pass(Compilation& compilation);      ///< columns of the network's results apart, where that is quicker
void layout_pass(Compilation& compilation);       ///< which index of a tensor lies innermost, what only shows others
void map_pass(Compilation& compilation);          ///< tiles, loop order
void allocate_pass(Compilation& compilation);     ///< off-chip homes: margins, aliases
void fuse_pass(Compilation& compilation);         ///< chains of layers that keep their results on chip
void settle_pass(Compilation& compilation);       ///< what holds for all layers, by measuring the program
void plan_pass(Compilation& compilation);         ///< lifetimes of tensors -> off-chip addresses
Program generate_pass(Compilation& compilation);  ///< lowering, scheduling, synchronisation, encoding

/// All passes. Layers that stand there already are taken as they are, instead of groups of the network's operators.
Program compile_layers(Compilation& compilation);

/// What --dump-after prints.
std::string describe(const Compilation& compilation);

}  // namespace accord

#pragma once

#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/mapping/bound.h"
#include "compiler/mapping/groups.h"
#include "compiler/mapping/homes.h"

namespace accord {

enum class Placement { machine, host, memory };  ///< memory: the layer is only a way of seeing others' results

/// One layer on its way through the passes.
struct LayerPlan {
  Group group;
  std::vector<TensorId> outputs;  ///< that are read outside the layer, or are the network's
  Work work;
  Placement placement = Placement::machine;
  std::string reason;                    ///< why on the host
  std::vector<std::string> turned_down;  ///< why `place` has no more assignments
  std::vector<Mapping> mappings;         ///< with tiles, best first
  Bound bound;
};

/// State that the passes hand on.
struct Compilation {
  const Architecture& architecture;
  const Network& network;
  const CompileOptions& options;
  Machine machine;
  std::vector<LayerPlan> layers;
  Homes homes;
  std::int64_t tensor_bytes = 0;  ///< of off-chip memory, from 0 on, that tensors take turns in

  Compilation(const Architecture& a, const Network& n, const CompileOptions& o)
      : architecture(a), network(n), options(o), machine(a), homes(initial_homes(n)) {}

  void progress(const std::string& pass, std::size_t done, std::size_t total) const {
    if (options.progress) options.progress(pass, static_cast<int>(done), static_cast<int>(total));
  }
};

/// The passes, in order; one file each.
void group_pass(Compilation& compilation);        ///< fusion groups -> work
void place_pass(Compilation& compilation);        ///< work -> candidate mappings, or host with the reason
void map_pass(Compilation& compilation);          ///< tiles, loop order
void allocate_pass(Compilation& compilation);     ///< off-chip homes: margins, aliases
void plan_pass(Compilation& compilation);         ///< lifetimes of tensors -> off-chip addresses
Program generate_pass(Compilation& compilation);  ///< lowering, scheduling, synchronisation, encoding

/// All passes. Layers that stand there already are taken as they are, instead of groups of the network's operators.
Program compile_layers(Compilation& compilation);

/// What --dump-after prints.
std::string describe(const Compilation& compilation);

}  // namespace accord

#include "compiler/encoded_cycles.h"

#include <limits>
#include <vector>

#include "archdsl/source/error.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codegen/encoder.h"
#include "compiler/layer_search.h"
#include "compiler/lowering/continuation.h"
#include "compiler/lowering/lower_layer.h"
#include "compiler/lowering/share_transfers.h"

namespace accord {
namespace {

/// Homes as they will be, each at address 0.
Homes placed(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping) {
  Homes homes = compilation.homes;
  for (const auto& use : mapping.uses) {
    if (use.filled || use.access.operand < 0) continue;
    const WorkOperand& operand = layer.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant) continue;
    Home& home = homes[operand.tensor];
    reach(home, operand.shape, use.access, mapping.extent);
    settle(home, operand.shape, compilation.network.tensor(operand.tensor).type);
    home.address = home.origin;
  }
  return homes;
}

}  // namespace

bool encodes(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping) {
  const Architecture& architecture = compilation.architecture;
  const Homes homes = placed(compilation, layer, mapping);
  try {
    std::vector<OffChip> nothing;
    const bool together = needs_others(parts_of(compilation.machine, mapping).front());
    const OpList list = lower_layer(compilation.machine, compilation.network, layer.work, homes, mapping, nothing,
                                    together ? Reads::shared : Reads::own);
    KnownSchedules none;
    const auto ordered = Continuation(architecture, 0).order(list, none);
    Encoder(architecture, compilation.machine.limits)
        .append(list, ordered.order, ordered.late, 0, statement_texts(layer.work.program));
    return true;
  } catch (const Error&) {
    return false;
  }
}

double encoded_cycles(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  double least = std::numeric_limits<double>::infinity();
  const LayerSearch& search = search_once(compilation, shared, layer);
  for (const auto& found : search.kept) {
    const double cycles = found.mapping.predicted_cycles;
    if (search.is_behind(found.mapping) && least < std::numeric_limits<double>::infinity()) continue;
    if (cycles < least && encodes(compilation, layer, found.mapping)) least = cycles;
  }
  return least;
}

}  // namespace accord

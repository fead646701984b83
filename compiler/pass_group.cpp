#include "compiler/codelets/codelet.h"
#include "compiler/compilation.h"

namespace accord {

void group_pass(Compilation& compilation) {
  for (auto& group : group_operators(compilation.network)) {
    LayerPlan layer;
    layer.work = instantiate(compilation.network, group.operators, CodeletLibrary::shipped());
    layer.outputs = visible_outputs(compilation.network, group);
    layer.group = std::move(group);
    compilation.layers.push_back(std::move(layer));
  }
}

}  // namespace accord

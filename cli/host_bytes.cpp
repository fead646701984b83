#include "cli/host_bytes.h"

#include <map>
#include <set>
#include <string>

#include "compiler/network/network.h"

namespace accord {

std::vector<std::int64_t> host_bytes(const Program& program) {
  std::map<std::string, std::int64_t> sizes;
  for (const Symbol& symbol : program.symbols) {
    if (symbol.role == Symbol::Role::constant) continue;
    sizes[symbol.name] = element_count(symbol.shape) * bytes(symbol.type);
  }
  std::vector<std::int64_t> result(program.layers.size());
  for (const Stage& stage : program.stages) {
    if (!stage.host || stage.layer < 0) continue;
    std::set<std::string> seen;
    for (const HostOperand& operand : stage.work.operands) {
      const auto size = sizes.find(operand.symbol);
      if (size != sizes.end() && seen.insert(operand.symbol).second) result.at(stage.layer) += size->second;
    }
  }
  return result;
}

}  // namespace accord

#include "compiler/mapping/beyond.h"

#include <algorithm>

namespace accord {

bool leaves_operand(const Work& work, const Access& access, int iterator) {
  const Shape& shape = work.operands[access.operand].shape;
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    const auto& terms = access.indices[i].terms;
    const bool ascends = std::all_of(terms.begin(), terms.end(), [](const auto& term) { return term.second > 0; });
    const auto term = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == iterator; });
    if (!ascends || term == terms.end()) continue;
    if (access.indices[i].offset + term->second * work.program.iterators[iterator].extent >= shape[i]) return true;
  }
  return false;
}

}  // namespace accord

#include "compiler/network/passes/graph_index.h"

namespace accord {

GraphIndex::GraphIndex(const Network& network) : entries_(network.tensors.size()) {
  const auto at = [&](TensorId id) -> Entry& { return entries_[static_cast<std::size_t>(id)]; };
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    for (const auto id : network.operators[i].outputs) {
      if (id != no_tensor) at(id).producer = static_cast<int>(i);
    }
    for (const auto id : network.operators[i].inputs) {
      if (id == no_tensor) continue;
      ++at(id).uses;
      at(id).reader = static_cast<int>(i);
    }
  }
  for (const auto id : network.outputs) {
    ++at(id).uses;
    at(id).output = true;
  }
}

const GraphIndex::Entry& GraphIndex::entry(TensorId id) const {
  static const Entry none;
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < entries_.size() ? entries_[at] : none;
}

int GraphIndex::producer(TensorId id) const { return entry(id).producer; }
int GraphIndex::reader(TensorId id) const { return entry(id).reader; }
int GraphIndex::uses(TensorId id) const { return entry(id).uses; }
bool GraphIndex::is_output(TensorId id) const { return entry(id).output; }

}  // namespace accord

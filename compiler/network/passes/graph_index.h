#pragma once

#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Who gives and who uses each tensor of a network. Tensors added later have neither.
class GraphIndex {
 public:
  explicit GraphIndex(const Network& network);

  /// Index into Network::operators, or -1 for inputs and constants.
  int producer(TensorId id) const;

  /// The last operator that reads it, or -1.
  int reader(TensorId id) const;

  /// Inputs of operators and network outputs that refer to the tensor.
  int uses(TensorId id) const;

  bool is_output(TensorId id) const;

 private:
  struct Entry {
    int producer = -1;
    int reader = -1;
    int uses = 0;
    bool output = false;
  };
  const Entry& entry(TensorId id) const;
  std::vector<Entry> entries_;
};

}  // namespace accord

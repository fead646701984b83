#include "compiler/network/extract.h"

#include <algorithm>

namespace accord {
namespace {

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class Extractor {
 public:
  explicit Extractor(const Network& network) : network_(network), copies_(network.tensors.size(), no_tensor) {}

  Network run(const std::vector<int>& operators) {
    result_.name = network_.name;
    for (const int index : operators) add(network_.operators[static_cast<std::size_t>(index)]);
    for (const int index : operators) {
      for (const TensorId t : network_.operators[static_cast<std::size_t>(index)].outputs) {
        if (is_wanted(t, operators)) result_.outputs.push_back(copies_[static_cast<std::size_t>(t)]);
      }
    }
    return std::move(result_);
  }

  Network run(const Operator& op) {
    result_.name = network_.name;
    add(op);
    for (const TensorId t : result_.operators.front().outputs)
      if (t != no_tensor) result_.outputs.push_back(t);
    return std::move(result_);
  }

 private:
  void add(const Operator& op) {
    Operator copy = op;
    for (TensorId& t : copy.inputs) {
      if (t != no_tensor) t = tensor(t, true);
    }
    for (TensorId& t : copy.outputs) {
      if (t != no_tensor) t = tensor(t, false);
    }
    result_.operators.push_back(std::move(copy));
  }

  TensorId tensor(TensorId original, bool read) {
    TensorId& copy = copies_[static_cast<std::size_t>(original)];
    if (copy != no_tensor) return copy;
    const Tensor& t = network_.tensor(original);
    copy = result_.add(t);
    if (read && !t.is_constant()) result_.inputs.push_back(copy);
    return copy;
  }

  bool is_wanted(TensorId t, const std::vector<int>& operators) const {
    if (contains(network_.outputs, t)) return true;
    for (std::size_t i = 0; i < network_.operators.size(); ++i) {
      if (contains(network_.operators[i].inputs, t) && !contains(operators, static_cast<int>(i))) return true;
    }
    return false;
  }

  const Network& network_;
  std::vector<TensorId> copies_;
  Network result_;
};

}  // namespace

Network extract(const Network& network, const std::vector<int>& operators) { return Extractor(network).run(operators); }

Network extract(const Network& network, const Operator& op) { return Extractor(network).run(op); }

}  // namespace accord

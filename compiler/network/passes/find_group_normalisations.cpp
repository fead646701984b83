// GroupNormalization as exporters write it below operator set 18: a Reshape to [N, groups, rest],
// InstanceNormalization, a Reshape back, and products and sums by channel.
#include <set>

#include "compiler/network/constants.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {
namespace {

/// Whether a tensor is the same for all that has one channel of an image of so many dimensions.
bool is_by_channel(const Shape& shape, std::int64_t channels, std::size_t rank) {
  if (shape.size() > rank) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool along_channels = d + rank == shape.size() + 1;
    if (shape[d] != 1 && !(along_channels && shape[d] == channels)) return false;
  }
  return true;
}

/// A constant's elements, each for as many channels as there are more of these.
std::vector<double> spread_over(const Tensor& constant, std::int64_t channels) {
  return repeated_numbers(constant, channels / element_count(constant.shape));
}

class GroupFinder {
 public:
  explicit GroupFinder(Network& network) : network_(network), index_(network) {}

  void run() {
    for (Operator& op : network_.operators) {
      if (op.type == "InstanceNormalization" && regroup(op)) take_in_what_follows(op);
    }
    std::erase_if(network_.operators, [&](const Operator& op) { return gone_.contains(op.name); });
  }

 private:
  /// What alone reads the operator's result.
  const Operator* only_reader(const Operator& op) const {
    const TensorId y = op.outputs[0];
    if (index_.uses(y) != 1 || index_.is_output(y)) return nullptr;
    return &network_.operators[static_cast<std::size_t>(index_.reader(y))];
  }

  const Operator* only_writer(TensorId x) const {
    if (index_.producer(x) < 0 || index_.uses(x) != 1) return nullptr;
    return &network_.operators[static_cast<std::size_t>(index_.producer(x))];
  }

  void writes_instead(Operator& op, const Operator& gone) {
    op.outputs[0] = gone.outputs[0];
    gone_.insert(gone.name);
  }

  /// Makes the operator between two Reshapes the normalisation of groups of channels; the first one's result nobody
  /// reads.
  bool regroup(Operator& op) {
    const Operator *before = only_writer(op.inputs[0]), *after = only_reader(op);
    if (before == nullptr || before->type != "Reshape" || after == nullptr || after->type != "Reshape") return false;
    const Tensor &image = network_.tensor(before->inputs[0]), &grouped = network_.tensor(op.inputs[0]);
    const Tensor& result = network_.tensor(after->outputs[0]);
    if (image.shape.size() < 3 || image.shape != result.shape || image.shape[0] != grouped.shape[0]) return false;
    if (grouped.shape[1] == 0 || image.shape[1] % grouped.shape[1] != 0) return false;
    if (has_own_integers(grouped, image) || has_own_integers(network_.tensor(op.outputs[0]), result)) return false;
    op.type = "GroupNormalization";
    op.attributes["num_groups"] = grouped.shape[1];
    op.inputs[0] = before->inputs[0];
    writes_instead(op, *after);
    return true;
  }

  /// The operand by channel of a product or sum, if the other one is `x`.
  const Tensor* operand_by_channel(const Operator* op, TensorId x) const {
    if (op == nullptr || (op->type != "Mul" && op->type != "Add")) return nullptr;
    const TensorId other = op->inputs[op->inputs[0] == x ? 1 : 0];
    const Shape& image = network_.tensor(x).shape;
    if (!is_float_constant(network_, other)) return nullptr;
    const Tensor& operand = network_.tensor(other);
    return is_by_channel(operand.shape, image[1], image.size()) ? &operand : nullptr;
  }

  /// Products and sums by channel change its scale and bias.
  void take_in_what_follows(Operator& op) {
    if (!is_float_constant(network_, op.inputs[1]) || !is_float_constant(network_, op.inputs[2])) return;
    const std::int64_t channels = network_.tensor(op.outputs[0]).shape[1];
    std::vector<double> scale = spread_over(network_.tensor(op.inputs[1]), channels);
    std::vector<double> bias = spread_over(network_.tensor(op.inputs[2]), channels);
    for (;;) {
      const Operator* next = only_reader(op);
      const Tensor* operand = operand_by_channel(next, op.outputs[0]);
      if (operand == nullptr || network_.tensor(op.outputs[0]).quantisation) break;
      const std::vector<double> values = spread_over(*operand, channels);
      for (std::size_t c = 0; c < values.size(); ++c) {
        if (next->type == "Mul") scale[c] *= values[c];
        bias[c] = next->type == "Mul" ? bias[c] * values[c] : bias[c] + values[c];
      }
      writes_instead(op, *next);
    }
    op.inputs[1] = network_.add(parameter(op.name + ".scale", scale));
    op.inputs[2] = network_.add(parameter(op.name + ".bias", bias));
  }

  static Tensor parameter(std::string name, const std::vector<double>& values) {
    return make_constant(std::move(name), {std::ssize(values)}, std::vector<float>(values.begin(), values.end()));
  }

  Network& network_;
  const GraphIndex index_;
  std::set<std::string> gone_;  ///< names
};

}  // namespace

void find_group_normalisations(Network& network) { GroupFinder(network).run(); }

}  // namespace accord

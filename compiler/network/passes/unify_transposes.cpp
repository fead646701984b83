// Exporters put images into another order for what works in it, and back behind it. Transpose of Transpose becomes one;
// what works element by element is done before a Transpose that it alone reads, so that the two meet.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::array<std::string_view, 23> unary = {"Relu",        "LeakyRelu",  "Elu",  "Selu",     "Celu", "Sigmoid",
                                                    "HardSigmoid", "HardSwish",  "Tanh", "Softplus", "Erf",  "Exp",
                                                    "Log",         "Reciprocal", "Neg",  "Abs",      "Sqrt", "Floor",
                                                    "Ceil",        "Round",      "Sign", "Gelu",     "Clip"};
constexpr std::array<std::string_view, 6> binary = {"Add", "Sub", "Mul", "Div", "Min", "Max"};

bool is_one_of(const Operator& op, const auto& types) { return std::ranges::find(types, op.type) != types.end(); }

Integers permutation(const Operator& transpose) { return attribute(transpose, "perm", Integers{}); }

class Transposes {
 public:
  explicit Transposes(Network& network) : network_(network), index_(network) {}

  /// Whether anything has changed.
  bool run() {
    auto operators = std::move(network_.operators);
    for (auto& op : operators) {
      if (op.type == "Transpose") {
        merge(op);
        add(std::move(op));
      } else if (const auto input = transposed_input(op)) {
        sink(std::move(op), *input);
      } else {
        add(std::move(op));
      }
    }
    std::erase_if(done_, [](const Operator& op) { return op.type.empty(); });
    network_.operators = std::move(done_);
    return changes_;
  }

 private:
  void add(Operator op) {
    if (op.type == "Transpose") of_result_[op.outputs[0]] = done_.size();
    done_.push_back(std::move(op));
  }

  Operator* transpose_of(TensorId id) {
    const auto found = of_result_.find(id);
    return found == of_result_.end() ? nullptr : &done_[found->second];
  }

  bool is_read_once(TensorId id) const { return index_.uses(id) == 1 && !index_.is_output(id); }

  /// Reads what the Transpose before it does.
  void merge(Operator& op) {
    Operator* const before = transpose_of(op.inputs[0]);
    const Tensor& between = network_.tensor(op.inputs[0]);
    if (before == nullptr || has_own_integers(between, network_.tensor(before->inputs[0]))) return;
    const Integers first = permutation(*before), second = permutation(op);
    Integers both;
    for (const std::int64_t axis : second) both.push_back(first[static_cast<std::size_t>(axis)]);
    op.attributes["perm"] = both;
    changes_ = true;
    op.inputs[0] = before->inputs[0];
    const TensorId result = before->outputs[0];
    if (!is_read_once(result)) return;
    of_result_.erase(result);
    *before = {};
  }

  /// The input of an operator that works element by element which a Transpose gives it alone, where the others are
  /// constants that lie along one dimension.
  std::optional<std::size_t> transposed_input(const Operator& op) {
    if (op.outputs.size() != 1 || !(is_one_of(op, unary) ? op.inputs.size() == 1 : is_one_of(op, binary))) return {};
    const Tensor& y = network_.tensor(op.outputs[0]);
    if (y.quantisation && y.quantisation->scale.size() > 1) return {};  // along one dimension
    std::optional<std::size_t> result;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor& input = network_.tensor(op.inputs[i]);
      if (const Operator* transpose = transpose_of(op.inputs[i])) {
        if (result || !is_read_once(op.inputs[i])) return {};
        if (has_own_integers(input, network_.tensor(transpose->inputs[0]))) return {};
        if (input.shape != y.shape) return {};
        result = i;
      } else if (!input.is_constant() || std::ranges::count_if(input.shape, [](auto n) { return n > 1; }) > 1) {
        return {};
      }
    }
    return result;
  }

  /// The constant as it meets what the Transpose reads: y's dimension d is x's perm[d].
  TensorId moved(TensorId id, const Integers& perm) {
    Tensor constant = network_.tensor(id);
    const std::size_t rank = perm.size();
    constant.shape.insert(constant.shape.begin(), rank - constant.shape.size(), 1);
    Shape shape(rank);
    for (std::size_t d = 0; d < rank; ++d) shape[static_cast<std::size_t>(perm[d])] = constant.shape[d];
    constant.shape = shape;
    return network_.add(std::move(constant));
  }

  void sink(Operator op, std::size_t input) {
    Operator& transpose = *transpose_of(op.inputs[input]);
    const Integers perm = permutation(transpose);
    const Tensor& y = network_.tensor(op.outputs[0]);
    const TensorId before =
        network_.add({y.name + ".before", y.type, network_.tensor(transpose.inputs[0]).shape, nullptr, y.quantisation});
    Operator after{transpose.name, "Transpose", {before}, {op.outputs[0]}, {{"perm", perm}}};
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      op.inputs[i] = i == input ? transpose.inputs[0] : moved(op.inputs[i], perm);
    }
    op.outputs[0] = before;
    of_result_.erase(transpose.outputs[0]);
    transpose = {};
    changes_ = true;
    add(std::move(op));
    add(std::move(after));
  }

  Network& network_;
  const GraphIndex index_;
  std::vector<Operator> done_;
  std::map<TensorId, std::size_t> of_result_;  ///< Transposes among them
  bool changes_ = false;
};

}  // namespace

void unify_transposes(Network& network) {
  while (Transposes(network).run()) {  // one that is read less now may go further
  }
}

}  // namespace accord

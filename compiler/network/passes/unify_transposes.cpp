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

constexpr std::array<std::string_view, 22> unary = {"Relu",        "LeakyRelu",  "Elu",  "Selu",     "Celu", "Sigmoid",
                                                    "HardSigmoid", "HardSwish",  "Tanh", "Softplus", "Erf",  "Exp",
                                                    "Log",         "Reciprocal", "Neg",  "Abs",      "Sqrt", "Floor",
                                                    "Ceil",        "Round",      "Sign", "Clip"};
constexpr std::array<std::string_view, 6> binary = {"Add", "Sub", "Mul", "Div", "Min", "Max"};

bool is_one_of(const Operator& op, const auto& types) { return std::ranges::find(types, op.type) != types.end(); }

Integers permutation(const Operator& transpose) { return attribute(transpose, "perm", Integers{}); }

class Transposes {
 public:
  explicit Transposes(Network& network) : network_(network), index_(network) {}

  /// Whether anything has changed.
  bool run() {
    operators_ = std::move(network_.operators);
    for (auto& op : operators_) {
      if (op.type == "Transpose") {
        merge(op);
        add(std::move(op));
      } else if (const auto input = transposed_input(op); input && meets_another(op)) {
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

  /// Whether the operator's result depends on each element of the input alone, where all other inputs are constants
  /// that lie along one dimension.
  bool is_elementwise(const Operator& op, std::size_t input) const {
    if (op.outputs.size() != 1 || !(is_one_of(op, unary) ? op.inputs.size() == 1 : is_one_of(op, binary))) return false;
    const Tensor& y = network_.tensor(op.outputs[0]);
    if (y.quantisation && y.quantisation->scale.size() > 1) return false;  // along one dimension
    if (network_.tensor(op.inputs[input]).shape != y.shape) return false;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor& other = network_.tensor(op.inputs[i]);
      const auto lies_along = [](const Shape& shape) {
        return std::ranges::count_if(shape, [](auto extent) { return extent > 1; }) <= 1;
      };
      if (i != input && !(other.is_constant() && lies_along(other.shape))) return false;
    }
    return true;
  }

  /// The input of such an operator that a Transpose gives it alone.
  std::optional<std::size_t> transposed_input(const Operator& op) {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Operator* transpose = transpose_of(op.inputs[i]);
      if (transpose == nullptr) continue;
      const Tensor &input = network_.tensor(op.inputs[i]), &before = network_.tensor(transpose->inputs[0]);
      if (!is_read_once(op.inputs[i]) || has_own_integers(input, before) || !is_elementwise(op, i)) return {};
      return i;
    }
    return {};
  }

  /// Whether what reads the result, and what reads that, are such operators, until one is a Transpose.
  bool meets_another(const Operator& op) const {
    TensorId result = op.outputs[0];
    while (is_read_once(result)) {
      const Operator& reader = operators_[static_cast<std::size_t>(index_.reader(result))];
      if (reader.type == "Transpose") return true;
      const auto place = static_cast<std::size_t>(std::ranges::find(reader.inputs, result) - reader.inputs.begin());
      if (!is_elementwise(reader, place)) return false;
      result = reader.outputs[0];
    }
    return false;
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
  std::vector<Operator> operators_;  ///< those not yet done are as they were
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

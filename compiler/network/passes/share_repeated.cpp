// A product whose second factor is repeated for groups of its first one's matrices (keys and values of grouped queries:
// Ainslie et al., GQA, 2023) reads it where it is, as factors broadcast.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {
namespace {

/// A factor [.., groups * times, m, n] in terms of [.., groups, 1, m, n].
struct Repeated {
  TensorId once = no_tensor;
  bool turned = false;   ///< its matrices are transposed
  std::size_t axis = 0;  ///< of `once`: the one that is repeated
  std::int64_t times = 1;
};

/// The only axis along which an Expand or Tile repeats its input, which has one element there.
std::optional<std::size_t> repeated_axis(const Shape& once, const Shape& all) {
  std::optional<std::size_t> axis;
  if (once.size() != all.size()) return std::nullopt;
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (once[d] == all[d]) continue;
    if (axis || once[d] != 1) return std::nullopt;
    axis = d;
  }
  return axis;
}

/// The order of axes that transposes matrices, of rank 2 and more.
std::vector<std::int64_t> turning(std::size_t rank) {
  std::vector<std::int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return perm;
}

bool turns_matrices(const Operator& op, std::size_t rank) {
  return op.type == "Transpose" && rank >= 2 && attribute(op, "perm", std::vector<std::int64_t>{}) == turning(rank);
}

/// With `dim` in two, the second one of `times`.
Shape split(Shape shape, std::size_t dim, std::int64_t times) {
  shape[dim] /= times;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim) + 1, times);
  return shape;
}

/// What is done element by element, or along rows, with its operands broadcast.
bool may_be_split(const Operator& op, std::size_t rank) {
  if (op.type == "Softmax") {
    const auto axis = attribute(op, "axis", std::int64_t{-1});
    return axis == -1 || axis == static_cast<std::int64_t>(rank) - 1;
  }
  return op.type == "Clip" || op.type == "Identity" || op.type == "Mul" || op.type == "Div" || op.type == "Add" ||
         op.type == "Sub" || op.type == "Where";
}

class Sharing {
 public:
  explicit Sharing(Network& network) : network_(network), index_(network) {}

  void run() {
    for (const Operator& op : network_.operators) {
      const auto factor = op.type == "MatMul" ? repeated_factor(op) : std::nullopt;
      if (factor)
        multiply(op, *factor);
      else if (!follow(op))
        operators_.push_back(op);
    }
    network_.operators = std::move(operators_);
  }

 private:
  /// A tensor's elements with one of its dimensions in two.
  struct Split {
    TensorId id = no_tensor;
    std::size_t dim = 0;
    std::int64_t times = 1;
  };

  const Shape& shape(TensorId id) const { return network_.tensor(id).shape; }

  const Operator* producer(TensorId id) const {
    const int at = index_.producer(id);
    return at < 0 ? nullptr : &network_.operators[static_cast<std::size_t>(at)];
  }

  std::optional<Repeated> repeated_factor(const Operator& product) const {
    Repeated result;
    const Shape& whole = shape(product.inputs[1]);
    const Operator* op = producer(product.inputs[1]);
    if (op != nullptr && turns_matrices(*op, whole.size())) {
      result.turned = true;
      op = producer(op->inputs[0]);
    }
    if (op == nullptr || op->type != "Reshape") return std::nullopt;
    const Shape& merged = shape(op->outputs[0]);
    op = producer(op->inputs[0]);
    if (op == nullptr || (op->type != "Expand" && op->type != "Tile")) return std::nullopt;
    const Shape& all = shape(op->outputs[0]);
    const auto axis = repeated_axis(shape(op->inputs[0]), all);
    if (!axis || *axis == 0 || *axis + 3 != all.size()) return std::nullopt;
    if (merged.size() + 1 != all.size() || split(merged, *axis - 1, all[*axis]) != all) return std::nullopt;
    const Shape& first = shape(product.inputs[0]);
    if (first.size() != merged.size() || first[*axis - 1] != merged[*axis - 1]) return std::nullopt;
    result.once = op->inputs[0];
    result.axis = *axis;
    result.times = all[*axis];
    return result;
  }

  /// The factor for the groups, whose repeated dimension is there again after what turns its matrices: two turns with
  /// nothing between them are one.
  TensorId factor_of(const Repeated& factor, OperatorList& list) const {
    if (!factor.turned) return factor.once;
    const auto without = [&](Shape all) {
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(factor.axis));
      return all;
    };
    Shape turned = shape(factor.once);
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    const Operator* op = producer(factor.once);
    const bool adds_it = op != nullptr && (op->type == "Unsqueeze" || op->type == "Reshape") &&
                         shape(op->inputs[0]) == without(shape(factor.once));
    const TensorId base = adds_it ? op->inputs[0] : list.reshape("groups", factor.once, without(shape(factor.once)));
    const TensorId matrices =
        list.move("Transpose", "turned", {base}, without(turned), {{"perm", turning(turned.size() - 1)}});
    return list.reshape("once", matrices, turned);
  }

  void multiply(const Operator& op, const Repeated& factor) {
    OperatorList list(network_, op.name, operators_);
    const Split as{no_tensor, factor.axis - 1, factor.times};
    const TensorId once = factor_of(factor, list);
    write(op, {in_two(op.inputs[0], shape(op.outputs[0]).size(), as, "split", list), once}, as, list);
  }

  /// The same of what is done with a split tensor, so that no reshaping stands between.
  bool follow(const Operator& op) {
    if (op.outputs.size() != 1 || !may_be_split(op, shape(op.outputs[0]).size())) return false;
    const auto known = std::ranges::find_if(
        op.inputs, [&](TensorId id) { return splits_.contains(id) && shape(id) == shape(op.outputs[0]); });
    if (known == op.inputs.end()) return false;
    const Split as = splits_.at(*known);
    OperatorList list(network_, op.name, operators_);
    std::vector<TensorId> inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      inputs.push_back(in_two(op.inputs[i], shape(op.outputs[0]).size(), as, "split" + std::to_string(i), list));
    write(op, std::move(inputs), as, list);
    return true;
  }

  /// An operand that broadcasts to results of that rank, for them in two.
  TensorId in_two(TensorId id, std::size_t rank, const Split& as, const std::string& what, OperatorList& list) const {
    const auto known = splits_.find(id);
    if (known != splits_.end() && known->second.dim == as.dim && known->second.times == as.times)
      return known->second.id;
    const std::size_t missing = rank - shape(id).size();
    if (missing > as.dim) return id;
    const std::int64_t times = shape(id)[as.dim - missing] == 1 ? 1 : as.times;
    return list.in_shape(what, id, split(shape(id), as.dim - missing, times));
  }

  void write(const Operator& op, std::vector<TensorId> inputs, Split as, OperatorList& list) {
    const TensorId y = op.outputs[0];
    auto attributes = op.attributes;
    if (op.type == "Softmax") attributes["axis"] = static_cast<std::int64_t>(shape(y).size());
    as.id = list.add_typed(network_.tensor(y).type, op.type, "in_groups", std::move(inputs),
                           split(shape(y), as.dim, as.times), std::move(attributes));
    if (const auto& known = network_.tensor(y).quantisation; known && known->axis < 0)
      network_.tensor(as.id).quantisation = known;
    list.reshape("", as.id, shape(y), y);
    splits_[y] = as;
  }

  Network& network_;
  GraphIndex index_;
  std::vector<Operator> operators_;
  std::map<TensorId, Split> splits_;  ///< of what is written so far, those that are there in two, too
};

}  // namespace

void share_repeated(Network& network) { Sharing(network).run(); }

}  // namespace accord

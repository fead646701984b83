// y = x * scale + shift per channel: BatchNormalization and constant Mul and Add are brought to this one form, chains
// of it are composed, and what follows a Conv or Gemm goes into its weights.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "compiler/network/constants.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Numbers = std::vector<double>;

/// scale and shift hold one number, or one per index of `axis`.
struct Affine {
  std::size_t axis = 0;
  Numbers scale = {1};
  Numbers shift = {0};
  bool per_channel() const { return scale.size() > 1 || shift.size() > 1; }
};

double at(const Numbers& values, std::size_t i) { return values.size() == 1 ? values[0] : values[i]; }

Numbers combine(const Numbers& a, const Numbers& b, double (*function)(double, double)) {
  Numbers result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(at(a, i), at(b, i));
  return result;
}

/// second(first(x)); nullopt if they run along different axes.
std::optional<Affine> compose(const Affine& first, const Affine& second) {
  if (first.per_channel() && second.per_channel() && first.axis != second.axis) return std::nullopt;
  const auto multiply = [](double a, double b) { return a * b; };
  const auto add = [](double a, double b) { return a + b; };
  Affine both;
  both.axis = second.per_channel() ? second.axis : first.axis;
  both.scale = combine(first.scale, second.scale, multiply);
  both.shift = combine(combine(first.shift, second.scale, multiply), second.shift, add);
  return both;
}

std::optional<Affine> affine_of_normalization(const Network& network, const Operator& op) {
  for (std::size_t i = 1; i < 5; ++i) {
    if (!is_float_constant(network, op.inputs[i])) return std::nullopt;
  }
  const auto variance = numbers_of(network.tensor(op.inputs[4]));
  const auto mean = numbers_of(network.tensor(op.inputs[3]));
  const auto epsilon = attribute(op, "epsilon", 1e-5);
  Affine affine{1, numbers_of(network.tensor(op.inputs[1])), numbers_of(network.tensor(op.inputs[2]))};
  for (std::size_t i = 0; i < variance.size(); ++i) {
    affine.scale[i] /= std::sqrt(variance[i] + epsilon);
    affine.shift[i] -= mean[i] * affine.scale[i];
  }
  return affine;
}

/// The constant's one axis longer than 1, seen from the result; nullopt if there are several or it enlarges x.
std::optional<std::size_t> channel_axis(const Shape& constant, const Shape& x) {
  if (constant.size() > x.size()) return std::nullopt;
  const auto missing = x.size() - constant.size();
  std::optional<std::size_t> axis;
  for (std::size_t d = 0; d < constant.size(); ++d) {
    if (constant[d] == 1) continue;
    if (axis || constant[d] != x[missing + d]) return std::nullopt;
    axis = missing + d;
  }
  return axis.value_or(0);
}

std::optional<Affine> affine_of(const Network& network, const Operator& op) {
  if (op.type == "BatchNormalization") return affine_of_normalization(network, op);
  if ((op.type != "Add" && op.type != "Mul") || !is_float_constant(network, op.inputs[1])) return std::nullopt;
  const auto& constant = network.tensor(op.inputs[1]);
  const auto axis = channel_axis(constant.shape, network.tensor(op.inputs[0]).shape);
  if (!axis || network.tensor(op.inputs[0]).is_constant()) return std::nullopt;
  Affine affine;
  affine.axis = *axis;
  (op.type == "Mul" ? affine.scale : affine.shift) = numbers_of(constant);
  return affine;
}

bool has_foldable_weights(const Network& network, const Operator& op) {
  if (op.type != "Conv" && op.type != "Gemm") return false;
  if (op.inputs.size() > 2 && !is_float_constant(network, op.inputs[2])) return false;
  return is_float_constant(network, op.inputs[1]);
}

/// The axis of the result along which the rows of the weights lie.
std::size_t row_axis(const Network& network, const Operator& op) {
  return op.type == "Conv" ? 1 : network.tensor(op.outputs[0]).shape.size() - 1;
}

/// Rows times their scales.
Tensor scaled_rows(const Tensor& weights, const Numbers& scale) {
  const auto count = count_of(weights.shape);
  const auto rows = static_cast<std::size_t>(weights.shape[0]);
  const auto length = count / rows;
  const std::byte* from = weights.data->unaligned().data();
  auto scaled = std::make_unique_for_overwrite<float[]>(count);
  std::memcpy(scaled.get(), from, count * sizeof(float));
  for (std::size_t r = 0; r < rows; ++r) {
    const double factor = at(scale, r);
    float* row = scaled.get() + r * length;
    for (std::size_t i = 0; i < length; ++i) row[i] = static_cast<float>(row[i] * factor);
  }
  return {weights.name, ElementType::fp32, weights.shape, owned(std::move(scaled), count), std::nullopt};
}

bool all_equal(const Numbers& values, double value) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
}

void scale_weights(Network& network, Operator& op, const Affine& affine) {
  const auto rows = static_cast<std::size_t>(network.tensor(op.inputs[1]).shape[0]);
  const auto bias = op.inputs.size() > 2 ? numbers_of(network.tensor(op.inputs[2])) : Numbers{0};
  std::vector<float> shifted(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    shifted[r] = static_cast<float>(at(bias, r) * at(affine.scale, r) + at(affine.shift, r));
  }
  if (!all_equal(affine.scale, 1))
    op.inputs[1] = network.add(scaled_rows(Tensor(network.tensor(op.inputs[1])), affine.scale));
  op.inputs.resize(2);
  op.inputs.push_back(network.add(make_constant(op.name + ".bias", {std::ssize(shifted)}, shifted)));
}

TensorId add_channel_constant(Network& network, const std::string& name, const Numbers& values, std::size_t trailing) {
  Shape shape;
  if (values.size() > 1) {
    shape.assign(trailing + 1, 1);
    shape[0] = std::ssize(values);
  }
  return network.add(make_constant(name, shape, std::vector<float>(values.begin(), values.end())));
}

/// `into`: the operators into whose weights it folds; empty: any that can, and chains of what follows no weights are
/// composed.
class AffineFolding {
 public:
  AffineFolding(Network& network, std::string into) : network_(network), index_(network), into_(std::move(into)) {}

  void run() {
    for (auto& op : network_.operators) visit(std::move(op));
    network_.operators.clear();
    for (std::size_t i = 0; i < kept_.size(); ++i) emit(i);
  }

 private:
  /// What an operator does beside its own work, and the operators that said so (itself included, if it is affine).
  struct Pending {
    Affine affine;
    std::vector<Operator> parts;
  };

  void visit(Operator op) {
    auto affine = affine_of(network_, op);
    if (affine && join(op, *affine)) return;
    const auto place = kept_.size();
    for (const auto id : op.outputs) producers_[id] = place;
    if (affine && into_.empty()) pending_[place] = {*std::move(affine), {op}};
    kept_.push_back(std::move(op));
  }

  /// Lets the operator that gives op's input do op's work too.
  bool join(const Operator& op, const Affine& affine) {
    const auto found = producers_.find(op.inputs[0]);
    if (found == producers_.end() || index_.uses(op.inputs[0]) != 1) return false;
    const auto place = found->second;
    auto& before = kept_[place];
    const bool weights = has_foldable_weights(network_, before) && (into_.empty() || before.type == into_);
    if (!weights && !pending_.contains(place)) return false;
    if (weights && affine.per_channel() && affine.axis != row_axis(network_, before)) return false;
    const auto both = compose(pending_[place].affine, affine);
    if (!both) return false;
    pending_[place].affine = *both;
    pending_[place].parts.push_back(op);
    before.outputs[0] = op.outputs[0];
    producers_[op.outputs[0]] = place;
    return true;
  }

  /// One Mul, one Add, or a Mul and an Add: there is nothing to gain.
  static bool is_simple(const std::vector<Operator>& parts) {
    if (parts.size() == 1) return parts[0].type != "BatchNormalization";
    return parts.size() == 2 && parts[0].type == "Mul" && parts[1].type == "Add";
  }

  void emit(std::size_t place) {
    auto& op = kept_[place];
    const auto found = pending_.find(place);
    auto& operators = network_.operators;
    if (found == pending_.end()) {
      operators.push_back(std::move(op));
    } else if (has_foldable_weights(network_, op)) {
      scale_weights(network_, op, found->second.affine);
      operators.push_back(std::move(op));
    } else if (is_simple(found->second.parts)) {
      for (auto& part : found->second.parts) operators.push_back(std::move(part));
    } else {
      emit_affine(op, found->second.affine);
    }
  }

  void emit_affine(const Operator& op, const Affine& affine) {
    const auto y = network_.tensor(op.outputs[0]);
    const auto trailing = y.shape.size() - 1 - (affine.per_channel() ? affine.axis : 0);
    const bool shifts = !all_equal(affine.shift, 0);
    const bool scales = !all_equal(affine.scale, 1) || !shifts;
    auto x = op.inputs[0];
    if (scales) {
      const auto factor = add_channel_constant(network_, op.name + ".scale", affine.scale, trailing);
      auto scaled = op.outputs[0];
      if (shifts) scaled = network_.add({op.name + ".scaled", y.type, y.shape, nullptr, std::nullopt});
      network_.operators.push_back({shifts ? op.name + ".mul" : op.name, "Mul", {x, factor}, {scaled}, {}});
      x = scaled;
    }
    if (shifts) {
      const auto offset = add_channel_constant(network_, op.name + ".shift", affine.shift, trailing);
      network_.operators.push_back({op.name, "Add", {x, offset}, {op.outputs[0]}, {}});
    }
  }

  Network& network_;
  GraphIndex index_;
  const std::string into_;
  std::vector<Operator> kept_;
  std::map<TensorId, std::size_t> producers_;  ///< place in kept_
  std::map<std::size_t, Pending> pending_;     ///< by place in kept_
};

}  // namespace

void fold_affine(Network& network) { AffineFolding(network, "").run(); }

void fold_affine_into_convs(Network& network) { AffineFolding(network, "Conv").run(); }

}  // namespace accord

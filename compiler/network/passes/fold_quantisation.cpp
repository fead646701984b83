// Quantised models become float networks that remember their scales: QLinear operators are written as DequantizeLinear,
// the float operator and QuantizeLinear; constants are dequantised; a pair of QuantizeLinear and DequantizeLinear
// leaves a Clip to what its type holds, and with the tensor its scale and its zero point in a signed type of as many
// bits. Pairs whose parameters vary stay operators.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "archdsl/tensor/convert.h"
#include "compiler/network/constants.h"
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

/// Scale and zero point of a quantised tensor: tensors of the network.
struct Parameters {
  TensorId scale = no_tensor;
  TensorId zero = no_tensor;
};

/// Operators that only move what they read (or choose among it), so that they commute with quantisation.
bool moves(const Operator& op) {
  for (const auto* type : {"MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Identity"}) {
    if (op.type == type) return op.outputs.size() == 1;
  }
  return false;
}

constexpr double most_zero = 1 << 16;  // of what two bytes hold

/// Between which a tensor's values lie.
struct Bounds {
  double low = 0, high = 0;
};

/// What a quantised type holds, as the model reads it.
struct Range {
  double scale = 1, zero = 0;
  ElementType type;

  Bounds bounds() const { return {scale * (lowest(type) - zero), scale * (highest(type) - zero)}; }

  /// Whether each number of this range is one of the other.
  bool on_grid_of(const Range& other) const {
    return scale == other.scale && bounds().low >= other.bounds().low && bounds().high <= other.bounds().high;
  }

  Quantisation quantisation() const {
    const double reach = std::max(zero - lowest(type), highest(type) - zero);
    return {
        {static_cast<float>(scale)}, -1, static_cast<int>(zero - middle_of(type)), static_cast<std::int64_t>(reach)};
  }
};

class QuantisationFolding {
 public:
  explicit QuantisationFolding(Network& network) : network_(network) {}

  void run() {
    expand();
    drop_pairs();
  }

 private:
  bool is_constant(TensorId id) const { return id != no_tensor && network_.tensor(id).is_constant(); }

  /// QLinear operators, and movers of quantised tensors, in terms of float operators.
  void expand() {
    std::vector<Operator> operators;
    for (auto& op : network_.operators) {
      if (op.type == "QLinearConv") {
        expand_product(op, "Conv", operators);
      } else if (op.type == "QLinearMatMul") {
        expand_product(op, "MatMul", operators);
      } else if (moves(op) && quantised_.contains(op.inputs[0])) {
        expand_mover(op, operators);
      } else {
        if (op.type == "QuantizeLinear" && element_count(network_.tensor(op.inputs[1]).shape) == 1) {
          quantised_[op.outputs[0]] = {op.inputs[1], op.inputs.size() > 2 ? op.inputs[2] : no_tensor};
        }
        operators.push_back(std::move(op));
      }
    }
    network_.operators = std::move(operators);
  }

  TensorId dequantise(OperatorList& list, const std::string& what, TensorId x, Parameters by, std::int64_t axis) {
    std::vector<TensorId> inputs = {x, by.scale};
    if (by.zero != no_tensor) inputs.push_back(by.zero);
    return list.add("DequantizeLinear", what, inputs, network_.tensor(x).shape, {{"axis", axis}});
  }

  void quantise(OperatorList& list, TensorId x, Parameters by, TensorId result) {
    std::vector<TensorId> inputs = {x, by.scale};
    if (by.zero != no_tensor) inputs.push_back(by.zero);
    list.add("QuantizeLinear", "quantise", inputs, network_.tensor(x).shape, {}, result);
    quantised_[result] = by;
  }

  /// Inputs: x, its scale and zero point, w and its, those of y, then the bias in units of both scales' product.
  void expand_product(const Operator& op, const char* type, std::vector<Operator>& operators) {
    OperatorList list(network_, op.name, operators);
    const auto& in = op.inputs;
    const bool conv = op.type == "QLinearConv";
    const std::int64_t axis = conv ? 0 : std::ssize(network_.tensor(in[3]).shape) - 1;
    std::vector<TensorId> inputs = {dequantise(list, "x", in[0], {in[1], in[2]}, 0),
                                    dequantise(list, "w", in[3], {in[4], in[5]}, axis)};
    if (in.size() > 8 && in[8] != no_tensor) inputs.push_back(bias(list, op));
    const auto y = list.add(type, "", inputs, network_.tensor(op.outputs[0]).shape, op.attributes);
    quantise(list, y, {in[6], in[7]}, op.outputs[0]);
  }

  TensorId bias(OperatorList& list, const Operator& op) {
    const bool known = is_constant(op.inputs[1]) && is_constant(op.inputs[4]) && is_constant(op.inputs[8]);
    return known ? constant_bias(list, op) : computed_bias(list, op);
  }

  TensorId computed_bias(OperatorList& list, const Operator& op) {
    const Shape &x = network_.tensor(op.inputs[1]).shape, &w = network_.tensor(op.inputs[4]).shape;
    const TensorId scale =
        list.add("Mul", "bias_scale", {op.inputs[1], op.inputs[4]}, w.size() < x.size() ? Shape(x) : Shape(w));
    return dequantise(list, "bias", op.inputs[8], {scale, no_tensor}, 0);
  }

  TensorId constant_bias(OperatorList& list, const Operator& op) {
    const Shape shape = network_.tensor(op.inputs[8]).shape;
    const auto x_scale = numbers_of(network_.tensor(op.inputs[1])), w_scale = numbers_of(network_.tensor(op.inputs[4]));
    const auto integers = numbers_of(network_.tensor(op.inputs[8]));
    std::vector<float> values(integers.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(integers[i] * x_scale[0] * w_scale[w_scale.size() == 1 ? 0 : i]);
    }
    return list.constant("bias", shape, values);
  }

  void expand_mover(const Operator& op, std::vector<Operator>& operators) {
    OperatorList list(network_, op.name, operators);
    const Parameters by = quantised_.at(op.inputs[0]);
    const auto x = dequantise(list, "x", op.inputs[0], by, 0);
    quantise(list, list.add(op.type, "", {x}, network_.tensor(op.outputs[0]).shape, op.attributes), by, op.outputs[0]);
  }

  /// Constant scales and zero points of a QuantizeLinear or DequantizeLinear; none where one of both is computed.
  struct Numbers {
    std::vector<double> scale, zero = {0};
  };
  std::optional<Numbers> numbers(const Operator& op) const {
    const bool has_zero = op.inputs.size() > 2;
    if (!is_constant(op.inputs[1]) || (has_zero && !is_constant(op.inputs[2]))) return std::nullopt;
    Numbers found{numbers_of(network_.tensor(op.inputs[1]))};
    if (has_zero) found.zero = numbers_of(network_.tensor(op.inputs[2]));
    return found;
  }

  void drop_pairs() {
    std::vector<Operator> operators;
    std::map<TensorId, Operator> quantisers;  // by result
    for (auto& op : network_.operators) {
      for (auto& id : op.inputs) {
        if (const auto found = forwarded_.find(id); found != forwarded_.end()) id = found->second;
      }
      if (op.type == "DequantizeLinear" && fold_constant(op)) continue;
      if (op.type == "QuantizeLinear") quantisers[op.outputs[0]] = op;
      if (moves(op) && ranges_.contains(op.inputs[0])) ranges_.emplace(op.outputs[0], ranges_.at(op.inputs[0]));
      const auto pair = op.type == "DequantizeLinear" ? quantisers.find(op.inputs[0]) : quantisers.end();
      if (pair != quantisers.end() && same_parameters(pair->second, op)) {
        const auto x = pair->second.inputs[0];
        const auto range = range_of(op, network_.tensor(op.inputs[0]).type);
        if (range && remember(x, *range)) {
          remember(op.outputs[0], *range);  // it may take the place of x
          put(saturation(op, x, *range), pair->second, operators);
          continue;
        }
      }
      remember_alone(op);
      make_scalars(op, operators);
      operators.push_back(std::move(op));
    }
    network_.operators = std::move(operators);
  }

  /// The saturation stands before the quantiser, which reads its result from then on, as other pairs of it do: what
  /// gives x has no other reader, and may do both.
  static void put(Operator saturation, Operator& quantiser, std::vector<Operator>& operators) {
    if (saturation.type != "Clip") {
      operators.push_back(std::move(saturation));
      return;
    }
    const auto place = std::ranges::find(operators, quantiser.outputs, &Operator::outputs);
    place->inputs[0] = quantiser.inputs[0] = saturation.outputs[0];
    operators.insert(place, std::move(saturation));
  }

  /// What integers of the model's inputs and outputs stand for.
  void remember_alone(const Operator& op) {
    const bool quantises = op.type == "QuantizeLinear";
    if (!quantises && op.type != "DequantizeLinear") return;
    const TensorId real = quantises ? op.inputs[0] : op.outputs[0], stored = quantises ? op.outputs[0] : op.inputs[0];
    if (const auto range = range_of(op, network_.tensor(stored).type)) remember(real, *range);
  }

  /// One scale and zero point, known, of the operator's integers.
  std::optional<Range> range_of(const Operator& op, ElementType type) const {
    const auto by = numbers(op);
    if (!by || by->scale.size() != 1 || by->zero.size() != 1 || std::abs(by->zero[0]) > most_zero) return std::nullopt;
    return Range{by->scale[0], by->zero[0], type};
  }

  /// What the pair does to values beyond the type's: nothing where they are the same integers already.
  Operator saturation(const Operator& dequantise, TensorId x, const Range& range) {
    const TensorId y = dequantise.outputs[0];
    const auto known = ranges_.find(x);
    if (known != ranges_.end() && known->second.on_grid_of(range)) {
      forwarded_[y] = x;
      return {dequantise.name, "Identity", {x}, {y}, {}};
    }
    ranges_[y] = range;
    const Bounds bounds = range.bounds();
    return {dequantise.name,
            "Clip",
            {x},
            {y},
            {{"min", bounds.low}, {"max", bounds.high}, {rounds_attribute, std::int64_t{1}}}};
  }

  bool same_parameters(const Operator& a, const Operator& b) const {
    for (std::size_t i = 1; i < 3; ++i) {
      const auto id_of = [&](const Operator& op) { return op.inputs.size() > i ? op.inputs[i] : no_tensor; };
      const auto first = id_of(a), second = id_of(b);
      if (first == second) continue;
      if (!is_constant(first) || !is_constant(second)) return false;
      if (numbers_of(network_.tensor(first)) != numbers_of(network_.tensor(second))) return false;
    }
    return true;
  }

  bool remember(TensorId x, const Range& range) {
    auto& tensor = network_.tensor(x);
    if (tensor.is_constant() || tensor.type != ElementType::fp32) return false;
    const Quantisation quantisation = range.quantisation();
    const auto& known = tensor.quantisation;
    if (known && !same_integers(*known, quantisation)) return false;
    tensor.quantisation = quantisation;
    return true;
  }

  bool fold_constant(const Operator& op) {
    const auto by = is_constant(op.inputs[0]) ? numbers(op) : std::nullopt;
    if (!by) return false;
    const auto& x = network_.tensor(op.inputs[0]);
    const auto& scale = by->scale;
    auto zero = by->zero;
    zero.resize(scale.size(), zero[0]);
    std::int64_t inner = 1;
    const auto axis = static_cast<std::size_t>(attribute(op, "axis", std::int64_t{1}));
    for (std::size_t d = axis + 1; d < x.shape.size(); ++d) inner *= x.shape[d];
    const auto integers = numbers_of(x);
    std::vector<float> values(integers.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto c = scale.size() == 1 ? 0 : i / static_cast<std::size_t>(inner) % scale.size();
      values[i] = static_cast<float>(integers[i] - zero[c]) * static_cast<float>(scale[c]);
    }
    const bool integers_of_bias = x.type == ElementType::i32;
    auto& y = network_.tensor(op.outputs[0]);
    y.data = make_constant("", y.shape, values).data;
    if (integers_of_bias) return true;
    // Less their zero points they are integers of the same scales.
    y.quantisation = Quantisation{{scale.begin(), scale.end()}, scale.size() == 1 ? -1 : static_cast<int>(axis)};
    return true;
  }

  /// One number stands for all elements whatever rank it was given.
  void make_scalars(Operator& op, std::vector<Operator>& operators) {
    if (op.type != "QuantizeLinear" && op.type != "DequantizeLinear") return;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == no_tensor) continue;
      auto scalar = network_.tensor(op.inputs[i]);
      if (element_count(scalar.shape) != 1 || scalar.shape.empty()) continue;
      scalar.shape.clear();
      const auto id = network_.add(scalar);
      if (!scalar.is_constant()) operators.push_back({network_.tensor(id).name, "Reshape", {op.inputs[i]}, {id}, {}});
      op.inputs[i] = id;
    }
  }

  Network& network_;
  std::map<TensorId, Parameters> quantised_;  ///< those with one scale
  std::map<TensorId, TensorId> forwarded_;
  std::map<TensorId, Range> ranges_;  ///< of what came out of a pair
};

}  // namespace

void fold_quantisation(Network& network) {
  const auto quantised = [](const Operator& op) {
    return op.type == "QuantizeLinear" || op.type == "DequantizeLinear" || op.type.starts_with("QLinear");
  };
  for (const auto& op : network.operators) {
    if (quantised(op)) return QuantisationFolding(network).run();
  }
}

}  // namespace accord

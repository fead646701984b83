// Normalisations and the activations around them become the chains that exporters write before the opsets that have
// them.
#include <cmath>
#include <numeric>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// Writes the chain of one operator.
class Chain {
 public:
  Chain(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators), x_(op.inputs[0]) {}

  void layer_normalization() {
    const auto axes = last_axes();
    const auto bias = op_.inputs.size() > 2 ? op_.inputs[2] : no_tensor;
    scale_and_shift(normal(x_, axes), op_.inputs[1], bias);
  }

  void rms_normalization() {
    const auto root = root_of_mean_square(x_, last_axes());
    scale_and_shift(list_.binary("Div", "normal", x_, root), op_.inputs[1], no_tensor);
  }

  void instance_normalization() {
    Shape per_channel(list_.shape(x_).size() - 1, 1);
    per_channel[0] = list_.shape(x_)[1];
    scale_and_shift(normal(x_, axes_from(2)), list_.in_shape("scale", op_.inputs[1], per_channel),
                    list_.in_shape("bias", op_.inputs[2], per_channel));
  }

  void group_normalization() {
    const auto shape = list_.shape(x_);
    const auto groups = attribute(op_, "num_groups", std::int64_t{1});
    const auto parameters = element_count(list_.shape(op_.inputs[1]));
    const auto x = list_.reshape("groups", x_, {shape[0], groups, element_count(shape) / shape[0] / groups});
    const auto y = normal(x, {2});
    // One parameter per group: the product is that of the groups, else that of the channels.
    const bool by_group = parameters == groups;
    Shape line = by_group ? Shape{groups, 1} : Shape(shape.size() - 1, 1);
    line[0] = parameters;
    const auto scale = list_.in_shape("scale", op_.inputs[1], line), bias = list_.in_shape("bias", op_.inputs[2], line);
    if (!by_group) return scale_and_shift(list_.reshape("channels", y, shape), scale, bias);
    list_.reshape("", list_.binary("Add", "shifted", list_.binary("Mul", "scaled", y, scale), bias), shape,
                  op_.outputs[0]);
  }

  void lp_normalization() {
    const auto axis = attribute(op_, "axis", std::int64_t{-1});
    const char* type = attribute(op_, "p", std::int64_t{2}) == 1 ? "ReduceL1" : "ReduceL2";
    list_.binary("Div", "", x_, reduced(type, "norm", x_, {axis < 0 ? axis + std::ssize(list_.shape(x_)) : axis}),
                 op_.outputs[0]);
  }

  /// x / 2 * (1 + erf(x / sqrt 2)), or with the hyperbolic tangent in place of erf.
  void gelu() {
    const bool exact = attribute(op_, "approximate", std::string("none")) != "tanh";
    const auto curve = exact ? list_.unary("Erf", "erf", times("argument", x_, std::sqrt(0.5F))) : tanh_curve();
    const auto sum = list_.binary("Add", "shifted", curve, list_.scalar("one", 1));
    list_.binary("Mul", "", list_.binary("Mul", "product", x_, sum), list_.scalar("half", 0.5F), op_.outputs[0]);
  }

  void mish() {
    const auto tanh = list_.unary("Tanh", "tanh", list_.unary("Softplus", "softplus", x_));
    list_.binary("Mul", "", x_, tanh, op_.outputs[0]);
  }

 private:
  Integers axes_from(std::int64_t first) const {
    Integers axes(list_.shape(x_).size() - static_cast<std::size_t>(first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
  }

  Integers last_axes() const {
    const auto first = attribute(op_, "axis", std::int64_t{-1});
    return axes_from(first < 0 ? first + std::ssize(list_.shape(x_)) : first);
  }

  TensorId reduced(const char* type, const char* what, TensorId x, const Integers& axes) {
    auto line = list_.shape(x);
    for (const auto axis : axes) line[static_cast<std::size_t>(axis)] = 1;
    return list_.add(type, what, {x}, line, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  }

  /// sqrt(mean(x * x) + epsilon)
  TensorId root_of_mean_square(TensorId x, const Integers& axes) {
    const auto variance = reduced("ReduceMean", "variance", list_.binary("Mul", "square", x, x), axes);
    const auto epsilon = list_.scalar("epsilon", static_cast<float>(attribute(op_, "epsilon", 1e-5)));
    return list_.unary("Sqrt", "deviation", list_.binary("Add", "shifted_variance", variance, epsilon));
  }

  TensorId normal(TensorId x, const Integers& axes) {
    const auto centred = list_.binary("Sub", "centred", x, reduced("ReduceMean", "mean", x, axes));
    return list_.binary("Div", "normal", centred, root_of_mean_square(centred, axes));
  }

  void scale_and_shift(TensorId x, TensorId scale, TensorId bias) {
    const auto y = op_.outputs[0];
    const auto scaled = list_.binary("Mul", "scaled", x, scale, bias == no_tensor ? y : no_tensor);
    if (bias != no_tensor) list_.binary("Add", "", scaled, bias, y);
  }

  TensorId times(const char* what, TensorId x, float factor) {
    return list_.binary("Mul", what, x, list_.scalar(std::string(what) + "_factor", factor));
  }

  /// tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))
  TensorId tanh_curve() {
    const auto cube = times("cubic", list_.binary("Mul", "square", x_, x_), 0.044715F);
    const auto inner = list_.binary("Mul", "sum", x_, list_.binary("Add", "bracket", cube, list_.scalar("one_in", 1)));
    return list_.unary("Tanh", "tanh", times("argument", inner, std::sqrt(2 / std::acos(-1.0F))));
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
  TensorId x_;
};

using Expansion = void (Chain::*)();

const std::map<std::string, Expansion>& expansions() {
  static const std::map<std::string, Expansion> table = {
      {"LayerNormalization", &Chain::layer_normalization},
      {"RMSNormalization", &Chain::rms_normalization},
      {"InstanceNormalization", &Chain::instance_normalization},
      {"GroupNormalization", &Chain::group_normalization},
      {"LpNormalization", &Chain::lp_normalization},
      {"Gelu", &Chain::gelu},
      {"Mish", &Chain::mish},
  };
  return table;
}

}  // namespace

void expand_normalisations(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (const auto found = expansions().find(op.type); found != expansions().end()) {
      Chain chain(network, op, operators);
      (chain.*found->second)();
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

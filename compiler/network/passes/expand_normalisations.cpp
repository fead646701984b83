// Normalisations and the activations around them become the chains that exporters write before the opsets that have
// them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/network/constants.h"
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
    const auto bias = op_.inputs.size() > 2 ? op_.inputs[2] : no_tensor;
    scale_and_shift(normal({last_axes()}), op_.inputs[1], bias);
  }

  void rms_normalization() {
    const auto root = root_of_mean_square(x_, {last_axes()});
    scale_and_shift(list_.binary("Div", "normal", x_, root), op_.inputs[1], no_tensor);
  }

  void instance_normalization() { by_channel({axes_from(2)}); }

  void group_normalization() {
    const auto groups = attribute(op_, "num_groups", std::int64_t{1});
    by_channel({axes_from(2), groups == list_.shape(x_)[1] ? 0 : groups});
  }

  /// Across channels: positions are as good in a plane.
  void local_response() {
    const Shape shape = list_.shape(x_);
    const Shape plane = {shape[0], shape[1], element_count(shape) / std::max<std::int64_t>(shape[0] * shape[1], 1), 1};
    const auto x = list_.reshape("plane", x_, plane);
    list_.reshape("", list_.add(op_.type, "of_plane", {x}, plane, op_.attributes), shape, op_.outputs[0]);
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

  /// What a mean is over.
  struct Over {
    Integers axes;
    std::int64_t groups = 0;  ///< and all channels of one of so many groups; 0: channels are apart, or among the axes
  };

  TensorId reduced(const char* type, const std::string& what, TensorId x, const Integers& axes) {
    auto line = list_.shape(x);
    for (const auto axis : axes) line[static_cast<std::size_t>(axis)] = 1;
    return list_.add(type, what, {x}, line, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  }

  /// By group, in steps: an image's channels lie side by side, so that means over the plane come first.
  TensorId mean(const std::string& what, TensorId x, const Over& over) {
    if (over.groups == 0) return reduced("ReduceMean", what, x, over.axes);
    const auto of_channels = over.axes.empty() ? x : reduced("ReduceMean", what + "_of_channels", x, over.axes);
    const auto& shape = list_.shape(of_channels);
    const auto groups = list_.reshape(what + "_groups", of_channels, {shape[0], over.groups, shape[1] / over.groups});
    return reduced("ReduceMean", what, groups, {2});
  }

  /// A group's value for each of its channels.
  TensorId spread(const std::string& what, TensorId value, const Over& over) {
    if (over.groups == 0) return value;
    return spread_groups(what, value, list_.shape(x_)[0], over.groups, axes_from(2).size());
  }

  TensorId spread_groups(const std::string& what, TensorId value, std::int64_t samples, std::int64_t groups,
                         std::size_t plane) {
    const auto channels = list_.shape(x_)[1];
    const auto all = list_.add("Expand", what + "_spread", {value}, {samples, groups, channels / groups});
    Shape line(plane + 2, 1);
    line[0] = samples;
    line[1] = channels;
    return list_.reshape(what + "_by_channel", all, line);
  }

  /// Each element of a constant so often.
  TensorId repeated(const std::string& what, TensorId constant, std::int64_t times) {
    const auto numbers = repeated_numbers(network_.tensor(constant), times);
    return list_.constant(what, {std::ssize(numbers)}, std::vector<float>(numbers.begin(), numbers.end()));
  }

  /// A parameter of each channel; there may be one of each group.
  TensorId of_channels(const std::string& what, TensorId parameter) {
    const auto plane = list_.shape(x_).size() - 2;
    const auto count = element_count(list_.shape(parameter)), channels = list_.shape(x_)[1];
    if (count != channels && !network_.tensor(parameter).is_constant())
      return spread_groups(what, list_.in_shape(what, parameter, {1, count, 1}), 1, count, plane);
    if (count != channels) parameter = repeated(what, parameter, channels / count);
    Shape line(plane + 1, 1);
    line[0] = channels;
    return list_.in_shape(what, parameter, line);
  }

  /// sqrt(mean(x * x) + epsilon)
  TensorId root_of_mean_square(TensorId x, const Over& over) {
    const auto variance = mean("variance", list_.binary("Mul", "square", x, x), over);
    const auto epsilon = list_.scalar("epsilon", static_cast<float>(attribute(op_, "epsilon", 1e-5)));
    const auto root = list_.unary("Sqrt", "deviation", list_.binary("Add", "shifted_variance", variance, epsilon));
    return spread("deviation", root, over);
  }

  TensorId normal(const Over& over) {
    const auto centred = list_.binary("Sub", "centred", x_, mean("mean", x_, over));
    return list_.binary("Div", "normal", centred, root_of_mean_square(centred, over));
  }

  /// Whole images see sums and products by channel alone, which most vector units have.
  void by_channel(const Over& over) {
    const auto below = list_.unary("Neg", "less", mean("mean", x_, over));
    const auto centred = list_.binary("Add", "centred", x_, spread("mean", below, over));
    const auto root = root_of_mean_square(centred, over);
    const auto scale = of_channels("scale", op_.inputs[1]);
    const auto factor = list_.add("Div", "factor", {scale, root}, joined(list_.shape(scale), list_.shape(root)));
    scale_and_shift(centred, factor, of_channels("bias", op_.inputs[2]));
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
    if (op.type == "LRN" && network.tensor(op.inputs[0]).shape.size() != 4) {
      Chain(network, op, operators).local_response();
    } else if (const auto found = expansions().find(op.type); found != expansions().end()) {
      Chain chain(network, op, operators);
      (chain.*found->second)();
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

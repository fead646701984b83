// Operators in terms of those that machines may have: TopK is the positions of its elements and what is found there,
// Hardmax compares positions with that of the maximum, norms over windows are means of powers, products are halved.
#include <cmath>
#include <numeric>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;
constexpr std::int64_t onnx_float = 1;  // TensorProto.FLOAT

/// Writes what one operator becomes.
class SelectionExpansion {
 public:
  SelectionExpansion(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators), x_(op.inputs[0]) {}

  void top_k() {
    const auto positions = output(1), values = output(0);
    const Shape shape = list_.shape(positions == no_tensor ? values : positions);
    const auto at =
        list_.add_typed(ElementType::i64, "TopPositions", "positions", {x_}, shape, op_.attributes, positions);
    if (values == no_tensor) return;
    list_.add_typed(type(), "GatherElements", "", {x_, at}, shape, {{"axis", attribute(op_, "axis", std::int64_t{-1})}},
                    values);
  }

  void hardmax() {
    const Shape shape = list_.shape(x_);
    const auto axis = axis_of(shape);
    Shape line = shape, along(shape.size(), 1);
    line[axis] = 1;
    along[axis] = shape[axis];
    Integers counted(static_cast<std::size_t>(shape[axis]));
    std::iota(counted.begin(), counted.end(), 0);
    const auto positions = network_.add(make_constant(op_.name + ".places", along, counted));
    const auto top = list_.add_typed(ElementType::i64, "ArgMax", "top", {x_}, line,
                                     {{"axis", static_cast<std::int64_t>(axis)}, {"keepdims", std::int64_t{1}}});
    const auto equal = list_.add_typed(ElementType::u8, "Equal", "equal", {top, positions}, shape);
    list_.add("Cast", "", {equal}, shape, {{"to", onnx_float}}, op_.outputs[0]);
  }

  void lp_pool() {
    auto window = op_.attributes;
    window.erase("p");
    window["count_include_pad"] = std::int64_t{1};
    const auto kernel = attribute(op_, "kernel_shape", Integers{});
    const auto count = std::accumulate(kernel.begin(), kernel.end(), 1.0, std::multiplies<>());
    const Shape shape = list_.shape(op_.outputs[0]);
    const auto mean = list_.add("AveragePool", "mean", {power()}, shape, window);
    root(list_.binary("Mul", "sum", mean, list_.scalar("count", static_cast<float>(count)), last_if(1)));
  }

  void global_lp_pool() {
    Integers axes(list_.shape(x_).size() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    root(list_.add("ReduceSum", "sum", {power()}, list_.shape(op_.outputs[0]),
                   {{"axes", axes}, {"keepdims", std::int64_t{1}}}, last_if(1)));
  }

  /// top + log(sum(exp(x - top)))
  void log_sum_exp() {
    const auto axes = axes_of();
    Shape line = list_.shape(x_);
    for (const auto axis : axes) line[static_cast<std::size_t>(axis)] = 1;
    const std::map<std::string, Attribute> kept = {{"axes", axes}, {"keepdims", std::int64_t{1}}};
    const auto top = list_.add("ReduceMax", "top", {x_}, line, kept);
    const auto powers = list_.unary("Exp", "powers", list_.binary("Sub", "below", x_, top));
    const auto log = list_.unary("Log", "log", list_.add("ReduceSum", "total", {powers}, line, kept));
    list_.reshape("", list_.binary("Add", "sum", log, top), list_.shape(op_.outputs[0]), op_.outputs[0]);
  }

  /// Both halves of an axis multiplied, until one element is left.
  void product() {
    auto y = x_;
    for (const auto axis : axes_of()) y = product_along(y, axis);
    list_.reshape("", y, list_.shape(op_.outputs[0]), op_.outputs[0]);
  }

 private:
  ElementType type() const { return network_.tensor(x_).type; }
  TensorId output(std::size_t i) const { return i < op_.outputs.size() ? op_.outputs[i] : no_tensor; }

  std::size_t axis_of(const Shape& shape) const {
    const auto axis = attribute(op_, "axis", std::int64_t{-1});
    return static_cast<std::size_t>(axis < 0 ? axis + std::ssize(shape) : axis);
  }

  Integers axes_of() const {
    Integers all(list_.shape(x_).size());
    std::iota(all.begin(), all.end(), 0);
    return attribute(op_, "axes", all);
  }

  TensorId product_along(TensorId x, std::int64_t axis) {
    const auto at = static_cast<std::size_t>(axis);
    const auto label = "axis" + std::to_string(axis);
    const auto times = [&](TensorId a, TensorId b) {
      return list_.add_typed(type(), "Mul", label + "_product", {a, b}, list_.shape(a));
    };
    TensorId odd = no_tensor;
    while (list_.shape(x)[at] > 1) {
      const auto extent = list_.shape(x)[at], half = extent / 2;
      if (extent % 2 != 0) {
        const auto last = list_.slice(label + "_last", x, axis, extent - 1, 1);
        odd = odd == no_tensor ? last : times(odd, last);
      }
      x = times(list_.slice(label + "_first", x, axis, 0, half), list_.slice(label + "_second", x, axis, half, half));
    }
    return odd == no_tensor ? x : times(x, odd);
  }

  std::int64_t order() const { return attribute(op_, "p", std::int64_t{2}); }
  TensorId last_if(std::int64_t p) const { return order() == p ? op_.outputs[0] : no_tensor; }

  /// |x|^p
  TensorId power() {
    if (order() == 2) return list_.binary("Mul", "square", x_, x_);
    const auto size = list_.unary("Abs", "size", x_);
    if (order() == 1) return size;
    return list_.binary("Pow", "power", size, list_.scalar("p", static_cast<float>(order())));
  }

  void root(TensorId sum) {
    if (order() == 1) return;
    if (order() == 2) {
      list_.unary("Sqrt", "", sum, op_.outputs[0]);
    } else {
      list_.binary("Pow", "", sum, list_.scalar("root", 1.0F / static_cast<float>(order())), op_.outputs[0]);
    }
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
  TensorId x_;
};

using ExpandSelection = void (SelectionExpansion::*)();

const std::map<std::string, ExpandSelection>& selection_expansions() {
  static const std::map<std::string, ExpandSelection> table = {
      {"TopK", &SelectionExpansion::top_k},
      {"Hardmax", &SelectionExpansion::hardmax},
      {"LpPool", &SelectionExpansion::lp_pool},
      {"GlobalLpPool", &SelectionExpansion::global_lp_pool},
      {"ReduceLogSumExp", &SelectionExpansion::log_sum_exp},
      {"ReduceProd", &SelectionExpansion::product},
  };
  return table;
}

}  // namespace

void expand_selection(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (const auto found = selection_expansions().find(op.type); found != selection_expansions().end()) {
      SelectionExpansion expansion(network, op, operators);
      (expansion.*found->second)();
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

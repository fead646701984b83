// Three-dimensional windows in terms of two-dimensional ones. A convolution reads the planes that lie under its window
// beside each other as channels, one image per plane of the result; a pool is one over planes and then one over depth.
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

class DepthExpansion {
 public:
  DepthExpansion(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators) {
    x_ = list_.shape(op.inputs[0]);
    y_ = list_.shape(op.outputs[0]);
    strides_ = attribute(op, "strides", Integers(3, 1));
    dilations_ = attribute(op, "dilations", Integers(3, 1));
    pads_ = attribute(op, "pads", Integers(6, 0));
  }

  void convolution() {
    const Tensor w = network_.tensor(op_.inputs[1]);
    kernel_ = {w.shape[2], w.shape[3], w.shape[4]};
    const auto images = y_[0] * y_[2];
    const auto x = list_.reshape("images", planes(), {images, x_[1] * kernel_[0], x_[3], x_[4]});
    auto inputs = op_.inputs;
    inputs[0] = x;
    inputs[1] = list_.in_shape("weights", op_.inputs[1], {w.shape[0], w.shape[1] * kernel_[0], w.shape[3], w.shape[4]});
    auto attributes = plane_window();
    attributes["group"] = attribute(op_, "group", std::int64_t{1});
    const auto y = list_.add("Conv", "plane", inputs, {images, y_[1], y_[3], y_[4]}, attributes);
    const auto split = list_.reshape("planes", y, {y_[0], y_[2], y_[1], y_[3], y_[4]});
    list_.add("Transpose", "", {split}, y_, {{"perm", depth_and_channels_}}, op_.outputs[0]);
  }

  void pool() {
    kernel_ = attribute(op_, "kernel_shape", Integers(3, 1));
    const auto x = list_.reshape("images", op_.inputs[0], {x_[0], x_[1] * x_[2], x_[3], x_[4]});
    const auto plane = list_.add(op_.type, "plane", {x}, {x_[0], x_[1] * x_[2], y_[3], y_[4]}, plane_window());
    const auto lines = list_.reshape("lines", plane, {x_[0] * x_[1], 1, x_[2], y_[3] * y_[4]});
    const auto y = list_.add(op_.type, "depth", {lines}, {x_[0] * x_[1], 1, y_[2], y_[3] * y_[4]},
                             window({kernel_[0], 1}, {strides_[0], 1}, {dilations_[0], 1}, {pads_[0], 0, pads_[3], 0}));
    list_.reshape("", y, y_, op_.outputs[0]);
  }

 private:
  std::map<std::string, Attribute> window(Integers kernel, Integers strides, Integers dilations, Integers pads) const {
    std::map<std::string, Attribute> attributes = {{"kernel_shape", std::move(kernel)},
                                                   {"strides", std::move(strides)},
                                                   {"dilations", std::move(dilations)},
                                                   {"pads", std::move(pads)}};
    if (op_.type != "Conv") {
      attributes["count_include_pad"] = attribute(op_, "count_include_pad", std::int64_t{0});
    }
    return attributes;
  }

  std::map<std::string, Attribute> plane_window() const {
    return window({kernel_[1], kernel_[2]}, {strides_[1], strides_[2]}, {dilations_[1], dilations_[2]},
                  {pads_[1], pads_[2], pads_[4], pads_[5]});
  }

  /// Per plane of the result the planes of x under its window: [N * depth of y, C, depth of the kernel, H, W].
  TensorId planes() {
    auto shape = Shape{x_[0], x_[2], x_[1], x_[3], x_[4]};
    auto x = list_.add("Transpose", "by_depth", {op_.inputs[0]}, shape, {{"perm", depth_and_channels_}});
    if (pads_[0] != 0 || pads_[3] != 0) {
      shape[1] += pads_[0] + pads_[3];
      const Integers pads = {0, pads_[0], 0, 0, 0, 0, pads_[3], 0, 0, 0};
      x = list_.add("Pad", "padded", {x}, shape, {{"pads", pads}, {"value", 0.0}, {"mode", std::string("constant")}});
    }
    std::vector<TensorId> parts;
    for (std::int64_t k = 0; k < kernel_[0]; ++k) {
      const auto name = "at" + std::to_string(k), first = std::string("planes") + std::to_string(k);
      shape[1] = y_[2];
      const auto start = k * dilations_[0];
      const auto part = list_.add("Slice", name, {x}, shape,
                                  {{"starts", Integers{start}},
                                   {"ends", Integers{start + (y_[2] - 1) * strides_[0] + 1}},
                                   {"axes", Integers{1}},
                                   {"steps", Integers{strides_[0]}}});
      parts.push_back(list_.reshape(first, part, {y_[0] * y_[2], x_[1], 1, x_[3], x_[4]}));
    }
    return list_.add("Concat", "window", parts, {y_[0] * y_[2], x_[1], kernel_[0], x_[3], x_[4]},
                     {{"axis", std::int64_t{2}}});
  }

  const Integers depth_and_channels_ = {0, 2, 1, 3, 4};  ///< a transposition that undoes itself
  Network& network_;
  const Operator& op_;
  OperatorList list_;
  Shape x_, y_;
  Integers kernel_, strides_, dilations_, pads_;
};

/// Whether the images that lie under a convolution's windows stay within what a tensor may have, as on import.
bool stays_small(const Network& network, const Operator& op) {
  constexpr auto most = static_cast<double>(max_elements);
  constexpr std::int64_t most_planes = 256;
  const Shape &x = network.tensor(op.inputs[0]).shape, &w = network.tensor(op.inputs[1]).shape;
  const auto pads = attribute(op, "pads", Integers(6, 0));
  double elements = static_cast<double>(w[2]) * static_cast<double>(network.tensor(op.outputs[0]).shape[2]);
  for (const std::size_t d : {0, 1, 3, 4}) elements *= static_cast<double>(x[d]);
  const double padded = static_cast<double>(x[2] + pads[0] + pads[3]) / static_cast<double>(x[2]);
  return w[2] <= most_planes && elements <= most && padded * static_cast<double>(element_count(x)) <= most;
}

}  // namespace

void flatten_depth(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    const bool deep = !op.inputs.empty() && op.inputs[0] != no_tensor &&
                      network.tensor(op.inputs[0]).shape.size() == 5 && op.outputs.size() == 1;
    if (deep && op.type == "Conv" && stays_small(network, op)) {
      DepthExpansion(network, op, operators).convolution();
    } else if (deep && (op.type == "MaxPool" || op.type == "AveragePool")) {
      DepthExpansion(network, op, operators).pool();
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

// Resize: what stands there several times in a row is a Repeat of all axes at once. Else axis by axis: each element is
// a sum of few elements of the axis, weighted, that are taken by constant indices.
#include <algorithm>
#include <cmath>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// Of one axis: elements 0..out-1 of the result are sums over taps of weight * element at index.
struct Tap {
  Integers index;
  std::vector<float> weight;
};

class ResizeExpansion {
 public:
  ResizeExpansion(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators) {
    mode_ = attribute(op, "mode", std::string("nearest"));
    transformation_ = attribute(op, "coordinate_transformation_mode", std::string("half_pixel"));
    nearest_ = attribute(op, "nearest_mode", std::string("round_prefer_floor"));
    cubic_ = attribute(op, "cubic_coeff_a", -0.75);
  }

  void run() {
    const auto to = list_.shape(op_.outputs[0]);
    const auto scales = attribute(op_, "scales", std::vector<double>(to.size(), 1.0));
    auto x = op_.inputs[0];
    const Shape from = list_.shape(x);
    Integers repeats(to.size(), 1);
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
      if (scales[axis] == 1 && from[axis] == to[axis]) continue;
      const auto taken = taps(scales[axis], from[axis], to[axis]);
      if (repeats_elements(taken, from[axis], to[axis])) {
        repeats[axis] = to[axis] / from[axis];
      } else {
        x = resized(x, axis, taken);
      }
    }
    if (repeats != Integers(to.size(), 1)) x = list_.move("Repeat", "repeated", {x}, to, {{"repeats", repeats}});
    list_.add("Identity", "", {x}, to, {}, op_.outputs[0]);
  }

 private:
  /// Whether each element stands there as often as any other, in order. Of a single one all weights add up to 1.
  static bool repeats_elements(const std::vector<Tap>& taps, std::int64_t from, std::int64_t to) {
    if (from == 1) return true;
    if (taps.size() > 1 || to % from != 0) return false;
    for (std::int64_t at = 0; at < to; ++at) {
      if (taps[0].index[static_cast<std::size_t>(at)] != at / (to / from)) return false;
    }
    return true;
  }

  /// Where ONNX says that output element `at` lies in the input.
  double source_position(std::int64_t at, double scale, std::int64_t in, std::int64_t out) const {
    const auto x = static_cast<double>(at), length = static_cast<double>(in);
    if (transformation_ == "asymmetric") return x / scale;
    if (transformation_ == "align_corners") return out == 1 ? 0 : x * (length - 1) / (length * scale - 1);
    if (transformation_ == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
    if (transformation_ == "pytorch_half_pixel" && out == 1) return 0;
    const double centred = (x + 0.5) / scale - 0.5;
    if (transformation_ != "half_pixel_symmetric") return centred;
    return length / 2 * (1 - static_cast<double>(out) / (length * scale)) + centred;
  }

  double nearest(double x) const {
    if (nearest_ == "floor") return std::floor(x);
    if (nearest_ == "ceil") return std::ceil(x);
    return nearest_ == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
  }

  /// Of an element at this distance (Keys, "Cubic convolution interpolation for digital image processing", 1981).
  double cubic_weight(double d) const {
    if (d <= 1) return ((cubic_ + 2) * d - (cubic_ + 3)) * d * d + 1;
    return d < 2 ? ((cubic_ * d - 5 * cubic_) * d + 8 * cubic_) * d - 4 * cubic_ : 0;
  }

  std::vector<Tap> taps(double scale, std::int64_t in, std::int64_t out) const {
    const int first = mode_ == "cubic" ? -1 : 0, last = mode_ == "cubic" ? 2 : mode_ == "linear" ? 1 : 0;
    std::vector<Tap> result(static_cast<std::size_t>(last - first + 1));
    for (std::int64_t at = 0; at < out; ++at) {
      const double x = source_position(at, scale, in, out);
      const double base = mode_ == "nearest" ? nearest(x) : std::floor(x);
      for (int t = first; t <= last; ++t) {
        const double index = base + t, distance = std::abs(x - index);
        auto& tap = result[static_cast<std::size_t>(t - first)];
        tap.index.push_back(static_cast<std::int64_t>(std::clamp(index, 0.0, static_cast<double>(in - 1))));
        tap.weight.push_back(static_cast<float>(mode_ == "nearest"  ? 1
                                                : mode_ == "linear" ? 1 - distance
                                                                    : cubic_weight(distance)));
      }
    }
    return result;
  }

  TensorId resized(TensorId x, std::size_t axis, const std::vector<Tap>& taps) {
    auto shape = list_.shape(x);
    const auto out = std::ssize(taps[0].index);
    shape[axis] = out;
    Shape line(shape.size() - axis, 1);
    line[0] = out;
    TensorId sum = no_tensor;
    for (const auto& tap : taps) {
      const auto name = "axis" + std::to_string(axis) + "." + std::to_string(&tap - taps.data());
      const auto indices = network_.add(make_constant(op_.name + "." + name + ".indices", {out}, tap.index));
      auto part = list_.move("Gather", name, {x, indices}, shape, {{"axis", static_cast<std::int64_t>(axis)}});
      if (mode_ == "nearest") return part;
      part = list_.binary("Mul", name + ".weighted", part, list_.constant(name + ".weight", line, tap.weight));
      sum = sum == no_tensor ? part : list_.binary("Add", name + ".sum", sum, part);
    }
    return sum;
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
  std::string mode_, transformation_, nearest_;
  double cubic_ = 0;
};

}  // namespace

void expand_resize(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    const bool real = op.type == "Resize" && network.tensor(op.outputs[0]).type == ElementType::fp32;
    if (real || (op.type == "Resize" && attribute(op, "mode", std::string("nearest")) == "nearest")) {
      ResizeExpansion(network, op, operators).run();
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

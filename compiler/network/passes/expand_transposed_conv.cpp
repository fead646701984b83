// A transposed convolution of stride s is a convolution that gives all s x s phases of the result as channels, which
// are then interleaved: y[o] = sum x[q - t] * w[phase + s*t] with o + pad = s*q + phase (Shi et al., "Is the
// deconvolution layer the same as a convolutional layer?", 2016). No product with an inserted zero is computed.
#include <algorithm>
#include <optional>

#include "archdsl/tensor/rounding.h"
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// Counts through a box of indices, the last one fastest; false after the last point.
bool advance(Integers& point, const Integers& extents) {
  for (std::size_t d = point.size(); d-- > 0;) {
    if (++point[d] < extents[d]) return true;
    point[d] = 0;
  }
  return false;
}

constexpr double most_elements = 1 << 27;  // of a tensor that is not the model's

class TransposedConvolution {
 public:
  TransposedConvolution(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators) {
    x_ = network.tensor(op.inputs[0]).shape;
    w_ = network.tensor(op.inputs[1]).shape;
    y_ = network.tensor(op.outputs[0]).shape;
    planes_ = x_.size() - 2;
    strides_ = attribute(op, "strides", Integers(planes_, 1));
    dilations_ = attribute(op, "dilations", Integers(planes_, 1));
    pads_ = attribute(op, "pads", Integers(2 * planes_, 0));
    groups_ = attribute(op, "group", std::int64_t{1});
    for (std::size_t d = 0; d < planes_; ++d) {
      // A single position never steps: no more phases than results.
      if (x_[d + 2] == 1) strides_[d] = std::min(strides_[d], y_[d + 2] + pads_[d]);
      taps_.push_back(ceil_div((w_[d + 2] - 1) * dilations_[d] + 1, strides_[d]));
      first_.push_back(std::min(pads_[d] / strides_[d], taps_[d] - 1));
      steps_.push_back(std::max(ceil_div(y_[d + 2] + pads_[d], strides_[d]), x_[d + 2]) - first_[d]);
    }
  }

  /// Whether the phases' weights and results are no larger than tensors may be.
  bool fits() const {
    double weights = static_cast<double>(w_[0]) * static_cast<double>(w_[1]);
    double results = static_cast<double>(x_[0]) * static_cast<double>(y_[1]);
    for (std::size_t d = 0; d < planes_; ++d) {
      weights *= static_cast<double>(strides_[d]) * static_cast<double>(taps_[d]);
      results *= static_cast<double>(strides_[d]) * static_cast<double>(steps_[d]);
    }
    return std::max(weights, results) <= most_elements;
  }

  void run() {
    for (const std::int64_t stride : strides_) phases_ *= stride;
    auto y = convolve();
    if (phases_ > 1) y = interleave(y);
    crop(y);
  }

 private:
  bool is_constant(std::size_t input) const { return network_.tensor(op_.inputs[input]).is_constant(); }

  /// [groups * phases * outputs, inputs, taps..]
  Shape weights_shape() const {
    Shape shape = {groups_ * w_[1] * phases_, w_[0] / groups_};
    shape.insert(shape.end(), taps_.begin(), taps_.end());
    return shape;
  }

  /// Those that are computed: taken from each filter's taps and one of 0 behind them.
  TensorId computed_weights() {
    const std::int64_t inputs = w_[0] / groups_, all = element_count(w_) / (w_[0] * w_[1]),
                       taken = element_count(taps_);
    TensorId w = list_.reshape("filters", op_.inputs[1], {groups_, inputs, w_[1], all});
    w = list_.move("Pad", "filters_and_0", {w}, {groups_, inputs, w_[1], all + 1},
                   {{"pads", Integers{0, 0, 0, 0, 0, 0, 0, 1}}, {"value", 0.0}, {"mode", std::string("constant")}});
    Integers places;
    Integers phase(planes_, 0);
    do {
      Integers tap(planes_, 0);
      do places.push_back(place(phase, tap).value_or(all));
      while (advance(tap, taps_));
    } while (advance(phase, strides_));
    const TensorId by = network_.add(make_constant(op_.name + ".places", {std::ssize(places)}, places));
    w = list_.move("Gather", "taken", {w, by}, {groups_, inputs, w_[1], std::ssize(places)},
                   {{"axis", std::int64_t{3}}});
    w = list_.reshape("taken_apart", w, {groups_, inputs, w_[1], phases_, taken});
    w = list_.move("Transpose", "turned", {w}, {groups_, phases_, w_[1], inputs, taken},
                   {{"perm", Integers{0, 3, 2, 1, 4}}});
    return list_.reshape("weights", w, weights_shape());
  }

  TensorId weights() {
    if (!is_constant(1)) return computed_weights();
    const std::int64_t outputs = w_[1];
    const Shape shape = weights_shape();
    std::vector<float> values;
    values.reserve(count_of(shape));
    for (std::int64_t group = 0; group < groups_; ++group) {
      Integers phase(planes_, 0);
      do {
        for (std::int64_t k = 0; k < outputs; ++k) append_filter(group, k, phase, values);
      } while (advance(phase, strides_));
    }
    const TensorId result = list_.constant("weights", shape, values);
    if (const auto& given = network_.tensor(op_.inputs[1]).quantisation) {
      network_.tensor(result).quantisation = of_phases(*given, shape[0]);
    }
    return result;
  }

  /// The model's scales of the weights; none where they are not those of results.
  std::optional<Quantisation> of_phases(const Quantisation& given, std::int64_t channels) const {
    if (given.axis < 0) return given;
    if (given.axis != 1) return std::nullopt;
    Quantisation result{{}, 0};
    for (std::int64_t k = 0; k < channels; ++k) {
      result.scale.push_back(given.scale[static_cast<std::size_t>(k % w_[1])]);
    }
    return result;
  }

  void append_filter(std::int64_t group, std::int64_t out, const Integers& phase, std::vector<float>& values) const {
    const std::int64_t inputs = w_[0] / groups_;
    for (std::int64_t c = 0; c < inputs; ++c) {
      Integers tap(planes_, 0);
      do values.push_back(weight(group * inputs + c, out, phase, tap));
      while (advance(tap, taps_));
    }
  }

  /// The place in a filter's plane of what a phase multiplies at a tap, if anything.
  std::optional<std::int64_t> place(const Integers& phase, const Integers& tap) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < planes_; ++d) {
      const std::int64_t reach = phase[d] + strides_[d] * (taps_[d] - 1 - tap[d]);
      if (reach % dilations_[d] != 0 || reach / dilations_[d] >= w_[d + 2]) return std::nullopt;
      at = at * w_[d + 2] + reach / dilations_[d];
    }
    return at;
  }

  float weight(std::int64_t in, std::int64_t out, const Integers& phase, const Integers& tap) const {
    const auto at = place(phase, tap);
    const std::int64_t plane = element_count(w_) / (w_[0] * w_[1]);
    return at ? constant_data<float>(network_.tensor(op_.inputs[1]))[(in * w_[1] + out) * plane + *at] : 0;
  }

  /// Of each group's outputs, once per phase.
  TensorId bias() {
    if (!is_constant(2)) {
      const TensorId one = list_.reshape("bias_of_groups", op_.inputs[2], {groups_, 1, w_[1]});
      const TensorId each = list_.add("Expand", "bias_of_phases", {one}, {groups_, phases_, w_[1]});
      return list_.reshape("bias", each, {y_[1] * phases_});
    }
    const auto* given = constant_data<float>(network_.tensor(op_.inputs[2]));
    std::vector<float> repeated;
    for (std::int64_t group = 0; group < groups_; ++group) {
      const float* of_group = given + group * w_[1];
      for (std::int64_t phase = 0; phase < phases_; ++phase)
        repeated.insert(repeated.end(), of_group, of_group + w_[1]);
    }
    return list_.constant("bias", {y_[1] * phases_}, repeated);
  }

  TensorId convolve() {
    std::vector<TensorId> inputs = {op_.inputs[0], weights()};
    if (op_.inputs.size() > 2 && op_.inputs[2] != no_tensor) inputs.push_back(bias());
    Shape shape = {x_[0], y_[1] * phases_};
    Integers begins, ends;
    for (std::size_t d = 0; d < planes_; ++d) {
      shape.push_back(steps_[d]);
      begins.push_back(taps_[d] - 1 - first_[d]);
      ends.push_back(first_[d] + steps_[d] - x_[d + 2]);
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    return list_.add("Conv", "phases", inputs, shape,
                     {{"kernel_shape", taps_},
                      {"strides", Integers(planes_, 1)},
                      {"dilations", Integers(planes_, 1)},
                      {"pads", begins},
                      {"group", groups_}});
  }

  /// A phase's channels lie side by side, so that they move together.
  TensorId interleave(TensorId y) {
    Shape apart = {x_[0], groups_}, woven = {x_[0], groups_, w_[1]}, whole = {x_[0], y_[1]};
    apart.insert(apart.end(), strides_.begin(), strides_.end());
    apart.push_back(w_[1]);
    apart.insert(apart.end(), steps_.begin(), steps_.end());
    Integers perm = {0, 1, static_cast<std::int64_t>(2 + planes_)};
    for (std::size_t d = 0; d < planes_; ++d) {
      woven.insert(woven.end(), {steps_[d], strides_[d]});
      whole.push_back(steps_[d] * strides_[d]);
      perm.push_back(static_cast<std::int64_t>(3 + planes_ + d));
      perm.push_back(static_cast<std::int64_t>(2 + d));
    }
    const auto split = list_.reshape("apart", y, apart);
    return list_.reshape("whole", list_.add("Transpose", "woven", {split}, woven, {{"perm", perm}}), whole);
  }

  void crop(TensorId y) {
    Integers starts, ends, axes;
    for (std::size_t d = 0; d < planes_; ++d) {
      starts.push_back(pads_[d] - first_[d] * strides_[d]);
      ends.push_back(starts.back() + y_[d + 2]);
      axes.push_back(static_cast<std::int64_t>(d + 2));
    }
    list_.add("Slice", "", {y}, y_,
              {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", Integers(planes_, 1)}}, op_.outputs[0]);
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
  Shape x_, w_, y_;
  std::size_t planes_ = 0;
  std::int64_t groups_ = 1, phases_ = 1;
  Integers strides_, dilations_, pads_;
  Integers taps_;   ///< of one phase, per dimension of the plane
  Integers first_;  ///< position of a phase: pads crop all of those before, which have no others' inputs in them
  Integers steps_;  ///< results of one phase, from the first position on
};

}  // namespace

void expand_transposed_conv(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "ConvTranspose") {
      TransposedConvolution phases(network, op, operators);
      if (phases.fits()) {
        phases.run();
        continue;
      }
    }
    operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

}  // namespace accord

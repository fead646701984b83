// A convolution of an image's phases (SpaceToDepth, or the Concat of strided Slices with which YOLO's begin) is one of
// the image, with a larger kernel and stride: x[c, b*h + i, b*w + j] needs no copy.
#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/network/passes/axis_of.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {
namespace {

using Integers = std::vector<std::int64_t>;
using Plane = std::array<std::int64_t, 2>;  ///< along rows and columns

/// Every step-th row and column of an image from the first ones on.
struct Phase {
  TensorId image = no_tensor;
  Plane first = {0, 0};
  Plane step = {1, 1};
};

/// All channels of an image at other places, one phase after another.
struct Phases {
  TensorId image = no_tensor;
  Plane step = {1, 1};
  std::vector<Plane> first;  ///< of each
};

class PhaseConvolver {
 public:
  explicit PhaseConvolver(Network& network) : network_(network), index_(network) {}

  void run() {
    for (std::size_t i = 0; i < network_.operators.size(); ++i) {
      const Operator& conv = network_.operators[i];
      if (!may_change(conv)) continue;
      const auto phases = phases_of(conv.inputs[0]);
      if (phases && is_complete(*phases, shape(conv.inputs[0]))) change(network_.operators[i], *phases);
    }
  }

 private:
  const Shape& shape(TensorId id) const { return network_.tensor(id).shape; }

  const Operator* producer(TensorId id) const {
    const int at = index_.producer(id);
    return at < 0 ? nullptr : &network_.operators[static_cast<std::size_t>(at)];
  }

  bool may_change(const Operator& conv) const {
    return conv.type == "Conv" && shape(conv.inputs[0]).size() == 4 && network_.tensor(conv.inputs[1]).is_constant() &&
           attribute(conv, "group", std::int64_t{1}) == 1 &&
           attribute(conv, "dilations", Integers{1, 1}) == Integers{1, 1} && index_.uses(conv.inputs[0]) == 1 &&
           !index_.is_output(conv.inputs[0]);
  }

  bool keeps_integers(TensorId from, TensorId to) const {
    return !has_own_integers(network_.tensor(to), network_.tensor(from));
  }

  std::optional<Phases> phases_of(TensorId x) const {
    const Operator* op = producer(x);
    if (op == nullptr) return std::nullopt;
    if (op->type == "SpaceToDepth" && keeps_integers(op->inputs[0], x)) return phases_of_blocks(*op);
    if (op->type != "Concat" || axis_of(*op, shape(x)) != 1) return std::nullopt;
    Phases phases;
    for (const TensorId part : op->inputs) {
      const Phase phase = phase_of(part);
      if (phases.first.empty()) phases = {phase.image, phase.step, {}};
      if (phase.image != phases.image || phase.step != phases.step || !keeps_integers(phase.image, x))
        return std::nullopt;
      phases.first.push_back(phase.first);
    }
    return phases;
  }

  static Phases phases_of_blocks(const Operator& op) {
    const auto block = attribute(op, "blocksize", std::int64_t{1});
    Phases phases = {op.inputs[0], {block, block}, {}};
    for (std::int64_t i = 0; i < block * block; ++i) phases.first.push_back({i / block, i % block});
    return phases;
  }

  /// What Slices of rows and columns leave.
  Phase phase_of(TensorId part) const {
    Phase phase = {part, {0, 0}, {1, 1}};
    for (const Operator* op = producer(part); op != nullptr && op->type == "Slice"; op = producer(phase.image)) {
      if (!slice_plane(*op, phase)) break;
      phase.image = op->inputs[0];
    }
    return phase;
  }

  /// False where the Slice takes channels, goes backwards, or is rounded.
  bool slice_plane(const Operator& slice, Phase& phase) const {
    const auto starts = attribute(slice, "starts", Integers{}), axes = attribute(slice, "axes", Integers{});
    const auto steps = attribute(slice, "steps", Integers(starts.size(), 1));
    if (shape(slice.inputs[0]).size() != 4 || axes.size() != starts.size() ||
        !keeps_integers(slice.inputs[0], slice.outputs[0]))
      return false;
    Phase sliced = phase;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t axis = axes[i] < 0 ? axes[i] + 4 : axes[i];
      if (axis < 2 || steps[i] < 1) return false;
      const std::int64_t extent = shape(slice.inputs[0])[static_cast<std::size_t>(axis)];
      const std::int64_t start = std::clamp<std::int64_t>(starts[i] < 0 ? starts[i] + extent : starts[i], 0, extent);
      const auto along = static_cast<std::size_t>(axis - 2);
      sliced.first[along] = start + sliced.first[along] * steps[i];
      sliced.step[along] *= steps[i];
    }
    phase = sliced;
    return true;
  }

  /// Whether they, each of this shape, are all of the image, each once.
  bool is_complete(const Phases& phases, const Shape& part) const {
    const auto [rows, columns] = phases.step;
    if (rows * columns == 1 || std::ssize(phases.first) != rows * columns) return false;
    const Shape& image = shape(phases.image);
    if (image.size() != 4 || image[2] != part[2] * rows || image[3] != part[3] * columns) return false;
    auto sorted = phases.first;
    std::ranges::sort(sorted);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      if (sorted[static_cast<std::size_t>(i)] != Plane{i / columns, i % columns}) return false;
    }
    return true;
  }

  void change(Operator& conv, const Phases& phases) {
    const Shape &x = shape(phases.image), y = shape(conv.outputs[0]);
    auto strides = attribute(conv, "strides", Integers(2, 1)), pads = attribute(conv, "pads", Integers(4, 0));
    Integers kernel;
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t step = phases.step[d];
      kernel.push_back(shape(conv.inputs[1])[d + 2] * step);
      strides[d] *= step;
      pads[d] *= step;
      const std::int64_t read = (y[d + 2] - 1) * strides[d] + kernel[d];
      pads[d + 2] = std::max<std::int64_t>(read - x[d + 2] - pads[d], 0);
    }
    conv.inputs[0] = phases.image;
    conv.inputs[1] = network_.add(spread(network_.tensor(conv.inputs[1]), phases, kernel));
    conv.attributes["kernel_shape"] = kernel;
    conv.attributes["strides"] = strides;
    conv.attributes["pads"] = pads;
  }

  /// w'[k, c, step*r + first, ..] = w[k, C*phase + c, r, ..]
  Tensor spread(const Tensor& w, const Phases& phases, const Integers& kernel) const {
    const std::int64_t channels = shape(phases.image)[1], all = w.shape[1], rows = w.shape[2], columns = w.shape[3];
    Tensor result = w;
    result.name += "/image";
    result.shape = {w.shape[0], channels, kernel[0], kernel[1]};
    const auto element = static_cast<std::size_t>(bytes(w.type));
    std::vector<std::byte> data(static_cast<std::size_t>(element_count(result.shape)) * element);
    const std::byte* from = w.data->data();
    for (std::int64_t i = 0; i < element_count(w.shape); ++i, from += element) {
      const std::int64_t t = i % columns, r = i / columns % rows, c = i / columns / rows % all;
      const Plane& first = phases.first[static_cast<std::size_t>(c / channels)];
      const std::int64_t row = phases.step[0] * r + first[0];
      const std::int64_t column = phases.step[1] * t + first[1];
      const std::int64_t filter = i / columns / rows / all * channels + c % channels;
      const std::int64_t to = (filter * kernel[0] + row) * kernel[1] + column;
      std::memcpy(data.data() + static_cast<std::size_t>(to) * element, from, element);
    }
    result.data = owned(std::move(data));
    return result;
  }

  Network& network_;
  const GraphIndex index_;
};

}  // namespace

void convolve_phases(Network& network) { PhaseConvolver(network).run(); }

}  // namespace accord

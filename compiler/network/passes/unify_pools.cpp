#include <algorithm>

#include "compiler/network/images.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

void set_window(Operator& op, const char* type, const Integers& kernel) {
  op.type = type;
  op.attributes = {{"kernel_shape", kernel},
                   {"strides", Integers(kernel.size(), 1)},
                   {"dilations", Integers(kernel.size(), 1)},
                   {"pads", Integers(2 * kernel.size(), 0)},
                   {"count_include_pad", std::int64_t{0}}};
}

/// Finds what means and maxima see of images: whole planes, in one operator, of a plane shown as a row, or in two.
class PlaneReductions {
 public:
  explicit PlaneReductions(const Network& network)
      : network_(network), index_(network), images_(image_tensors(network)) {}

  /// The image [N,C,H,W], or [N,C,L], of whose planes the operator's results are means or maxima; no_tensor: it is none
  /// such.
  TensorId image_of(const Operator& op) const {
    if (op.type != "ReduceMean" && op.type != "ReduceMax") return no_tensor;
    const Integers axes = attribute(op, "axes", Integers{});
    const TensorId x = op.inputs[0];
    if (op.type == "ReduceMean" && !is_float(network_.tensor(x).type)) return no_tensor;  // cut to integers
    if (is_image(x) && axes == Integers{2, 3}) return x;
    if (axes != Integers{2}) return no_tensor;
    if (is_sequence(x)) return x;
    if (index_.producer(x) < 0 || network_.tensor(x).quantisation) return no_tensor;
    const Operator& before = network_.operators[static_cast<std::size_t>(index_.producer(x))];
    if (before.inputs.empty() || !is_image(before.inputs[0])) return no_tensor;
    const bool is_row = before.type == "Reshape" && shows_rows(before);
    const bool is_half = before.type == op.type && attribute(before, "axes", Integers{}) == Integers{3} &&
                         index_.uses(x) == 1 && !index_.is_output(x);
    return is_row || is_half ? before.inputs[0] : no_tensor;
  }

 private:
  bool is_image(TensorId id) const { return id != no_tensor && network_.tensor(id).shape.size() == 4; }

  /// [N,C,L], and not a batch of matrices.
  bool is_sequence(TensorId id) const {
    if (network_.tensor(id).shape.size() != 3 || !images_[static_cast<std::size_t>(id)]) return false;
    const int producer = index_.producer(id);
    return producer < 0 || network_.operators[static_cast<std::size_t>(producer)].type != "Reshape";
  }

  /// [N,C,H,W] as [N,C,HW]
  bool shows_rows(const Operator& reshape) const {
    const Shape &x = network_.tensor(reshape.inputs[0]).shape, &y = network_.tensor(reshape.outputs[0]).shape;
    return y == Shape{x[0], x[1], x[2] * x[3]};
  }

  const Network& network_;
  const GraphIndex index_;
  const std::vector<bool> images_;
};

/// A pool over the whole plane, reshaped where the dimensions are not kept.
void reduction_to_pool(Network& network, Operator op, TensorId image, std::vector<Operator>& operators) {
  const Shape shape = network.tensor(image).shape;
  Shape point(shape.size(), 1);
  std::copy_n(shape.begin(), 2, point.begin());
  set_window(op, op.type == "ReduceMean" ? "AveragePool" : "MaxPool", Integers(shape.begin() + 2, shape.end()));
  op.inputs = {image};
  const TensorId result = op.outputs[0];
  if (network.tensor(result).shape == point) {
    operators.push_back(std::move(op));
    return;
  }
  op.outputs[0] = network.add({op.name + ".pool", network.tensor(result).type, point, nullptr, std::nullopt});
  const Operator flatten{op.name + ".flatten", "Reshape", {op.outputs[0]}, {result}, {}};
  operators.push_back(std::move(op));
  operators.push_back(flatten);
}

/// Elements that the windows reach beyond the padded input, per spatial dimension.
Integers reach_beyond(const Operator& op, const Shape& x, const Shape& y) {
  const auto kernel = attribute(op, "kernel_shape", Integers{});
  const auto strides = attribute(op, "strides", Integers{});
  const auto dilations = attribute(op, "dilations", Integers{});
  const auto pads = attribute(op, "pads", Integers{});
  Integers beyond(kernel.size());
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    const auto end = (y[d + 2] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1;
    beyond[d] = std::max<std::int64_t>(end - (x[d + 2] + pads[d] + pads[kernel.size() + d]), 0);
  }
  return beyond;
}

/// An average that counts its padding but not what ceil_mode adds: pad first, then count the padded plane only.
void pad_explicitly(Network& network, Operator& pool, std::vector<Operator>& operators) {
  const auto& x = network.tensor(pool.inputs[0]);
  auto shape = x.shape;
  const auto pads = attribute(pool, "pads", Integers{});
  const auto planes = pads.size() / 2;
  Integers all(2 * shape.size(), 0);
  for (std::size_t d = 0; d < planes; ++d) {
    all[d + 2] = pads[d];
    all[shape.size() + d + 2] = pads[planes + d];
    shape[d + 2] += pads[d] + pads[planes + d];
  }
  const auto padded = network.add({pool.name + ".padded", x.type, shape, nullptr, std::nullopt});
  operators.push_back({pool.name + ".pad",
                       "Pad",
                       {pool.inputs[0]},
                       {padded},
                       {{"pads", all}, {"value", 0.0}, {"mode", std::string("constant")}}});
  pool.inputs[0] = padded;
  pool.attributes["pads"] = Integers(pads.size(), 0);
  pool.attributes["count_include_pad"] = std::int64_t{0};
}

void drop_ceil_mode(Network& network, Operator& pool, std::vector<Operator>& operators) {
  pool.attributes.erase("ceil_mode");
  pool.attributes.try_emplace("count_include_pad", std::int64_t{0});
  const auto beyond = reach_beyond(pool, network.tensor(pool.inputs[0]).shape, network.tensor(pool.outputs[0]).shape);
  if (beyond == Integers(beyond.size(), 0)) return;
  auto pads = attribute(pool, "pads", Integers{});
  const bool counts_pads = attribute(pool, "count_include_pad", std::int64_t{0}) != 0;
  if (pool.type == "AveragePool" && counts_pads) {
    if (pads != Integers(pads.size(), 0)) pad_explicitly(network, pool, operators);
    pool.attributes["count_include_pad"] = std::int64_t{0};
    pads.assign(pads.size(), 0);
  }
  for (std::size_t d = 0; d < beyond.size(); ++d) pads[beyond.size() + d] += beyond[d];
  pool.attributes["pads"] = pads;
}

}  // namespace

void unify_pools(Network& network) {
  const PlaneReductions reductions(network);
  std::vector<TensorId> images;
  for (const auto& op : network.operators) images.push_back(reductions.image_of(op));
  std::vector<Operator> operators;
  for (std::size_t i = 0; i < images.size(); ++i) {
    Operator& op = network.operators[i];
    if (images[i] != no_tensor) {
      reduction_to_pool(network, std::move(op), images[i], operators);
      continue;
    }
    if (op.type == "GlobalAveragePool" || op.type == "GlobalMaxPool") {
      const auto& x = network.tensor(op.inputs[0]).shape;
      set_window(op, op.type == "GlobalMaxPool" ? "MaxPool" : "AveragePool", Integers(x.begin() + 2, x.end()));
    } else if (op.type == "MaxPool" || op.type == "AveragePool") {
      drop_ceil_mode(network, op, operators);
    }
    operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

}  // namespace accord

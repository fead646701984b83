#include "tests/end_to_end/random_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "archdsl/tensor/convert.h"
#include "tests/draw.h"

namespace accord::test {
namespace {

using Sizes = std::vector<std::int64_t>;

struct Window {
  std::int64_t in, kernel, stride, dilation, before, after;
  std::int64_t out() const { return (in + before + after - dilation * (kernel - 1) - 1) / stride + 1; }
};

Window draw_window(Draw& draw) {
  for (;;) {
    Window w{draw.from(1, 11), draw.from(1, 4), draw.from(1, 3), draw.from(1, 2), 0, 0};
    w.before = draw.from(0, std::min<std::int64_t>(w.kernel - 1, 2));
    w.after = draw.from(0, std::min<std::int64_t>(w.kernel - 1, 2));
    if (w.in + w.before + w.after >= w.dilation * (w.kernel - 1) + 1) return w;
  }
}

class LayerBuilder {
 public:
  LayerBuilder(const Numerics& numerics, Draw& draw) : numerics_(numerics), draw_(draw) {}

  TensorId input(Shape shape) {
    network_.inputs.push_back(tensor("x", numerics_.storage, std::move(shape)));
    return network_.inputs.back();
  }

  /// Whole numbers from `low` to `high`, times `unit`.
  TensorId constant(const std::string& name, ElementType type, Shape shape, std::int64_t low, std::int64_t high,
                    double unit = 1) {
    std::vector<std::byte> data(static_cast<std::size_t>(element_count(shape) * bytes(type)));
    for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(bytes(type))) {
      store_element(data.data() + at, type, static_cast<double>(draw_.from(low, high)) * unit);
    }
    const TensorId id = tensor(name, type, std::move(shape));
    network_.tensor(id).data = owned(std::move(data));
    return id;
  }

  TensorId weight(Shape shape) {
    return numerics_.integer ? constant("w", numerics_.weight, std::move(shape), -127, 127)
                             : constant("w", numerics_.weight, std::move(shape), -64, 64, 1.0 / 64);
  }

  TensorId bias(std::int64_t count) { return constant("bias", numerics_.accumulator, {count}, -3000, 3000); }

  /// Scales that use the whole range of the storage type, and now and then saturate it.
  TensorId parameter(const Numerics::Parameter& p, Shape shape) {
    if (is_float(p.type)) return constant(p.name, p.type, std::move(shape), 1, 900, 1e-5);
    const bool shift = p.name == "shift";
    return constant(p.name, p.type, std::move(shape), shift ? 12 : 1, shift ? 20 : 2000);
  }

  TensorId add(const std::string& type, std::vector<TensorId> inputs, ElementType result, Shape shape,
               std::map<std::string, Attribute> attributes) {
    const TensorId y = tensor(type, result, std::move(shape));
    network_.operators.push_back({type, type, std::move(inputs), {y}, std::move(attributes)});
    network_.outputs = {y};
    return y;
  }

  void requantise(TensorId x) {
    const Shape shape = network_.tensor(x).shape;
    const std::int64_t axis = shape.size() == 4 ? 1 : static_cast<std::int64_t>(shape.size()) - 1;
    std::vector<TensorId> inputs = {x};
    std::string names;
    for (const auto& p : numerics_.parameters) {
      const Shape of = p.per_channel ? Shape{shape[static_cast<std::size_t>(axis)]} : Shape{};
      inputs.push_back(parameter(p, of));
      names += (names.empty() ? "" : ",") + p.name;
    }
    const bool rectified = draw_.once_in(2);
    const double top = numerics_.integer ? 127 : highest(numerics_.storage);
    add("Requantize", std::move(inputs), numerics_.storage, shape,
        {{"expression", numerics_.requantise},
         {"parameters", names},
         {"axis", axis},
         {"lo", rectified ? 0.0 : -top},
         {"hi", top}});
  }

  Network take() { return std::move(network_); }

 private:
  TensorId tensor(const std::string& name, ElementType type, Shape shape) {
    Tensor t;
    t.name = name;
    t.type = type;
    t.shape = std::move(shape);
    return network_.add(std::move(t));
  }

  const Numerics& numerics_;
  Draw& draw_;
  Network network_;
};

std::string add_conv(LayerBuilder& builder, Draw& draw, const Numerics& numerics) {
  const std::int64_t n = draw.from(1, 2);
  const std::int64_t groups = draw.once_in(3) ? draw.from(2, 5) : 1;
  const bool depthwise = groups > 1 && draw.once_in(2);
  const std::int64_t c = groups * (depthwise ? 1 : draw.from(1, groups > 1 ? 6 : 40));
  const std::int64_t k = groups * (depthwise ? draw.from(1, 2) : draw.from(1, groups > 1 ? 6 : 40));
  const Window v = draw_window(draw), h = draw_window(draw);
  std::vector<TensorId> inputs = {builder.input({n, c, v.in, h.in}),
                                  builder.weight({k, c / groups, v.kernel, h.kernel})};
  const bool bias = draw.once_in(2);
  if (bias) inputs.push_back(builder.bias(k));
  const auto acc = builder.add("Conv", inputs, numerics.accumulator, {n, k, v.out(), h.out()},
                               {{"kernel_shape", Sizes{v.kernel, h.kernel}},
                                {"strides", Sizes{v.stride, h.stride}},
                                {"dilations", Sizes{v.dilation, h.dilation}},
                                {"pads", Sizes{v.before, h.before, v.after, h.after}},
                                {"group", groups}});
  builder.requantise(acc);
  return fmt::format("Conv x[{},{},{},{}] filters {} of {}x{} stride {},{} dilation {},{} pads {},{},{},{} groups {}{}",
                     n, c, v.in, h.in, k, v.kernel, h.kernel, v.stride, h.stride, v.dilation, h.dilation, v.before,
                     h.before, v.after, h.after, groups, bias ? " bias" : "");
}

std::string add_gemm(LayerBuilder& builder, Draw& draw, const Numerics& numerics) {
  Shape x = {draw.from(1, 37)};
  if (draw.once_in(4)) x.insert(x.begin(), draw.from(1, 3));
  Shape y = x;
  x.push_back(draw.from(1, 150));
  y.push_back(draw.from(1, 150));
  std::vector<TensorId> inputs = {builder.input(x), builder.weight({y.back(), x.back()})};
  const bool bias = draw.once_in(2);
  if (bias) inputs.push_back(builder.bias(y.back()));
  builder.requantise(builder.add("Gemm", inputs, numerics.accumulator, y, {{"transB", std::int64_t{1}}}));
  return fmt::format("Gemm x[{}] to [{}]{}", fmt::join(x, ","), fmt::join(y, ","), bias ? " bias" : "");
}

/// Products, point-wise convolutions and windows in one direction.
std::string add_small(LayerBuilder& builder, Draw& draw, const Numerics& numerics) {
  const std::int64_t c = draw.from(1, 24), k = draw.from(1, 24);
  if (draw.once_in(2)) {
    const std::int64_t rows = draw.from(1, 24), depth = draw.from(1, 64), columns = draw.from(1, 40);
    builder.requantise(builder.add("Gemm", {builder.input({rows, depth}), builder.weight({columns, depth})},
                                   numerics.accumulator, {rows, columns}, {{"transB", std::int64_t{1}}}));
    return fmt::format("product {}x{} by {}", rows, depth, columns);
  }
  const Window v = draw.once_in(2) ? Window{draw.from(1, 7), 1, 1, 1, 0, 0} : Window{draw.from(3, 7), 3, 1, 1, 1, 1};
  const auto acc = builder.add("Conv", {builder.input({1, c, v.in, 1}), builder.weight({k, c, v.kernel, 1})},
                               numerics.accumulator, {1, k, v.out(), 1},
                               {{"kernel_shape", Sizes{v.kernel, 1}},
                                {"strides", Sizes{1, 1}},
                                {"dilations", Sizes{1, 1}},
                                {"pads", Sizes{v.before, 0, v.after, 0}},
                                {"group", std::int64_t{1}}});
  builder.requantise(acc);
  return fmt::format("window of {} over {}x{} to {}", v.kernel, c, v.in, k);
}

}  // namespace

RandomLayer small_layer(const Numerics& numerics, std::uint64_t seed) {
  Draw draw(seed);
  LayerBuilder builder(numerics, draw);
  RandomLayer layer;
  layer.what = add_small(builder, draw, numerics);
  layer.network = builder.take();
  return layer;
}

RandomLayer random_layer(const Numerics& numerics, std::uint64_t seed) {
  Draw draw(seed);
  LayerBuilder builder(numerics, draw);
  RandomLayer layer;
  layer.what = draw.once_in(3) ? add_gemm(builder, draw, numerics) : add_conv(builder, draw, numerics);
  layer.network = builder.take();
  return layer;
}

}  // namespace accord::test

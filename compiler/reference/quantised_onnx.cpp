// ONNX's own quantised operators, with scales and zero points.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/window.h"

namespace accord::reference {
namespace {

/// Scale and zero point, one or one per index of an axis.
struct Affine {
  std::vector<float> scale;
  std::vector<std::int64_t> zero;
  std::int64_t inner = 1;  ///< elements per index of the axis

  std::size_t channel(std::int64_t i) const {
    return scale.size() == 1 ? 0 : static_cast<std::size_t>(i / inner) % scale.size();
  }
};

Affine make_affine(const OperatorCall& call, std::size_t scale, std::size_t zero, const Shape& shape,
                   std::int64_t axis) {
  Affine affine{load_as<float>(call.inputs[scale]), {}, 1};
  affine.zero =
      call.has_input(zero) ? load_as<std::int64_t>(call.inputs[zero]) : std::vector<std::int64_t>(affine.scale.size());
  if (affine.zero.size() == 1) affine.zero.resize(affine.scale.size(), affine.zero[0]);
  if (affine.scale.size() > 1) {
    const std::size_t d = normalise_axis(axis, shape.size());
    if (shape[d] != static_cast<std::int64_t>(affine.scale.size())) throw Error("scale does not fit the axis");
    affine.inner = row_major_strides(shape)[d];
  }
  if (affine.scale.empty() || affine.zero.size() != affine.scale.size())
    throw Error("scale and zero point differ in size");
  return affine;
}

void quantize_linear(const OperatorCall& call) {
  const Affine to = make_affine(call, 1, 2, call.inputs[0].shape, attribute(call.op, "axis", std::int64_t{1}));
  const auto x = load_as<float>(call.inputs[0]);
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = to.channel(static_cast<std::int64_t>(i));
    y[i] = static_cast<double>(std::nearbyint(x[i] / to.scale[c])) + static_cast<double>(to.zero[c]);
  }
  store_all(call.outputs[0], y);
}

void dequantize_linear(const OperatorCall& call) {
  const Affine from = make_affine(call, 1, 2, call.inputs[0].shape, attribute(call.op, "axis", std::int64_t{1}));
  const auto x = load_as<std::int64_t>(call.inputs[0]);
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = from.channel(static_cast<std::int64_t>(i));
    y[i] = static_cast<float>(x[i] - from.zero[c]) * from.scale[c];
  }
  store_all(call.outputs[0], y);
}

/// x - zero point, so that the plain integer operators apply.
Value centred(const TensorView& x, const Affine& from) {
  auto values = load_as<std::int64_t>(x);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= from.zero[from.channel(static_cast<std::int64_t>(i))];
  Value value{ElementType::i32, x.shape, std::vector<std::byte>(values.size() * 4)};
  store_all(value, values);
  return value;
}

/// y = saturate(round(acc * s_x * s_w / s_y) + zero), w's scale per channel of y's dimension `w_axis`.
void rescale(const OperatorCall& call, const Value& acc, const Affine& x, const Affine& w, std::size_t w_axis,
             const Affine& y) {
  const auto sums = load_as<std::int64_t>(view(acc));
  const std::int64_t inner = acc.shape.empty() ? 1 : row_major_strides(acc.shape)[w_axis];
  std::vector<double> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t k = w.scale.size() == 1 ? 0 : (i / static_cast<std::size_t>(inner)) % w.scale.size();
    const double factor = double{x.scale[0]} * double{w.scale[k]} / double{y.scale[0]};
    result[i] = std::nearbyint(static_cast<double>(sums[i]) * factor) + static_cast<double>(y.zero[0]);
  }
  store_all(call.outputs[0], result);
}

Value accumulate_as(const OperatorCall& call, const char* type, const Value& a, const Value& b,
                    const TensorView* bias) {
  std::vector<Value> acc = {
      {ElementType::i32, call.outputs[0].shape, std::vector<std::byte>(count_of(call.outputs[0].shape) * 4)}};
  std::vector<TensorView> inputs = {view(a), view(b)};
  if (bias) inputs.push_back(*bias);
  operator_table().find(type)->second(OperatorCall{call.op, inputs, acc, call.threads});
  return std::move(acc[0]);
}

void qlinear_conv(const OperatorCall& call) {
  const Affine x = make_affine(call, 1, 2, call.inputs[0].shape, 1),
               w = make_affine(call, 4, 5, call.inputs[3].shape, 0);
  const Affine y = make_affine(call, 6, 7, call.outputs[0].shape, 1);
  const Value acc = accumulate_as(call, "Conv", centred(call.inputs[0], x), centred(call.inputs[3], w),
                                  call.has_input(8) ? &call.inputs[8] : nullptr);
  rescale(call, acc, x, w, 1, y);
}

void qlinear_matmul(const OperatorCall& call) {
  const Affine a = make_affine(call, 1, 2, call.inputs[0].shape, -1),
               b = make_affine(call, 4, 5, call.inputs[3].shape, -1);
  const Affine y = make_affine(call, 6, 7, call.outputs[0].shape, -1);
  if (a.scale.size() != 1) throw Error("a scale per row is not supported");
  const Value acc = accumulate_as(call, "MatMul", centred(call.inputs[0], a), centred(call.inputs[3], b), nullptr);
  rescale(call, acc, a, b, acc.shape.empty() ? 0 : acc.shape.size() - 1, y);
}

/// x - zero point, which broadcasts to it; `zero_shape` is what its shape stands for.
Value less_zero(const OperatorCall& call, std::size_t x, std::size_t zero, const Shape& zero_shape) {
  const TensorView& from = call.inputs[x];
  auto values = load_as<std::int64_t>(from);
  if (call.has_input(zero)) {
    const auto zeros = load_as<std::int64_t>(call.inputs[zero]);
    const auto at = broadcast_indices(zeros.size() == 1 ? Shape{} : zero_shape, from.shape);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= zeros[static_cast<std::size_t>(at[i])];
  }
  Value result{ElementType::i32, from.shape, std::vector<std::byte>(values.size() * 4)};
  store_all(result, values);
  return result;
}

void matmul_integer(const OperatorCall& call) {
  const auto shape_of = [&](std::size_t i) { return call.has_input(i) ? call.inputs[i].shape : Shape{}; };
  Shape rows = shape_of(2);
  if (rows.size() == 1) rows.push_back(1);
  const Value a = less_zero(call, 0, 2, rows), b = less_zero(call, 1, 3, shape_of(3));
  store_all(call.outputs[0], load_as<std::int64_t>(view(accumulate_as(call, "MatMul", a, b, nullptr))));
}

void conv_integer(const OperatorCall& call) {
  Shape channels(call.inputs[1].shape.size(), 1);
  channels[0] = call.has_input(3) ? element_count(call.inputs[3].shape) : 1;
  const Value x = less_zero(call, 0, 2, {}), w = less_zero(call, 1, 3, channels);
  store_all(call.outputs[0], load_as<std::int64_t>(view(accumulate_as(call, "Conv", x, w, nullptr))));
}

/// Scale and zero point that map the range of x and 0 onto the type's; nothing but 0 has scale 1, as in onnxruntime.
/// Outputs that nobody reads may be absent.
void dynamic_quantize_linear(const OperatorCall& call) {
  const auto x = load_as<float>(call.inputs[0]);
  float least = 0, greatest = 0;
  for (const float value : x) {
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  const bool is_signed = (call.has_output(0) && call.outputs[0].type == ElementType::i8) ||
                         (call.has_output(2) && call.outputs[2].type == ElementType::i8);
  const float steps = 255, lowest_integer = is_signed ? -128.0F : 0.0F;
  float scale = least < greatest ? (greatest - least) / steps : 1.0F;
  if (call.has_output(1)) {
    store_all(call.outputs[1], std::vector{scale});
    scale = load_as<float>(view(call.outputs[1]))[0];  // as readers see it
  }
  const float zero = std::clamp(std::nearbyint(-least / scale), 0.0F, steps) + lowest_integer;
  if (call.has_output(2)) store_all(call.outputs[2], std::vector{zero});
  if (!call.has_output(0)) return;
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = std::nearbyint(x[i] / scale) + zero;
  store_all(call.outputs[0], y);
}

}  // namespace

void add_quantised_onnx(OperatorTable& table) {
  table["MatMulInteger"] = matmul_integer;
  table["ConvInteger"] = conv_integer;
  table["DynamicQuantizeLinear"] = dynamic_quantize_linear;
  table["QuantizeLinear"] = quantize_linear;
  table["DequantizeLinear"] = dequantize_linear;
  table["QLinearConv"] = qlinear_conv;
  table["QLinearMatMul"] = qlinear_matmul;
}

}  // namespace accord::reference

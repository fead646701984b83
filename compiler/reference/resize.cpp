#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

/// Position in the input that an output index stands for. As in ONNX, the output's length is in * scale, not rounded.
double source_position(const std::string& transformation, std::int64_t at, double scale, std::int64_t in,
                       std::int64_t out) {
  const auto x = static_cast<double>(at), length = static_cast<double>(in);
  if (transformation == "asymmetric") return x / scale;
  if (transformation == "align_corners") return out == 1 ? 0 : x * (length - 1) / (length * scale - 1);
  if (transformation == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  if (transformation == "pytorch_half_pixel" && out == 1) return 0;
  if (transformation == "half_pixel_symmetric") {
    const double kept = static_cast<double>(out) / (length * scale);
    return length / 2 * (1 - kept) + (x + 0.5) / scale - 0.5;
  }
  return (x + 0.5) / scale - 0.5;
}

double round_position(const std::string& mode, double x) {
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  return mode == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

struct Tap {
  std::int64_t index = 0;
  double weight = 1;
};

/// Keys' cubic convolution kernel.
double cubic_weight(double d, double a) {
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

std::vector<Tap> taps_at(const Operator& op, double x, std::int64_t size) {
  auto inside = [size](double i) {
    return static_cast<std::int64_t>(std::clamp(i, 0.0, static_cast<double>(size - 1)));
  };
  const std::string mode = attribute(op, "mode", std::string("nearest"));
  if (mode == "nearest") {
    return {{inside(round_position(attribute(op, "nearest_mode", std::string("round_prefer_floor")), x)), 1}};
  }
  const double left = std::floor(x), part = x - left;
  if (mode == "linear") return {{inside(left), 1 - part}, {inside(left + 1), part}};
  if (mode != "cubic") throw Error("mode " + mode + " is not supported");
  std::vector<Tap> taps;
  for (int i = -1; i <= 2; ++i) {
    taps.push_back({inside(left + i), cubic_weight(std::abs(part - i), attribute(op, "cubic_coeff_a", -0.75))});
  }
  return taps;
}

void resize_axis(const OperatorCall& call, std::size_t axis, double scale, std::int64_t out,
                 std::vector<double>& values, Shape& shape) {
  const std::string transformation = attribute(call.op, "coordinate_transformation_mode", std::string("half_pixel"));
  const std::int64_t inner = row_major_strides(shape)[axis], in = shape[axis];
  const std::int64_t outer = element_count(shape) / std::max<std::int64_t>(1, inner * in);
  std::vector<double> result(static_cast<std::size_t>(outer * out * inner));
  for (std::int64_t o = 0; o < out; ++o) {
    for (const Tap& tap : taps_at(call.op, source_position(transformation, o, scale, in, out), in)) {
      for (std::int64_t i = 0; i < outer * inner; ++i) {
        const std::int64_t block = i / inner, at = i % inner;
        result[static_cast<std::size_t>((block * out + o) * inner + at)] +=
            tap.weight * values[static_cast<std::size_t>((block * in + tap.index) * inner + at)];
      }
    }
  }
  values = std::move(result);
  shape[axis] = out;
}

/// Separable: one axis after the other.
void resize(const OperatorCall& call) {
  Shape shape = call.inputs[0].shape;
  const Shape& target = call.outputs[0].shape;
  const auto scales = attribute(call.op, "scales", std::vector<double>(shape.size(), 1.0));
  if (scales.size() != shape.size()) throw Error("scales do not fit the rank");
  auto values = load_as<double>(call.inputs[0]);
  for (std::size_t d = 0; d < target.size() && !values.empty(); ++d) {
    if (scales[d] != 1.0 || target[d] != shape[d]) resize_axis(call, d, scales[d], target[d], values, shape);
  }
  store_all(call.outputs[0], values);
}

}  // namespace

void add_resize(OperatorTable& table) { table["Resize"] = resize; }

}  // namespace accord::reference

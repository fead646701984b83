// Shapes and scales of Resize and Upsample.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;
using Scales = std::vector<double>;

/// The axes that scales and sizes speak of: all, unless opset 18's `axes` names some.
Integers resized_axes(const OnnxNode& node, std::size_t rank) {
  Integers axes;
  for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
  axes = node.get("axes", axes);
  normalise_axes(axes, rank);
  for (auto& axis : axes) axis = normalise_axis(axis, rank);
  return axes;
}

/// Scale and size of every axis.
struct Target {
  Scales scales;
  Shape shape;
};

void check_scale(double scale) {
  if (!(scale > 0) || scale > 1e6) throw Error(fmt::format("a scale of {}", scale));
}

Target by_scales(const Shape& x, const Integers& axes, const Scales& scales) {
  if (scales.size() != axes.size()) throw Error(fmt::format("{} scales for {} axes", scales.size(), axes.size()));
  Target target{Scales(x.size(), 1.0), x};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    check_scale(scales[i]);
    target.scales[axis] = scales[i];
    // A scale may be a rounded quotient of sizes; the tolerance gives the size back.
    target.shape[axis] = static_cast<std::int64_t>(std::floor(static_cast<double>(x[axis]) * scales[i] + 1e-6));
  }
  return target;
}

/// Since opset 18 one scale for all axes may be asked for: the least or the greatest that the sizes give.
Target by_sizes(const OnnxNode& node, const Shape& x, const Integers& axes, const Integers& sizes) {
  if (sizes.size() != axes.size()) throw Error(fmt::format("{} sizes for {} axes", sizes.size(), axes.size()));
  Target target{Scales(x.size(), 1.0), x};
  Scales scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto extent = x[static_cast<std::size_t>(axes[i])];
    if (sizes[i] < 1 || extent < 1) throw Error("sizes must be positive");
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(extent));
    check_scale(scales.back());
  }
  const auto policy = node.get("keep_aspect_ratio_policy", std::string("stretch"));
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    throw Error("keep_aspect_ratio_policy is '" + policy + "'");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    if (policy == "stretch") {
      target.scales[axis] = scales[i];
      target.shape[axis] = sizes[i];
    } else {
      const auto scale = policy == "not_larger" ? std::ranges::min(scales) : std::ranges::max(scales);
      target.scales[axis] = scale;
      target.shape[axis] = static_cast<std::int64_t>(std::floor(scale * static_cast<double>(x[axis]) + 0.5));
    }
  }
  return target;
}

Target resize_target(const OnnxNode& node, std::size_t input, const Shape& x) {
  const auto axes = resized_axes(node, x.size());
  const auto scales = node.has_input(input) ? node.constant_numbers(input) : node.get("scales", Scales{});
  if (!scales.empty() && node.has_input(input + 1) && !node.constant_integers(input + 1).empty()) {
    throw Error("scales and sizes exclude each other");
  }
  if (scales.empty() && node.has_input(input + 1)) {
    return by_sizes(node, x, axes, node.constant_integers(input + 1));
  }
  return by_scales(x, axes, scales);
}

/// Antialiasing widens the filter where the result is smaller; elsewhere it changes nothing.
void refuse_antialiasing(const OnnxNode& node, const std::string& mode, const Scales& scales) {
  const bool smaller = std::ranges::any_of(scales, [](double scale) { return scale < 1; });
  if (node.get_int("antialias", 0) != 0 && mode != "nearest" && smaller) throw Error("antialias is not supported");
}

void refuse_other(const char* attribute, const std::string& value, std::initializer_list<const char*> known) {
  if (std::ranges::find(known, value) == known.end()) throw Error(fmt::format("{} is '{}'", attribute, value));
}

/// Resize 11 and later: x, roi, scales, sizes. Resize 10 and Upsample: x, scales, with asymmetric coordinates.
void infer_resize(OnnxNode& node) {
  const bool recent = node.op.type == "Resize" && node.opset() >= 11;
  const auto target = resize_target(node, recent ? 2 : 1, node.shape(0));
  const auto mode = node.get("mode", std::string("nearest"));
  const std::string coordinates = recent ? "half_pixel" : "asymmetric";
  const std::string nearest = recent ? "round_prefer_floor" : "floor";
  const auto transformation = node.get("coordinate_transformation_mode", coordinates);
  refuse_other("mode", mode, {"nearest", "linear", "cubic"});
  if (node.get_int("exclude_outside", 0) != 0) throw Error("exclude_outside is not supported");
  if (transformation == "tf_crop_and_resize") throw Error("tf_crop_and_resize is not supported");
  refuse_other("coordinate_transformation_mode", transformation,
               {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                "tf_half_pixel_for_nn"});
  refuse_other("nearest_mode", node.get("nearest_mode", nearest),
               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  refuse_antialiasing(node, mode, target.scales);
  node.op.type = "Resize";
  node.op.attributes = {{"scales", target.scales},
                        {"mode", mode},
                        {"coordinate_transformation_mode", transformation},
                        {"nearest_mode", node.get("nearest_mode", nearest)},
                        {"cubic_coeff_a", node.get("cubic_coeff_a", -0.75)}};
  node.keep_inputs(1);
  node.result(node.input(0).type, target.shape);
}

}  // namespace

void add_resize_rules(OnnxRules& rules) {
  rules["Resize"] = {1, 4, infer_resize};
  rules["Upsample"] = {1, 2, infer_resize};
}

}  // namespace accord

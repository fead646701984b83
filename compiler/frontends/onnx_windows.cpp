// Shapes of convolutions and pools.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// The window of one operator, one entry per spatial dimension.
struct Window {
  Integers kernel, strides, dilations, begin, end;

  std::size_t rank() const { return kernel.size(); }
  std::int64_t reach(std::size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
};

constexpr std::int64_t max_window = 1 << 20;

Integers sizes(const OnnxNode& node, const std::string& key, std::size_t count, std::int64_t otherwise,
               std::int64_t least) {
  auto values = node.get(key, Integers(count, otherwise));
  if (values.size() != count) throw Error(fmt::format("{} has {} entries, not {}", key, values.size(), count));
  for (const auto v : values) {
    if (v < least || v > max_window) throw Error(fmt::format("{} has the entry {}", key, v));
  }
  return values;
}

Window read_window(const OnnxNode& node, Integers kernel) {
  Window window;
  const auto rank = kernel.size();
  window.kernel = std::move(kernel);
  window.strides = sizes(node, "strides", rank, 1, 1);
  window.dilations = sizes(node, "dilations", rank, 1, 1);
  const auto pads = sizes(node, "pads", 2 * rank, 0, 0);
  window.begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  window.end.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  return window;
}

void split_padding(Window& window, std::size_t d, std::int64_t total, bool extra_at_end) {
  total = std::max<std::int64_t>(total, 0);
  const auto less = total / 2;
  window.begin[d] = extra_at_end ? less : total - less;
  window.end[d] = total - window.begin[d];
}

std::string auto_pad_of(const OnnxNode& node, const Window& window) {
  const auto mode = node.get("auto_pad", std::string("NOTSET"));
  if (mode == "NOTSET") return mode;
  if (mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") throw Error("auto_pad is '" + mode + "'");
  const auto some = [](std::int64_t pad) { return pad != 0; };
  if (std::ranges::any_of(window.begin, some) || std::ranges::any_of(window.end, some))
    throw Error("auto_pad and pads exclude each other");
  return mode;
}

/// Turns auto_pad into pads (ONNX: SAME gives ceil(in / stride) results).
void resolve_auto_pad(const OnnxNode& node, Window& window, const Shape& plane) {
  const auto mode = auto_pad_of(node, window);
  if (mode == "NOTSET") return;
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const auto results = ceil_div(plane[d], window.strides[d]);
    const auto total = mode == "VALID" ? 0 : (results - 1) * window.strides[d] + window.reach(d) - plane[d];
    split_padding(window, d, total, mode != "SAME_LOWER");
  }
}

Shape windows_over(const Window& window, const Shape& plane, bool ceil_mode) {
  Shape counts(window.rank());
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const auto span = plane[d] + window.begin[d] + window.end[d] - window.reach(d);
    if (span < 0) {
      throw Error(fmt::format("a window of {} does not fit into {} with pads {} and {}", window.reach(d), plane[d],
                              window.begin[d], window.end[d]));
    }
    counts[d] = span / window.strides[d] + 1;
    if (ceil_mode && span % window.strides[d] != 0 && counts[d] * window.strides[d] < plane[d] + window.begin[d]) {
      ++counts[d];  // the last window must still start inside the plane
    }
  }
  return counts;
}

void write_window(OnnxNode& node, const Window& window) {
  auto pads = window.begin;
  pads.insert(pads.end(), window.end.begin(), window.end.end());
  node.op.attributes["kernel_shape"] = window.kernel;
  node.op.attributes["strides"] = window.strides;
  node.op.attributes["dilations"] = window.dilations;
  node.op.attributes["pads"] = pads;
  node.op.attributes.erase("auto_pad");
}

Shape plane_of(const OnnxNode& node) {
  const auto& x = node.shape(0);
  if (x.size() < 3) throw Error(fmt::format("the input {} has no spatial dimension", to_string(x)));
  return Shape(x.begin() + 2, x.end());
}

Shape with_plane(std::int64_t batch, std::int64_t channels, const Shape& plane) {
  Shape shape = {batch, channels};
  shape.insert(shape.end(), plane.begin(), plane.end());
  return shape;
}

Integers weight_kernel(const OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto& w = node.shape(1);
  if (w.size() != x.size()) throw Error(fmt::format("weights {} do not fit input {}", to_string(w), to_string(x)));
  const Integers kernel(w.begin() + 2, w.end());
  if (node.has("kernel_shape") && node.get("kernel_shape", Integers{}) != kernel) {
    throw Error(fmt::format("kernel_shape differs from weights {}", to_string(w)));
  }
  for (const auto k : kernel) {
    if (k < 1 || k > max_window) throw Error(fmt::format("weights {}", to_string(w)));
  }
  return kernel;
}

std::int64_t group_of(OnnxNode& node) {
  const auto group = node.get_int("group", 1);
  if (group < 1) throw Error(fmt::format("group is {}", group));
  node.op.attributes["group"] = group;
  return group;
}

void check_bias(const OnnxNode& node, std::int64_t channels) {
  if (node.has_input(2) && node.shape(2) != Shape{channels}) {
    throw Error(fmt::format("bias {} where {} values are needed", to_string(node.shape(2)), channels));
  }
}

void infer_conv(OnnxNode& node) {
  const auto plane = plane_of(node);
  auto window = read_window(node, weight_kernel(node));
  const auto group = group_of(node);
  const auto& x = node.shape(0);
  const auto& w = node.shape(1);
  if (w[0] < 1 || w[0] % group != 0 || w[1] > x[1] || w[1] * group != x[1]) {
    throw Error(fmt::format("weights {} with group {} do not fit input {}", to_string(w), group, to_string(x)));
  }
  check_bias(node, w[0]);
  resolve_auto_pad(node, window, plane);
  write_window(node, window);
  node.result(node.input(0).type, with_plane(x[0], w[0], windows_over(window, plane, false)));
}

void infer_conv_transpose(OnnxNode& node) {
  const auto plane = plane_of(node);
  auto window = read_window(node, weight_kernel(node));
  const auto group = group_of(node);
  const auto& x = node.shape(0);
  const auto& w = node.shape(1);
  if (w[0] != x[1] || w[0] % group != 0 || w[1] > max_elements / group) {
    throw Error(fmt::format("weights {} with group {} do not fit input {}", to_string(w), group, to_string(x)));
  }
  check_bias(node, w[1] * group);
  auto extra = sizes(node, "output_padding", window.rank(), 0, 0);
  const auto wanted = node.get("output_shape", Integers{});
  const auto mode = auto_pad_of(node, window);
  if (!wanted.empty() && wanted.size() != window.rank()) {
    throw Error(fmt::format("output_shape has {} entries for {} spatial dimensions", wanted.size(), window.rank()));
  }
  Shape results(window.rank());
  for (std::size_t d = 0; d < window.rank(); ++d) {
    auto whole = (plane[d] - 1) * window.strides[d] + window.reach(d) + extra[d];
    if (!wanted.empty()) {
      if (wanted[d] < 1 || wanted[d] >= whole + std::max(window.strides[d], window.dilations[d])) {
        throw Error(fmt::format("output_shape has {} where {} come out without pads", wanted[d], whole));
      }
      extra[d] += std::max<std::int64_t>(wanted[d] - whole, 0);
      whole = std::max(whole, wanted[d]);
      split_padding(window, d, whole - wanted[d], mode == "SAME_UPPER");
    } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      extra[d] += std::max<std::int64_t>(plane[d] * window.strides[d] - whole, 0);
      whole = std::max(whole, plane[d] * window.strides[d]);
      split_padding(window, d, whole - plane[d] * window.strides[d], mode == "SAME_UPPER");
    }
    results[d] = whole - window.begin[d] - window.end[d];
  }
  write_window(node, window);
  node.op.attributes["output_padding"] = extra;
  node.op.attributes.erase("output_shape");
  node.result(node.input(0).type, with_plane(x[0], w[1] * group, results));
}

void infer_pool(OnnxNode& node) {
  if (node.output_count > 1) throw Error("the indices of MaxPool are not supported");
  const auto plane = plane_of(node);
  if (!node.has("kernel_shape")) throw Error("kernel_shape is missing");
  auto window = read_window(node, sizes(node, "kernel_shape", plane.size(), 1, 1));
  resolve_auto_pad(node, window, plane);
  for (std::size_t d = 0; d < window.rank(); ++d) {
    if (window.begin[d] >= window.reach(d) || window.end[d] >= window.reach(d)) {
      throw Error("pads as large as the window");
    }
  }
  const bool ceil_mode = node.get_int("ceil_mode", 0) != 0;
  write_window(node, window);
  node.op.attributes.erase("storage_order");
  node.result(node.input(0).type,
              with_plane(node.shape(0)[0], node.shape(0)[1], windows_over(window, plane, ceil_mode)));
}

void infer_lp_pool(OnnxNode& node) {
  if (node.get_int("ceil_mode", 0) != 0) throw Error("ceil_mode is not supported");
  if (node.get_int("p", 2) < 1) throw Error(fmt::format("p is {}", node.get_int("p", 2)));
  infer_pool(node);
}

void infer_global_pool(OnnxNode& node) {
  if (node.get_int("p", 2) < 1) throw Error(fmt::format("p is {}", node.get_int("p", 2)));
  const auto plane = plane_of(node);
  node.result(node.input(0).type, with_plane(node.shape(0)[0], node.shape(0)[1], Shape(plane.size(), 1)));
}

void check_per_channel(const OnnxNode& node, std::size_t first, std::size_t last) {
  const auto& x = node.shape(0);
  if (x.size() < 2) throw Error(fmt::format("the input {} has no channels", to_string(x)));
  for (auto i = first; i <= last; ++i) {
    if (element_count(node.shape(i)) != x[1] || node.shape(i).size() != 1) {
      throw Error(fmt::format("input {} has shape {}, not [{}]", i, to_string(node.shape(i)), x[1]));
    }
  }
}

void infer_batch_normalization(OnnxNode& node) {
  check_per_channel(node, 1, 4);
  if (node.get_int("training_mode", 0) != 0) throw Error("training_mode is not supported");
  if (node.get_int("spatial", 1) != 1) throw Error("spatial = 0 is not supported");
  node.output_count = 1;
  node.same_as(0);
}

void infer_instance_normalization(OnnxNode& node) {
  plane_of(node);
  check_per_channel(node, 1, 2);
  node.same_as(0);
}

void infer_lrn(OnnxNode& node) {
  if (node.shape(0).size() < 2) throw Error("the input has no channels");
  const auto size = node.get_int("size", 0);
  if (size < 1) throw Error("size is missing or not positive");
  if (size > max_elements) throw Error(fmt::format("size is {}", size));
  node.same_as(0);
}

}  // namespace

void add_window_rules(OnnxRules& rules) {
  rules["Conv"] = {2, 3, infer_conv};
  rules["ConvTranspose"] = {2, 3, infer_conv_transpose};
  rules["MaxPool"] = {1, 1, infer_pool};
  rules["AveragePool"] = {1, 1, infer_pool};
  rules["LpPool"] = {1, 1, infer_lp_pool};
  rules["GlobalLpPool"] = {1, 1, infer_global_pool};
  rules["GlobalMaxPool"] = {1, 1, infer_global_pool};
  rules["GlobalAveragePool"] = {1, 1, infer_global_pool};
  rules["BatchNormalization"] = {5, 5, infer_batch_normalization};
  rules["InstanceNormalization"] = {3, 3, infer_instance_normalization};
  rules["LRN"] = {1, 1, infer_lrn};
}

}  // namespace accord

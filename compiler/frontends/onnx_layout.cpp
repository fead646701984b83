// Shapes of operators that move or create data without computing.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/frontends/onnx_constant.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

Integers required(const std::optional<Integers>& values, const char* what) {
  if (!values) throw Error(fmt::format("{} is missing", what));
  return *values;
}

Shape reshaped(const Shape& x, Shape target, bool zero_is_zero) {
  const auto count = element_count(x);
  std::int64_t known = 1;
  std::int64_t* unknown = nullptr;
  for (std::size_t d = 0; d < target.size(); ++d) {
    if (target[d] == 0 && !zero_is_zero) {
      if (d >= x.size()) throw Error(fmt::format("a 0 in the target shape has no dimension in {}", to_string(x)));
      target[d] = x[d];
    }
    if (target[d] < -1 || target[d] > max_elements) throw Error("target shape " + to_string(target));
    if (target[d] == -1) {
      if (unknown) throw Error("more than one -1 in the target shape");
      unknown = &target[d];
    } else {
      if (target[d] > 0 && known > max_elements / target[d]) throw Error("target shape " + to_string(target));
      known *= target[d];
    }
  }
  if (unknown) *unknown = known > 0 ? count / known : 0;
  if (element_count(target) != count) {
    throw Error(fmt::format("{} cannot be reshaped to {}", to_string(x), to_string(target)));
  }
  return target;
}

void infer_reshape(OnnxNode& node) {
  const auto target = required(node.integers_from(1, "shape"), "shape");
  const bool zero_is_zero = node.get_int("allowzero", 0) != 0;
  node.op.attributes.clear();
  node.keep_inputs(1);
  node.result(node.input(0).type, reshaped(node.shape(0), target, zero_is_zero));
}

void infer_flatten(OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto axis = normalise_axis(node.get_int("axis", 1), x.size(), true);
  const auto split = x.begin() + static_cast<std::ptrdiff_t>(axis);
  node.op.attributes["axis"] = axis;
  node.result(node.input(0).type, {element_count(Shape(x.begin(), split)), element_count(Shape(split, x.end()))});
}

void infer_squeeze(OnnxNode& node) {
  const auto& x = node.shape(0);
  auto axes = node.integers_from(1, "axes");
  if (!axes) {
    axes.emplace();
    for (std::size_t d = 0; d < x.size(); ++d) {
      if (x[d] == 1) axes->push_back(static_cast<std::int64_t>(d));
    }
  }
  const auto dropped = normalise_axes(*axes, x.size());
  Shape shape;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const bool drop = std::binary_search(dropped.begin(), dropped.end(), static_cast<std::int64_t>(d));
    if (drop && x[d] != 1) throw Error(fmt::format("axis {} of {} is not 1", d, to_string(x)));
    if (!drop) shape.push_back(x[d]);
  }
  node.op.attributes["axes"] = dropped;
  node.keep_inputs(1);
  node.result(node.input(0).type, shape);
}

void infer_unsqueeze(OnnxNode& node) {
  auto shape = node.shape(0);
  const auto given = required(node.integers_from(1, "axes"), "axes");
  const auto axes = normalise_axes(given, shape.size() + given.size());
  for (const auto axis : axes) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  node.op.attributes["axes"] = axes;
  node.keep_inputs(1);
  node.result(node.input(0).type, shape);
}

void infer_transpose(OnnxNode& node) {
  const auto& x = node.shape(0);
  Integers reversed(x.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const auto perm = node.get("perm", reversed);
  if (perm.size() != x.size()) throw Error(fmt::format("perm has {} entries for {}", perm.size(), to_string(x)));
  auto sorted = normalise_axes(perm, x.size());
  if (std::ranges::any_of(perm, [](auto index) { return index < 0; }) ||
      !std::equal(sorted.begin(), sorted.end(), reversed.rbegin()))
    throw Error("perm is no permutation");
  Shape shape(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) shape[d] = x[static_cast<std::size_t>(perm[d])];
  node.op.attributes["perm"] = perm;
  node.result(node.input(0).type, shape);
}

/// Parts without elements add nothing: tensors of form 1 have some.
void drop_empty_parts(OnnxNode& node) {
  std::vector<TensorId> ids;
  std::vector<const Tensor*> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (element_count(node.shape(i)) == 0) continue;
    ids.push_back(node.op.inputs[i]);
    parts.push_back(node.inputs[i]);
  }
  if (parts.empty()) return;
  node.op.inputs = ids;
  node.inputs = parts;
}

void infer_concat(OnnxNode& node) {
  auto shape = node.shape(0);
  const auto axis = normalise_axis(node.get_int("axis", 1), shape.size());
  const auto a = static_cast<std::size_t>(axis);
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    auto other = node.shape(i);
    if (other.size() != shape.size()) throw Error("inputs of different rank");
    shape[a] += other[a];
    other[a] = shape[a];
    if (other != shape) throw Error(fmt::format("input {} of shape {} does not fit", i, to_string(node.shape(i))));
  }
  node.op.attributes["axis"] = axis;
  node.result(node.input(0).type, shape);
  drop_empty_parts(node);
}

/// Since opset 18 (`num_outputs`) the last part may be smaller.
Integers equal_parts(const OnnxNode& node, std::int64_t extent) {
  const std::int64_t count = node.proto->output_size();
  const bool uneven = node.has("num_outputs");
  if (count == 0 || (!uneven && extent % count != 0) || node.get_int("num_outputs", count) != count) {
    throw Error(fmt::format("{} does not split into {} parts", extent, node.get_int("num_outputs", count)));
  }
  const auto part = ceil_div(extent, count);
  Integers parts;
  for (std::int64_t i = 0; i < count; ++i) parts.push_back(std::clamp<std::int64_t>(extent - i * part, 0, part));
  return parts;
}

void infer_split(OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto axis = normalise_axis(node.get_int("axis", 0), x.size());
  const auto extent = x[static_cast<std::size_t>(axis)];
  auto parts = node.integers_from(1, "split").value_or(Integers{});
  if (parts.empty()) parts = equal_parts(node, extent);
  std::int64_t sum = 0;
  for (const auto part : parts) {
    if (part < 0 || part > extent) throw Error(fmt::format("a part of {} elements", part));
    sum += part;
  }
  if (sum != extent || parts.size() < node.output_count) throw Error(fmt::format("parts do not sum to {}", extent));
  for (const auto part : parts) {
    auto shape = x;
    shape[static_cast<std::size_t>(axis)] = part;
    node.result(node.input(0).type, shape);
  }
  node.op.attributes["axis"] = axis;
  node.op.attributes["split"] = parts;
  node.keep_inputs(1);
}

/// Brings one start or end into range; `step` decides which end is open.
std::int64_t clamp_bound(std::int64_t bound, std::int64_t extent, std::int64_t step, bool is_end) {
  if (bound < 0) bound = bound < -extent ? -1 - extent : bound;
  if (bound < 0) bound += extent;
  if (step > 0) return std::clamp<std::int64_t>(bound, 0, extent);
  return std::clamp<std::int64_t>(bound, is_end ? -1 : 0, extent - 1);
}

void infer_slice(OnnxNode& node) {
  auto shape = node.shape(0);
  auto starts = required(node.integers_from(1, "starts"), "starts");
  auto ends = required(node.integers_from(2, "ends"), "ends");
  Integers all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  auto axes = node.integers_from(3, "axes").value_or(all);
  auto steps = node.integers_from(4, "steps").value_or(Integers(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    throw Error("starts, ends, axes and steps differ in length");
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    axes[i] = normalise_axis(axes[i], shape.size());
    auto& extent = shape[static_cast<std::size_t>(axes[i])];
    if (steps[i] == 0 || steps[i] == std::numeric_limits<std::int64_t>::min()) {
      throw Error(fmt::format("a step of {}", steps[i]));
    }
    starts[i] = clamp_bound(starts[i], extent, steps[i], false);
    ends[i] = clamp_bound(ends[i], extent, steps[i], true);
    const auto span = steps[i] > 0 ? ends[i] - starts[i] : starts[i] - ends[i];
    const auto stride = std::abs(steps[i]);
    steps[i] = std::clamp(steps[i], -std::max<std::int64_t>(extent, 1), std::max<std::int64_t>(extent, 1));
    extent = span <= 0 ? 0 : 1 + (span - 1) / stride;  // a step beyond the extent is never taken
  }
  normalise_axes(axes, shape.size());
  node.op.attributes = {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}};
  node.keep_inputs(1);
  node.result(node.input(0).type, shape);
}

void infer_gather(OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto& indices = node.shape(1);
  if (is_float(node.input(1).type)) throw Error("the indices must be integers");
  const auto axis = normalise_axis(node.get_int("axis", 0), x.size());
  expect_within(node, x[static_cast<std::size_t>(axis)]);
  Shape shape(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  node.op.attributes["axis"] = axis;
  node.result(node.input(0).type, shape);
}

void infer_expand(OnnxNode& node) {
  const auto target = node.constant_integers(1);
  check_shape(target);
  node.keep_inputs(1);
  node.result(node.input(0).type, broadcast(node.shape(0), target));
}

void infer_tile(OnnxNode& node) {
  auto shape = node.shape(0);
  const auto repeats = node.constant_integers(1);
  if (repeats.size() != shape.size()) throw Error(fmt::format("{} repeats for rank {}", repeats.size(), shape.size()));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] < 0 || repeats[d] > max_elements) throw Error(fmt::format("{} repeats", repeats[d]));
    shape[d] *= repeats[d];
  }
  node.op.attributes["repeats"] = repeats;
  node.keep_inputs(1);
  node.result(node.input(0).type, shape);
}

/// Begins then ends; since opset 18 they may be those of some axes only.
Integers pads_of_all_axes(const OnnxNode& node, std::size_t rank) {
  const auto pads = required(node.integers_from(1, "pads"), "pads");
  if (!node.has_input(3)) return pads;
  const auto axes = node.constant_integers(3);
  normalise_axes(axes, rank);
  if (pads.size() != 2 * axes.size()) throw Error(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  Integers all(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(normalise_axis(axes[i], rank));
    all[axis] = pads[i];
    all[rank + axis] = pads[axes.size() + i];
  }
  return all;
}

void infer_pad(OnnxNode& node) {
  auto shape = node.shape(0);
  const auto rank = shape.size();
  const auto pads = pads_of_all_axes(node, rank);
  if (pads.size() != 2 * rank) throw Error(fmt::format("pads has {} entries for rank {}", pads.size(), rank));
  const auto value = node.has_input(2) ? node.constant_numbers(2) : std::vector<double>{node.get("value", 0.0)};
  if (value.size() != 1) throw Error("the padding value must be a scalar");
  const auto mode = node.get("mode", std::string("constant"));
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    throw Error("mode is '" + mode + "'");
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const auto before = pads[d];
    const auto after = pads[rank + d];
    const auto [least, most] = std::minmax(before, after);
    if (least < -max_elements || most > max_elements) throw Error(fmt::format("pads of {} and {}", before, after));
    if (mode == "reflect" && std::max(before, after) >= shape[d]) throw Error("reflect pads beyond the input");
    if ((mode == "edge" || mode == "wrap") && shape[d] == 0) throw Error(mode + " pads of an empty input");
    shape[d] += before + after;
  }
  node.op.attributes = {{"pads", pads}, {"value", value[0]}, {"mode", mode}};
  node.keep_inputs(1);
  node.result(node.input(0).type, shape);
}

void infer_depth_to_space(OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto block = node.get_int("blocksize", 0);
  if (x.size() != 4 || block < 1 || block > 1024) throw Error(fmt::format("blocksize {} of {}", block, to_string(x)));
  if (node.op.type == "DepthToSpace") {
    const auto mode = node.get("mode", std::string("DCR"));
    if (mode != "DCR" && mode != "CRD") throw Error("mode is '" + mode + "'");
    if (x[1] % (block * block) != 0) throw Error(fmt::format("blocksize {} of {}", block, to_string(x)));
    node.result(node.input(0).type, {x[0], x[1] / (block * block), x[2] * block, x[3] * block});
  } else {
    if (x[2] % block != 0 || x[3] % block != 0) throw Error(fmt::format("blocksize {} of {}", block, to_string(x)));
    node.result(node.input(0).type, {x[0], x[1] * block * block, x[2] / block, x[3] / block});
  }
}

void infer_trilu(OnnxNode& node) {
  if (node.shape(0).size() < 2) throw Error("the input is no matrix");
  const auto diagonal = node.integers_from(1, "k").value_or(Integers{0});
  if (diagonal.size() != 1) throw Error("k must be a scalar");
  node.op.attributes = {{"upper", node.get_int("upper", 1)}, {"k", diagonal[0]}};
  node.keep_inputs(1);
  node.same_as(0);
}

void infer_shape(OnnxNode& node) {
  const auto rank = static_cast<std::int64_t>(node.shape(0).size());
  const auto clip = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const auto start = clip(node.get_int("start", 0));
  const auto end = clip(node.get_int("end", rank));
  node.op.attributes = {{"start", start}, {"end", std::max(start, end)}};
  node.result(ElementType::i64, {std::max(start, end) - start});
}

void infer_eye_like(OnnxNode& node) {
  if (node.shape(0).size() != 2) throw Error("the input is no matrix");
  const auto asked = static_cast<int>(node.get_int("dtype", 0));
  node.result(asked == 0 ? node.input(0).type : element_type_of(asked), node.shape(0));
}

/// Of a constant: how large the result is depends on values.
void infer_non_zero(OnnxNode& node) {
  if (!node.input(0).is_constant()) {
    throw Error("how large its result is depends on values, and all shapes must be known");
  }
  const auto numbers = node.constant_numbers(0);
  const auto zeros = std::ranges::count(numbers, 0.0);
  node.result(ElementType::i64, {std::ssize(node.shape(0)), std::ssize(numbers) - zeros});
}

void infer_size(OnnxNode& node) { node.result(ElementType::i64, {}); }

void infer_constant(OnnxNode& node) {
  const auto tensor = constant_value(node);
  node.result(tensor.type, tensor.shape);
}

void infer_constant_of_shape(OnnxNode& node) { node.result(fill_value(node).type, node.constant_integers(0)); }

void infer_range(OnnxNode& node) {
  std::vector<double> bounds;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = node.constant_numbers(i);
    if (value.size() != 1) throw Error("Range needs scalars");
    bounds.push_back(value[0]);
  }
  const auto count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (!std::isfinite(count)) throw Error("Range without end");
  if (!(std::abs(count) < static_cast<double>(max_elements))) {
    throw Error(fmt::format("a range of {:.0f} elements; it must have fewer than {}", std::abs(count), max_elements));
  }
  node.result(node.input(0).type, {std::max<std::int64_t>(static_cast<std::int64_t>(count), 0)});
}

}  // namespace

void add_layout_rules(OnnxRules& rules) {
  rules["Reshape"] = {1, 2, infer_reshape};
  rules["Flatten"] = {1, 1, infer_flatten};
  rules["Squeeze"] = {1, 2, infer_squeeze};
  rules["Unsqueeze"] = {1, 2, infer_unsqueeze};
  rules["Transpose"] = {1, 1, infer_transpose};
  rules["Concat"] = {1, 10000, infer_concat};
  rules["Split"] = {1, 2, infer_split};
  rules["Slice"] = {1, 5, infer_slice};
  rules["Gather"] = {2, 2, infer_gather};
  rules["Expand"] = {2, 2, infer_expand};
  rules["Tile"] = {2, 2, infer_tile};
  rules["Pad"] = {1, 4, infer_pad};
  rules["Trilu"] = {1, 2, infer_trilu};
  rules["DepthToSpace"] = {1, 1, infer_depth_to_space};
  rules["SpaceToDepth"] = {1, 1, infer_depth_to_space};
  rules["Shape"] = {1, 1, infer_shape};
  rules["Size"] = {1, 1, infer_size};
  rules["NonZero"] = {1, 1, infer_non_zero};
  rules["EyeLike"] = {1, 1, infer_eye_like};
  rules["Constant"] = {0, 0, infer_constant};
  rules["ConstantOfShape"] = {1, 1, infer_constant_of_shape};
  rules["Range"] = {3, 3, infer_range};
}

}  // namespace accord

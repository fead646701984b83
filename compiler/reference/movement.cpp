// Operators that move elements without changing them.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

using Ints = std::vector<std::int64_t>;

/// y[i] = x[source[i]].
void gather_elements(const TensorView& x, const Ints& source, Value& y, std::int64_t first = 0) {
  const auto size = static_cast<std::size_t>(bytes(x.type));
  std::byte* to = y.data.data() + static_cast<std::size_t>(first) * size;
  for (std::size_t i = 0; i < source.size(); ++i) {
    std::memcpy(to + i * size, x.data + static_cast<std::size_t>(source[i]) * size, size);
  }
}

void copy(const OperatorCall& call) {
  if (call.inputs[0].type != call.outputs[0].type ||
      element_count(call.inputs[0].shape) != element_count(call.outputs[0].shape)) {
    throw Error("input and output differ in type or element count");
  }
  if (!call.outputs[0].data.empty()) {
    std::memcpy(call.outputs[0].data.data(), call.inputs[0].data, call.outputs[0].data.size());
  }
}

void transpose(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  Ints reversed(x.shape.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const Ints perm = attribute(call.op, "perm", reversed);
  const Ints strides = row_major_strides(x.shape);
  if (perm.size() != x.shape.size()) throw Error("perm does not fit the rank");
  Ints permuted;
  for (std::int64_t axis : perm) permuted.push_back(strides[normalise_axis(axis, strides.size())]);
  gather_elements(x, strided_indices(call.outputs[0].shape, permuted), call.outputs[0]);
}

void expand(const OperatorCall& call) {
  gather_elements(call.inputs[0], broadcast_indices(call.inputs[0].shape, call.outputs[0].shape), call.outputs[0]);
}

/// Bytes of a tensor in rows: everything from `axis` on is one row.
std::int64_t row_bytes(const TensorView& x, std::size_t axis) {
  return element_count({x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end()}) * bytes(x.type);
}

void concat(const OperatorCall& call) {
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{0}), call.outputs[0].shape.size());
  const std::int64_t out_row = row_bytes(view(call.outputs[0]), axis);
  std::int64_t at = 0;
  for (const TensorView& x : call.inputs) {
    const std::int64_t row = row_bytes(x, axis);
    for (std::int64_t i = 0; row && i * out_row + at < static_cast<std::int64_t>(call.outputs[0].data.size()); ++i) {
      std::memcpy(call.outputs[0].data.data() + i * out_row + at, x.data + i * row, static_cast<std::size_t>(row));
    }
    at += row;
  }
  if (at != out_row) throw Error("inputs do not add up to the output");
}

/// Outputs that nobody reads may be absent, the last ones from the list too: `split` has the sizes of all.
void split(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{0}), x.shape.size());
  const std::int64_t in_row = row_bytes(x, axis);
  std::int64_t at = 0;
  std::size_t o = 0;
  for (const std::int64_t part : attribute(call.op, "split", Ints{})) {
    const std::int64_t row = part * (in_row / x.shape[axis]);
    const std::int64_t size = call.has_output(o) ? static_cast<std::int64_t>(call.outputs[o].data.size()) : 0;
    for (std::int64_t i = 0; i * row < size; ++i) {
      std::memcpy(call.outputs[o].data.data() + i * row, x.data + i * in_row + at, static_cast<std::size_t>(row));
    }
    at += row;
    ++o;
  }
  if (at != in_row) throw Error("outputs do not add up to the input");
}

void slice(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const Ints starts = attribute(call.op, "starts", Ints{}), axes = attribute(call.op, "axes", Ints{});
  const Ints steps = attribute(call.op, "steps", Ints(starts.size(), 1));
  if (axes.size() != starts.size() || steps.size() != starts.size())
    throw Error("starts, axes and steps differ in length");
  Ints strides = row_major_strides(x.shape);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = normalise_axis(axes[i], x.shape.size());
    const std::int64_t last = starts[i] + (call.outputs[0].shape[axis] - 1) * steps[i];
    if (call.outputs[0].shape[axis] > 0 &&
        (std::min(starts[i], last) < 0 || std::max(starts[i], last) >= x.shape[axis])) {
      throw Error("range is outside the input");
    }
    first += starts[i] * strides[axis];
    strides[axis] *= steps[i];
  }
  gather_elements(x, strided_indices(call.outputs[0].shape, strides, first), call.outputs[0]);
}

/// Index in 0..size-1 that position `at` (maybe outside) stands for, or -1 for the pad value.
std::int64_t padded_source(std::int64_t at, std::int64_t size, const std::string& mode) {
  if (at >= 0 && at < size) return at;
  if (mode == "edge") return at < 0 ? 0 : size - 1;
  if (mode == "wrap") return ((at % size) + size) % size;
  if (mode != "reflect") return -1;
  if (size == 1) return 0;
  const std::int64_t period = 2 * (size - 1), folded = ((at % period) + period) % period;
  return folded < size ? folded : period - folded;
}

void pad(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const Shape& shape = call.outputs[0].shape;
  const Ints pads = attribute(call.op, "pads", Ints(2 * shape.size(), 0));
  const std::string mode = attribute(call.op, "mode", std::string("constant"));
  if (pads.size() != 2 * shape.size()) throw Error("pads do not fit the rank");
  const double value = attribute(call.op, "value", 0.0);
  const auto elements = load_as<double>(x);
  const Ints strides = row_major_strides(shape), x_strides = row_major_strides(x.shape);
  std::vector<double> y(count_of(shape));
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < shape.size() && source >= 0; ++d) {
      const std::int64_t at = static_cast<std::int64_t>(i) / strides[d] % shape[d] - pads[d];
      const std::int64_t from = padded_source(at, x.shape[d], mode);
      source = from < 0 ? -1 : source + from * x_strides[d];
    }
    y[i] = source < 0 ? value : elements[static_cast<std::size_t>(source)];
  }
  store_all(call.outputs[0], y);
}

/// `index_of`(position of the result, dimension) is the input's index.
template <typename IndexOf>
void take(const OperatorCall& call, const IndexOf& index_of) {
  const TensorView& x = call.inputs[0];
  const Shape& shape = call.outputs[0].shape;
  const Ints strides = row_major_strides(shape), x_strides = row_major_strides(x.shape);
  Ints source(count_of(shape));
  for (std::size_t i = 0; i < source.size(); ++i) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      source[i] += index_of(static_cast<std::int64_t>(i) / strides[d] % shape[d], d) * x_strides[d];
    }
  }
  gather_elements(x, source, call.outputs[0]);
}

void tile(const OperatorCall& call) {
  take(call, [&](std::int64_t at, std::size_t d) { return at % call.inputs[0].shape[d]; });
}

void repeat(const OperatorCall& call) {
  const Ints repeats = attribute(call.op, "repeats", Ints{});
  take(call, [&](std::int64_t at, std::size_t d) { return at / repeats.at(d); });
}

std::int64_t wrapped_index(std::int64_t index, std::int64_t size) {
  if (index < -size || index >= size) throw Error("index " + std::to_string(index) + " is out of range");
  return index < 0 ? index + size : index;
}

void gather(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{0}), x.shape.size());
  const auto indices = load_as<std::int64_t>(call.inputs[1]);
  const std::int64_t row = row_bytes(x, axis + 1), size = x.shape[axis];
  const std::int64_t outer = row ? row_bytes(x, 0) / std::max<std::int64_t>(1, row * size) : 0;
  std::byte* to = call.outputs[0].data.data();
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t index : indices) {
      const std::int64_t from = o * size + wrapped_index(index, size);
      std::memcpy(to, x.data + from * row, static_cast<std::size_t>(row));
      to += row;
    }
  }
}

void gather_along_axis(const OperatorCall& call) {
  const TensorView &x = call.inputs[0], &indices = call.inputs[1];
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{0}), x.shape.size());
  Ints strides = row_major_strides(x.shape);
  const std::int64_t axis_stride = strides[axis];
  strides[axis] = 0;
  Ints source = strided_indices(indices.shape, strides);
  const auto at = load_as<std::int64_t>(indices);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] += wrapped_index(at[i], x.shape[axis]) * axis_stride;
  gather_elements(x, source, call.outputs[0]);
}

/// Keeps what lies on or above (lower: below) the k-th diagonal of each matrix; the rest is 0.
void trilu(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const auto size = static_cast<std::size_t>(bytes(x.type));
  const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  const std::int64_t diagonal = attribute(call.op, "k", std::int64_t{0});
  const bool upper = attribute(call.op, "upper", std::int64_t{1}) != 0;
  for (std::int64_t i = 0; i < element_count(x.shape); ++i) {
    const std::int64_t row = i / columns % rows, right_of = i % columns - row;
    if (upper ? right_of < diagonal : right_of > diagonal) continue;
    const auto at = static_cast<std::size_t>(i) * size;
    std::memcpy(call.outputs[0].data.data() + at, x.data + at, size);
  }
}

void depth_to_space(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const std::int64_t b = attribute(call.op, "blocksize", std::int64_t{1});
  if (x.shape.size() != 4 || b < 1 || x.shape[1] % (b * b) != 0)
    throw Error("channels are not a multiple of the block");
  const std::int64_t n = x.shape[0], c = x.shape[1] / (b * b), h = x.shape[2], w = x.shape[3];
  const bool column_first = attribute(call.op, "mode", std::string("DCR")) == "CRD";
  const Ints strides = column_first ? row_major_strides({n, c, b, b, h, w}) : row_major_strides({n, b, b, c, h, w});
  const Ints permuted = column_first ? Ints{strides[0], strides[1], strides[4], strides[2], strides[5], strides[3]}
                                     : Ints{strides[0], strides[3], strides[4], strides[1], strides[5], strides[2]};
  gather_elements(x, strided_indices({n, c, h, b, w, b}, permuted), call.outputs[0]);
}

void space_to_depth(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const std::int64_t b = attribute(call.op, "blocksize", std::int64_t{1});
  if (x.shape.size() != 4 || b < 1 || x.shape[2] % b != 0 || x.shape[3] % b != 0)
    throw Error("plane is not a multiple of the block");
  const std::int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2] / b, w = x.shape[3] / b;
  const Ints s = row_major_strides({n, c, h, b, w, b});
  gather_elements(x, strided_indices({n, b, b, c, h, w}, {s[0], s[3], s[5], s[1], s[2], s[4]}), call.outputs[0]);
}

}  // namespace

void add_movement(OperatorTable& table) {
  for (const char* type : {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"}) table[type] = copy;
  table["Transpose"] = transpose;
  table["Expand"] = expand;
  table["Concat"] = concat;
  table["Split"] = split;
  table["Slice"] = slice;
  table["Pad"] = pad;
  table["Tile"] = tile;
  table["Repeat"] = repeat;
  table["Gather"] = gather;
  table["GatherElements"] = gather_along_axis;
  table["Trilu"] = trilu;
  table["DepthToSpace"] = depth_to_space;
  table["SpaceToDepth"] = space_to_depth;
}

}  // namespace accord::reference

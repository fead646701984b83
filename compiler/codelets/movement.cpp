#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "archdsl/source/error.h"
#include "compiler/codelets/expand.h"
#include "compiler/network/common_factors.h"

namespace accord {
namespace {

using Texts = std::vector<std::string>;

Texts concat(const Network& network, const Operator& op, std::map<std::string, TensorId>& tensors,
             std::vector<Iterator>& iterators) {
  const Shape& whole = network.tensors[op.outputs[0]].shape;
  auto axis = attribute(op, "axis", std::int64_t{1});
  if (axis < 0) axis += static_cast<std::int64_t>(whole.size());
  Texts statements;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const auto name = fmt::format("x{}", i);
    tensors[name] = op.inputs[i];
    const Shape& shape = network.tensors[op.inputs[i]].shape;
    const Texts index = iterate(shape, iterators, fmt::format("i{}_", i));
    Texts target = index;
    target[axis] += fmt::format(" + {}", offset);
    statements.push_back(fmt::format("{} = {}", access("y", target), access(name, index)));
    offset += shape[axis];
  }
  return statements;
}

Texts transpose(const Network& network, const Operator& op, std::vector<Iterator>& iterators) {
  const Shape& shape = network.tensors[op.inputs[0]].shape;
  std::vector<std::int64_t> reversed(shape.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const auto perm = attribute(op, "perm", reversed);
  const Texts index = iterate(shape, iterators, "d");
  Texts target;
  for (const auto p : perm) target.push_back(index.at(p));
  return {fmt::format("{} = {}", access("y", target), access("x", index))};
}

/// Index texts of a shape over the refined factors: each dimension is the mixed-radix number of its factors.
bool over_factors(const Shape& shape, const std::vector<std::int64_t>& factors, const Texts& names, Texts& index) {
  std::size_t at = 0;
  for (const auto extent : shape) {
    std::vector<std::pair<std::string, std::int64_t>> parts;
    std::int64_t product = 1;
    while (product < extent && at < factors.size()) {
      product *= factors[at];
      parts.emplace_back(names[at++], 1);
    }
    if (product != extent) return false;
    std::int64_t weight = 1;
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
      it->second = weight;
      weight *= factors[at - 1 - static_cast<std::size_t>(it - parts.rbegin())];
    }
    Texts terms;
    for (const auto& [name, w] : parts) terms.push_back(fmt::format("{}*{}", w, name));
    index.push_back(parts.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + ")));
  }
  return true;
}

Texts reshape(const Network& network, const Operator& op, std::vector<Iterator>& iterators) {
  const Shape& from = network.tensors[op.inputs[0]].shape;
  const Shape& to = network.tensors[op.outputs[0]].shape;
  const auto factors = common_factors(from, to).value_or(std::vector<std::int64_t>{});
  const Texts names = iterate(factors, iterators, "f");
  Texts source, target;
  if (!over_factors(from, factors, names, source) || !over_factors(to, factors, names, target)) {
    throw Error(fmt::format("{}: reshape of [{}] to [{}] mixes dimensions that do not divide", op.name,
                            fmt::join(from, ","), fmt::join(to, ",")));
  }
  return {fmt::format("{} = {}", access("y", target), access("x", source))};
}

Texts slice(const Network& network, const Operator& op, std::vector<Iterator>& iterators) {
  const Shape& shape = network.tensors[op.outputs[0]].shape;
  const Shape& from = network.tensors[op.inputs[0]].shape;
  const auto starts = attribute(op, "starts", std::vector<std::int64_t>{});
  std::vector<std::int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = attribute(op, "axes", axes);
  const auto steps = attribute(op, "steps", std::vector<std::int64_t>(starts.size(), 1));
  const Texts index = iterate(shape, iterators, "d");
  Texts source = index;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(shape.size()) : axes[i];
    auto start = starts[i] < 0 ? starts[i] + from[axis] : starts[i];
    start = std::clamp<std::int64_t>(start, 0, steps[i] < 0 ? from[axis] - 1 : from[axis]);
    source[axis] = fmt::format("{}*{} + {}", steps[i], index[axis], start);
  }
  return {fmt::format("{} = {}", access("y", index), access("x", source))};
}

Texts pad(const Network& network, const Operator& op, Generated& generated) {
  const auto pads = attribute(op, "pads", std::vector<std::int64_t>{});
  const Texts index = iterate(network.tensors[op.outputs[0]].shape, generated.iterators, "d");
  Texts source;
  for (std::size_t i = 0; i < index.size(); ++i) source.push_back(fmt::format("{} - {}", index[i], pads.at(i)));
  generated.outside["x"] = attribute(op, "value", 0.0);
  return {fmt::format("{} = {}", access("y", index), access("x", source))};
}

Texts tile(const Network& network, const Operator& op, std::vector<Iterator>& iterators) {
  const Shape& from = network.tensors[op.inputs[0]].shape;
  const Texts index = iterate(from, iterators, "d");
  const Texts turn = iterate(attribute(op, "repeats", std::vector<std::int64_t>{}), iterators, "r");
  Texts target;
  for (std::size_t i = 0; i < from.size(); ++i)
    target.push_back(fmt::format("{}*{} + {}", from[i], turn.at(i), index[i]));
  return {fmt::format("{} = {}", access("y", target), access("x", index))};
}

/// Each element as often as `repeats` says, side by side.
Texts repeat(const Network& network, const Operator& op, std::vector<Iterator>& iterators) {
  const auto repeats = attribute(op, "repeats", std::vector<std::int64_t>{});
  const Texts index = iterate(network.tensors[op.inputs[0]].shape, iterators, "d");
  const Texts turn = iterate(repeats, iterators, "r");
  Texts target;
  for (std::size_t i = 0; i < index.size(); ++i)
    target.push_back(fmt::format("{}*{} + {}", repeats.at(i), index[i], turn[i]));
  return {fmt::format("{} = {}", access("y", target), access("x", index))};
}

/// y takes slices of x along `axis`, one per index.
Texts gather(const Network& network, const Operator& op, std::vector<Iterator>& iterators) {
  const Shape& from = network.tensors[op.inputs[0]].shape;
  const auto axis = attribute(op, "axis", std::int64_t{0});
  const std::size_t at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis);
  const std::size_t rank = network.tensors[op.inputs[1]].shape.size();
  const Texts index = iterate(network.tensors[op.outputs[0]].shape, iterators, "d");
  const auto begin = index.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = begin + static_cast<std::ptrdiff_t>(rank);
  Texts source(index.begin(), begin);
  source.push_back(access("indices", {begin, end}));
  source.insert(source.end(), end, index.end());
  return {fmt::format("{} = {}", access("y", index), access("x", source))};
}

}  // namespace

Generated movement_statements(const Network& network, const Operator& op) {
  Generated generated;
  const bool moves = op.type == "Concat" || op.type == "Transpose" || op.type == "Reshape" || op.type == "Slice" ||
                     op.type == "Identity" || op.type == "Gather" || op.type == "Tile" || op.type == "Pad" ||
                     op.type == "Repeat";
  if (!moves) return generated;
  generated.tensors["y"] = op.outputs[0];
  if (op.type == "Concat") {
    generated.statements = concat(network, op, generated.tensors, generated.iterators);
    return generated;
  }
  generated.tensors["x"] = op.inputs[0];
  if (op.type == "Gather") {
    generated.tensors["indices"] = op.inputs[1];
    generated.statements = gather(network, op, generated.iterators);
    return generated;
  }
  if (op.type == "Pad") {
    if (attribute(op, "mode", std::string("constant")) != "constant") return {};
    generated.statements = pad(network, op, generated);
    return generated;
  }
  const auto make = op.type == "Transpose" ? transpose
                    : op.type == "Slice"   ? slice
                    : op.type == "Tile"    ? tile
                    : op.type == "Repeat"  ? repeat
                                           : reshape;
  generated.statements = make(network, op, generated.iterators);
  return generated;
}

}  // namespace accord

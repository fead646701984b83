// Movement in terms of less: Pad that repeats elements takes them by constant indices; blocks of depth and space are
// transposed; Trilu chooses by a constant mask.
#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;
using IndexOf = std::function<std::int64_t(std::size_t axis, std::int64_t at)>;

/// One Gather per axis whose elements are not all in their places.
void take(Network& network, const Operator& op, const IndexOf& index_of, std::vector<Operator>& operators) {
  OperatorList list(network, op.name, operators);
  const auto target = network.tensor(op.outputs[0]).shape;
  auto x = op.inputs[0];
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    auto shape = list.shape(x);
    Integers indices(static_cast<std::size_t>(target[axis]));
    bool moved = shape[axis] != target[axis];
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices[i] = index_of(axis, static_cast<std::int64_t>(i));
      moved = moved || indices[i] != static_cast<std::int64_t>(i);
    }
    if (!moved) continue;
    shape[axis] = target[axis];
    const auto by = network.add(make_constant(op.name + ".indices", {target[axis]}, indices));
    x = list.move("Gather", "axis" + std::to_string(axis), {x, by}, shape, {{"axis", static_cast<std::int64_t>(axis)}});
  }
  list.add("Identity", "", {x}, target, {}, op.outputs[0]);
}

void pad(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const auto from = network.tensor(op.inputs[0]).shape;
  const auto pads = attribute(op, "pads", Integers{});
  const bool reflects = attribute(op, "mode", std::string()) == "reflect";
  const bool wraps = attribute(op, "mode", std::string()) == "wrap";
  const auto index_of = [&](std::size_t axis, std::int64_t at) {
    const std::int64_t last = from[axis] - 1;
    std::int64_t i = at - pads[axis];
    if (wraps) return ((i % from[axis]) + from[axis]) % from[axis];
    while (reflects && last > 0 && (i < 0 || i > last)) i = i < 0 ? -i : 2 * last - i;
    return std::clamp<std::int64_t>(i, 0, last);
  };
  take(network, op, index_of, operators);
}

void blocks(Network& network, const Operator& op, std::vector<Operator>& operators) {
  OperatorList list(network, op.name, operators);
  const auto x = list.shape(op.inputs[0]);
  const auto b = attribute(op, "blocksize", std::int64_t{1});
  Shape split;
  Integers perm;
  if (op.type == "SpaceToDepth") {
    split = {x[0], x[1], x[2] / b, b, x[3] / b, b};
    perm = {0, 3, 5, 1, 2, 4};
  } else if (attribute(op, "mode", std::string("DCR")) == "CRD") {
    split = {x[0], x[1] / (b * b), b, b, x[2], x[3]};
    perm = {0, 1, 4, 2, 5, 3};
  } else {
    split = {x[0], b, b, x[1] / (b * b), x[2], x[3]};
    perm = {0, 3, 4, 1, 5, 2};
  }
  Shape moved;
  for (const auto axis : perm) moved.push_back(split[static_cast<std::size_t>(axis)]);
  const auto y =
      list.move("Transpose", "blocks", {list.reshape("split", op.inputs[0], split)}, moved, {{"perm", perm}});
  list.reshape("", y, network.tensor(op.outputs[0]).shape, op.outputs[0]);
}

/// A constant mask says which elements stay; the others are 0.
void trilu(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const auto type = network.tensor(op.inputs[0]).type;
  const auto shape = network.tensor(op.inputs[0]).shape;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const auto diagonal = attribute(op, "k", std::int64_t{0});
  const bool upper = attribute(op, "upper", std::int64_t{1}) != 0;
  std::vector<std::byte> stays(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const auto right_of = i % columns - i / columns;
    stays[static_cast<std::size_t>(i)] = std::byte{upper ? right_of >= diagonal : right_of <= diagonal};
  }
  const auto constant = [&](const char* what, ElementType of, Shape extents, std::vector<std::byte> data) {
    return network.add({op.name + what, of, std::move(extents), owned(std::move(data)), std::nullopt});
  };
  std::vector<std::byte> nothing(static_cast<std::size_t>(bytes(type)));
  const auto zero = constant(".zero", type, {}, std::move(nothing));
  const auto mask = constant(".mask", ElementType::u8, {rows, columns}, std::move(stays));
  operators.push_back({op.name, "Where", {mask, op.inputs[0], zero}, op.outputs, {}});
}

}  // namespace

void expand_movement(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Pad" && attribute(op, "mode", std::string("constant")) != "constant") {
      pad(network, op, operators);
    } else if (op.type == "DepthToSpace" || op.type == "SpaceToDepth") {
      blocks(network, op, operators);
    } else if (op.type == "Trilu") {
      trilu(network, op, operators);
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

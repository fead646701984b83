#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// Padding with zeros, outwards, of spatial dimensions only.
bool is_plane_padding(const Operator& op) {
  if (op.type != "Pad" || attribute(op, "mode", std::string("constant")) != "constant") return false;
  if (attribute(op, "value", 0.0) != 0) return false;
  const auto pads = attribute(op, "pads", Integers{});
  const auto rank = pads.size() / 2;
  for (std::size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < 0 || (pads[i] != 0 && i % rank < 2)) return false;
  }
  return rank > 2;
}

bool takes_zero_padding(const Operator& op) {
  if (op.type == "Conv") return true;
  if (op.type != "AveragePool" || attribute(op, "ceil_mode", std::int64_t{0}) != 0) return false;
  const auto pads = attribute(op, "pads", Integers{});
  return attribute(op, "count_include_pad", std::int64_t{0}) != 0 || pads == Integers(pads.size(), 0);
}

}  // namespace

void merge_padding(Network& network) {
  const GraphIndex index(network);
  for (auto& op : network.operators) {
    if (!takes_zero_padding(op)) continue;
    const auto before = index.producer(op.inputs[0]);
    if (before < 0) continue;
    const auto& padding = network.operators[static_cast<std::size_t>(before)];
    if (!is_plane_padding(padding)) continue;
    const auto outer = attribute(padding, "pads", Integers{});
    auto pads = attribute(op, "pads", Integers{});
    const auto planes = pads.size() / 2;
    for (std::size_t d = 0; d < planes; ++d) {
      pads[d] += outer[d + 2];
      pads[planes + d] += outer[planes + 2 + d + 2];
    }
    op.attributes["pads"] = pads;
    if (op.type == "AveragePool") op.attributes["count_include_pad"] = std::int64_t{1};
    op.inputs[0] = padding.inputs[0];
  }
}

}  // namespace accord

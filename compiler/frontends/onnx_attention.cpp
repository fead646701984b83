// Shapes of Attention (opset 23): heads side by side in rank 3, apart in rank 4.
#include <cmath>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

/// [batch, heads, positions, width] of queries, keys or values.
Shape heads_apart(const OnnxNode& node, std::size_t input, const char* heads) {
  const Shape& x = node.shape(input);
  if (x.size() == 4) return x;
  const auto count = node.get_int(heads, 0);
  if (x.size() != 3 || count < 1 || x[2] % count != 0) {
    throw Error(fmt::format("input {} of shape {} with {} = {}", input, to_string(x), heads, count));
  }
  return {x[0], count, x[1], x[2] / count};
}

/// With what past inputs bring before them.
Shape with_past(const OnnxNode& node, std::size_t past, Shape now) {
  if (!node.has_input(past)) return now;
  const Shape& before = node.shape(past);
  const bool fits = before.size() == 4 && before[0] == now[0] && before[1] == now[1] && before[3] == now[3];
  if (!fits) throw Error(fmt::format("past {} does not fit {}", to_string(before), to_string(now)));
  now[2] += before[2];
  return now;
}

void refuse_unsupported(const OnnxNode& node) {
  if (node.get("softcap", 0.0) != 0) throw Error("softcap is not supported");
  if (node.output_count > 3) throw Error("the scores as a result are not supported");
  if (node.has_input(4) != node.has_input(5)) throw Error("past keys and values come together");
  if (node.has_input(4) && node.get_int("is_causal", 0) != 0) throw Error("is_causal with past keys is not supported");
}

void infer_attention(OnnxNode& node) {
  refuse_unsupported(node);
  const Shape q = heads_apart(node, 0, "q_num_heads");
  const Shape k = with_past(node, 4, heads_apart(node, 1, "kv_num_heads"));
  const Shape v = with_past(node, 5, heads_apart(node, 2, "kv_num_heads"));
  const bool fits = q[0] == k[0] && k[0] == v[0] && k[1] == v[1] && k[2] == v[2] && q[3] == k[3] && q[1] % k[1] == 0;
  if (!fits) throw Error(fmt::format("{}, {} and {} do not fit", to_string(q), to_string(k), to_string(v)));
  const Shape scores = {q[0], q[1], q[2], k[2]};
  if (node.has_input(3) && broadcast(scores, node.shape(3)) != scores) {
    throw Error(fmt::format("mask {} does not fit {}", to_string(node.shape(3)), to_string(scores)));
  }
  const double scale = node.get("scale", 1 / std::sqrt(static_cast<double>(q[3])));
  node.op.attributes = {
      {"q_num_heads", q[1]}, {"kv_num_heads", k[1]}, {"scale", scale}, {"is_causal", node.get_int("is_causal", 0)}};
  const auto type = node.input(0).type;
  node.result(type, node.shape(0).size() == 4 ? Shape{q[0], q[1], q[2], v[3]} : Shape{q[0], q[2], q[1] * v[3]});
  node.result(type, k);
  node.result(type, v);
}

}  // namespace

void add_attention_rules(OnnxRules& rules) { rules["Attention"] = {3, 6, infer_attention}; }

}  // namespace accord

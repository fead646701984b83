// ONNX's Attention: each head's softmax(q * k^T * scale + mask) * v.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

/// Queries, keys or values as [batch, heads, positions, width], heads apart.
struct Heads {
  Shape shape;
  std::vector<float> values;

  const float* row(std::int64_t batch, std::int64_t head, std::int64_t position) const {
    return values.data() + ((batch * shape[1] + head) * shape[2] + position) * shape[3];
  }
};

Heads heads_of(const TensorView& x, std::int64_t heads) {
  if (x.shape.size() == 4) return {x.shape, load_as<float>(x)};
  const Shape apart = {x.shape[0], heads, x.shape[1], x.shape[2] / heads};
  const auto together = load_as<float>(x);
  std::vector<float> values;
  for (const std::int64_t at : strided_indices(apart, {x.shape[1] * x.shape[2], apart[3], x.shape[2], 1})) {
    values.push_back(together[static_cast<std::size_t>(at)]);
  }
  return {apart, values};
}

Heads after(const Heads& past, const Heads& now) {
  Heads all{now.shape, {}};
  all.shape[2] += past.shape[2];
  for (std::int64_t head = 0; head < now.shape[0] * now.shape[1]; ++head) {
    for (const Heads* part : {&past, &now}) {
      const float* first = part->row(0, head, 0);
      all.values.insert(all.values.end(), first, first + part->shape[2] * part->shape[3]);
    }
  }
  return all;
}

Heads keys_or_values(const OperatorCall& call, std::size_t now, std::size_t past) {
  Heads heads = heads_of(call.inputs[now], attribute(call.op, "kv_num_heads", std::int64_t{1}));
  return call.has_input(past) ? after(heads_of(call.inputs[past], heads.shape[1]), heads) : heads;
}

/// What is added to each score: a mask of bools lets pass or forbids.
std::vector<float> biases(const OperatorCall& call, const Shape& scores) {
  std::vector<float> bias(count_of(scores));
  const bool causal = attribute(call.op, "is_causal", std::int64_t{0}) != 0;
  for (std::size_t i = 0; causal && i < bias.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at % scores[3] > at / scores[3] % scores[2]) bias[i] = -std::numeric_limits<float>::infinity();
  }
  if (!call.has_input(3)) return bias;
  const auto mask = load_as<float>(call.inputs[3]);
  const auto from = broadcast_indices(call.inputs[3].shape, scores);
  const bool real = is_float(call.inputs[3].type);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    const float value = mask[static_cast<std::size_t>(from[i])];
    bias[i] += real ? value : value != 0 ? 0.0F : -std::numeric_limits<float>::infinity();
  }
  return bias;
}

void softmax_of(std::vector<float>& scores) {
  const float top = *std::ranges::max_element(scores);
  float total = 0;
  for (float& score : scores) total += score = std::exp(score - top);
  for (float& score : scores) score /= total;
}

void attention(const OperatorCall& call) {
  const Heads q = heads_of(call.inputs[0], attribute(call.op, "q_num_heads", std::int64_t{1}));
  const Heads k = keys_or_values(call, 1, 4), v = keys_or_values(call, 2, 5);
  const auto scale = static_cast<float>(attribute(call.op, "scale", 1.0));
  const std::int64_t heads = q.shape[1], shared = heads / k.shape[1], rows = q.shape[2], keys = k.shape[2];
  const auto bias = biases(call, {q.shape[0], heads, rows, keys});
  const bool apart = call.inputs[0].shape.size() == 4;
  std::vector<float> y(count_of(call.outputs[0].shape)), scores(static_cast<std::size_t>(keys));
  for (std::int64_t r = 0; r < q.shape[0] * heads * rows; ++r) {
    const std::int64_t batch = r / (heads * rows), head = r / rows % heads, row = r % rows;
    for (std::int64_t j = 0; j < keys; ++j) {
      float sum = 0;
      for (std::int64_t d = 0; d < q.shape[3]; ++d) {
        sum += q.row(batch, head, row)[d] * k.row(batch, head / shared, j)[d];
      }
      scores[static_cast<std::size_t>(j)] = sum * scale + bias[static_cast<std::size_t>(r * keys + j)];
    }
    softmax_of(scores);
    const std::int64_t place = apart ? r : (batch * rows + row) * heads + head;
    for (std::int64_t j = 0; j < keys; ++j) {
      for (std::int64_t d = 0; d < v.shape[3]; ++d) {
        y[static_cast<std::size_t>(place * v.shape[3] + d)] +=
            scores[static_cast<std::size_t>(j)] * v.row(batch, head / shared, j)[d];
      }
    }
  }
  store_all(call.outputs[0], y);
  if (call.has_output(1)) store_all(call.outputs[1], k.values);
  if (call.has_output(2)) store_all(call.outputs[2], v.values);
}

}  // namespace

void add_attention(OperatorTable& table) { table["Attention"] = attention; }

}  // namespace accord::reference

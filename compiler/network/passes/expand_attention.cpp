// Attention becomes the chain that exporters write before opset 23.
#include <limits>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// Writes the chain of one Attention.
class AttentionChain {
 public:
  AttentionChain(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators) {}

  void write() {
    const auto q = heads_apart("q", op_.inputs[0], attribute(op_, "q_num_heads", std::int64_t{1}));
    const auto heads = list_.shape(q)[1];
    const auto k = repeated("k", keys_or_values("k", 1, 4), heads);
    const auto v = repeated("v", keys_or_values("v", 2, 5), heads);
    const auto seen = masked(scores(q, k));
    result(list_.add("Softmax", "weights", {seen}, list_.shape(seen), {{"axis", std::int64_t{3}}}), v);
  }

 private:
  TensorId at(const std::vector<TensorId>& ids, std::size_t i) const { return i < ids.size() ? ids[i] : no_tensor; }

  TensorId transposed(const std::string& what, TensorId x, const Integers& perm, TensorId y = no_tensor) {
    Shape moved;
    for (const auto axis : perm) moved.push_back(list_.shape(x)[static_cast<std::size_t>(axis)]);
    return list_.add("Transpose", what, {x}, moved, {{"perm", perm}}, y);
  }

  TensorId heads_apart(const std::string& what, TensorId x, std::int64_t heads) {
    const Shape shape = list_.shape(x);
    if (shape.size() == 4) return x;
    return transposed(what + "_heads", list_.reshape(what + "_split", x, {shape[0], shape[1], heads, shape[2] / heads}),
                      {0, 2, 1, 3});
  }

  /// Of past and present, which is a result too.
  TensorId keys_or_values(const std::string& what, std::size_t now, std::size_t past) {
    const auto heads = attribute(op_, "kv_num_heads", std::int64_t{1});
    const auto x = heads_apart(what, op_.inputs[now], heads), present = at(op_.outputs, now);
    if (at(op_.inputs, past) == no_tensor) {
      if (present != no_tensor) list_.add("Identity", what + "_present", {x}, list_.shape(x), {}, present);
      return x;
    }
    Shape all = list_.shape(x);
    all[2] += list_.shape(op_.inputs[past])[2];
    return list_.add("Concat", what + "_all", {op_.inputs[past], x}, all, {{"axis", std::int64_t{2}}}, present);
  }

  /// Once for each of the query heads that share them.
  TensorId repeated(const std::string& what, TensorId x, std::int64_t heads) {
    const Shape shape = list_.shape(x);
    if (shape[1] == heads) return x;
    const auto one = list_.reshape(what + "_shared", x, {shape[0], shape[1], 1, shape[2], shape[3]});
    const auto each =
        list_.add("Expand", what + "_repeated", {one}, {shape[0], shape[1], heads / shape[1], shape[2], shape[3]});
    return list_.reshape(what + "_each", each, {shape[0], heads, shape[2], shape[3]});
  }

  TensorId scores(TensorId q, TensorId k) {
    const auto turned = transposed("k_turned", k, {0, 1, 3, 2});
    Shape shape = list_.shape(q);
    shape[3] = list_.shape(k)[2];
    const auto product = list_.add("MatMul", "scores", {q, turned}, shape);
    return list_.binary("Mul", "scaled", product,
                        list_.scalar("scale", static_cast<float>(attribute(op_, "scale", 1.0))));
  }

  TensorId masked(TensorId scores) {
    if (attribute(op_, "is_causal", std::int64_t{0}) != 0) {
      scores = list_.binary("Add", "causal", scores, causal_mask(scores));
    }
    const auto mask = at(op_.inputs, 3);
    if (mask == no_tensor) return scores;
    if (network_.tensor(mask).type != ElementType::fp32) return allowed("allowed", mask, scores);
    return list_.binary("Add", "masked", scores, mask);
  }

  TensorId allowed(const std::string& what, TensorId mask, TensorId scores) {
    const auto nothing = list_.scalar(what + "_not", -std::numeric_limits<float>::infinity());
    return list_.add("Where", what, {mask, scores, nothing}, list_.shape(scores));
  }

  /// A position sees none that come after it.
  TensorId causal_mask(TensorId scores) {
    const auto rows = list_.shape(scores)[2], columns = list_.shape(scores)[3];
    std::vector<float> mask(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      if (i % columns > i / columns) mask[static_cast<std::size_t>(i)] = -std::numeric_limits<float>::infinity();
    }
    return list_.constant("seen", {rows, columns}, mask);
  }

  void result(TensorId weights, TensorId v) {
    Shape shape = list_.shape(weights);
    shape[3] = list_.shape(v)[3];
    const auto y = op_.outputs[0];
    const bool apart = list_.shape(y).size() == 4;
    const auto product = list_.add("MatMul", "product", {weights, v}, shape, {}, apart ? y : no_tensor);
    if (!apart) list_.reshape("", transposed("beside", product, {0, 2, 1, 3}), list_.shape(y), y);
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
};

}  // namespace

void expand_attention(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Attention") {
      AttentionChain(network, op, operators).write();
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord

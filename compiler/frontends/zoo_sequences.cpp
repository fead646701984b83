// Dense, recurrent and attention networks, with the operators that PyTorch exports for them.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compiler/frontends/zoo_networks.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

double deviation(std::int64_t fan_in) { return std::sqrt(1.0 / static_cast<double>(fan_in)); }

// ---- BERT (Devlin et al. 2019, base) ----

constexpr std::int64_t tokens = 128;
constexpr std::int64_t hidden = 768;
constexpr std::int64_t heads = 12;
constexpr std::int64_t head = hidden / heads;
constexpr std::int64_t inner = 3072;
constexpr std::int64_t vocabulary = 30522;
constexpr int layers = 12;

std::string dense(ZooBuilder& b, const std::string& name, const std::string& x, std::int64_t in, std::int64_t out) {
  const auto w = b.normals(name + ".weight", {in, out}, 0, deviation(in));
  const auto product = b.node("MatMul", name + ".matmul", {x, w});
  return b.node("Add", name, {b.normals(name + ".bias", {out}, 0, 0.02), product});
}

std::string layer_norm(ZooBuilder& b, const std::string& name, const std::string& x) {
  const std::vector<OnnxAttribute> last = {{"axes", Integers{-1}}};
  const auto centred = b.node("Sub", name + ".sub", {x, b.node("ReduceMean", name + ".mean", {x}, last)});
  const auto square = b.node("Pow", name + ".pow", {centred, b.scalar(name + ".two", 2)});
  const auto variance = b.node("ReduceMean", name + ".variance", {square}, last);
  const auto shifted = b.node("Add", name + ".epsilon", {variance, b.scalar(name + ".eps", 1e-12F)});
  const auto scaled = b.node("Div", name + ".div", {centred, b.node("Sqrt", name + ".sqrt", {shifted})});
  const auto weighted = b.node("Mul", name + ".mul", {scaled, b.uniforms(name + ".weight", {hidden}, 0.8, 1.2)});
  return b.node("Add", name, {weighted, b.normals(name + ".bias", {hidden}, 0, 0.05)});
}

std::string gelu(ZooBuilder& b, const std::string& name, const std::string& x) {
  const auto ratio = b.node("Div", name + ".div", {x, b.scalar(name + ".sqrt2", 1.41421356F)});
  const auto error = b.node("Erf", name + ".erf", {ratio});
  const auto sum = b.node("Add", name + ".add", {error, b.scalar(name + ".one", 1)});
  return b.node("Mul", name, {b.node("Mul", name + ".mul", {x, sum}), b.scalar(name + ".half", 0.5F)});
}

std::string split_heads(ZooBuilder& b, const std::string& name, const std::string& x, const Integers& perm) {
  const auto shape = b.integers(name + ".shape", {1, tokens, heads, head});
  return b.node("Transpose", name, {b.node("Reshape", name + ".reshape", {x, shape})}, {{"perm", perm}});
}

std::string attention(ZooBuilder& b, const std::string& name, const std::string& x) {
  const auto q = split_heads(b, name + ".q", dense(b, name + ".query", x, hidden, hidden), {0, 2, 1, 3});
  const auto k = split_heads(b, name + ".k", dense(b, name + ".key", x, hidden, hidden), {0, 2, 3, 1});
  const auto v = split_heads(b, name + ".v", dense(b, name + ".value", x, hidden, hidden), {0, 2, 1, 3});
  const auto scores = b.node("MatMul", name + ".scores", {q, k});
  const auto scaled = b.node("Div", name + ".scale", {scores, b.scalar(name + ".sqrt_head", 8)});
  const auto weights = b.node("Softmax", name + ".softmax", {scaled}, {{"axis", std::int64_t{-1}}});
  const auto mixed = b.node("MatMul", name + ".context", {weights, v});
  const auto merged = b.node("Transpose", name + ".merge", {mixed}, {{"perm", Integers{0, 2, 1, 3}}});
  const auto flat = b.node("Reshape", name + ".flatten", {merged, b.integers(name + ".flat", {1, tokens, hidden})});
  return dense(b, name + ".output", flat, hidden, hidden);
}

std::string encoder_layer(ZooBuilder& b, const std::string& name, const std::string& x) {
  const auto attended = b.node("Add", name + ".add1", {attention(b, name + ".attention", x), x});
  const auto middle = layer_norm(b, name + ".norm1", attended);
  const auto wide = gelu(b, name + ".gelu", dense(b, name + ".intermediate", middle, hidden, inner));
  const auto narrow = dense(b, name + ".output", wide, inner, hidden);
  return layer_norm(b, name + ".norm2", b.node("Add", name + ".add2", {narrow, middle}));
}

std::string embed(ZooBuilder& b) {
  b.input("input_ids", onnx::TensorProto::INT64, {1, tokens});
  const auto words = b.normals("embeddings.word.weight", {vocabulary, hidden}, 0, 0.5);
  const auto positions = b.normals("embeddings.position.weight", {1, tokens, hidden}, 0, 0.5);
  const auto looked_up = b.node("Gather", "embeddings.word", {words, "input_ids"}, {{"axis", std::int64_t{0}}});
  return layer_norm(b, "embeddings.norm", b.node("Add", "embeddings.add", {looked_up, positions}));
}

// ---- LSTM ----

constexpr std::int64_t steps = 32;
constexpr std::int64_t lstm_inputs = 128;
constexpr std::int64_t lstm_hidden = 256;

std::string lstm_layer(ZooBuilder& b, const std::string& name, const std::string& x, std::int64_t inputs) {
  const auto w = b.normals(name + ".W", {1, 4 * lstm_hidden, inputs}, 0, deviation(inputs));
  const auto r = b.normals(name + ".R", {1, 4 * lstm_hidden, lstm_hidden}, 0, deviation(lstm_hidden));
  const auto bias = b.normals(name + ".B", {1, 8 * lstm_hidden}, 0, 0.05);
  const auto y = b.node("LSTM", name, {x, w, r, bias}, {{"hidden_size", lstm_hidden}}, 3);
  return b.node("Squeeze", name + ".squeeze", {y, b.integers(name + ".axis", {1})});
}

constexpr std::array<std::int64_t, 3> mlp_features = {1024, 512, 10};

}  // namespace

void build_bert_base(ZooBuilder& builder) {
  auto x = embed(builder);
  for (int i = 0; i < layers; ++i) x = encoder_layer(builder, fmt::format("encoder.{}", i), x);
  builder.output(x, {1, tokens, hidden});
}

void build_lstm(ZooBuilder& builder) {
  builder.input("input", onnx::TensorProto::FLOAT, {1, steps, lstm_inputs});
  auto x = builder.node("Transpose", "transpose", {"input"}, {{"perm", Integers{1, 0, 2}}});
  x = lstm_layer(builder, "lstm0", x, lstm_inputs);
  x = lstm_layer(builder, "lstm1", x, lstm_hidden);
  const auto last = builder.node("Gather", "last", {x, builder.integers("last.index", {steps - 1})});
  const auto flat = builder.node("Squeeze", "last.squeeze", {last, builder.integers("last.axis", {0})});
  const auto w = builder.normals("fc.weight", {10, lstm_hidden}, 0, deviation(lstm_hidden));
  const auto y =
      builder.node("Gemm", "fc", {flat, w, builder.normals("fc.bias", {10}, 0, 0.02)}, {{"transB", std::int64_t{1}}});
  builder.output(y, {1, 10});
}

void build_mlp(ZooBuilder& builder) {
  auto x = builder.image_input("input", {1, 784});
  for (std::size_t i = 0; i < mlp_features.size(); ++i) {
    x = builder.linear(fmt::format("fc{}", i), x, mlp_features[i]);
    if (i + 1 < mlp_features.size()) x = builder.relu(fmt::format("relu{}", i), x);
  }
  builder.output(x.name, x.shape);
}

}  // namespace accord

#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// The image that a Gemm reads flattened, if its plane is larger than 1x1.
TensorId flattened_image(const Network& network, const GraphIndex& index, const Operator& op) {
  if (op.type != "Gemm" || !network.tensor(op.inputs[1]).is_constant()) return no_tensor;
  const auto before = index.producer(op.inputs[0]);
  if (before < 0 || network.operators[static_cast<std::size_t>(before)].type != "Reshape") return no_tensor;
  const auto image = network.operators[static_cast<std::size_t>(before)].inputs[0];
  const auto& x = network.tensor(image).shape;
  const auto& flat = network.tensor(op.inputs[0]).shape;
  if (x.size() != 4 || x[2] * x[3] == 1 || flat != Shape{x[0], x[1] * x[2] * x[3]}) return no_tensor;
  return image;
}

void convolve(Network& network, Operator op, TensorId image, std::vector<Operator>& operators) {
  const auto x = network.tensor(image).shape;
  auto weights = network.tensor(op.inputs[1]);
  weights.shape = {weights.shape[0], x[1], x[2], x[3]};
  const auto result = op.outputs[0];
  const auto name = op.name;
  const auto type = network.tensor(result).type;
  const auto y = network.add({name + ".plane", type, {x[0], weights.shape[0], 1, 1}, nullptr, std::nullopt});
  op.type = "Conv";
  op.inputs[0] = image;
  op.inputs[1] = network.add(std::move(weights));
  op.outputs[0] = y;
  op.attributes = {{"kernel_shape", Integers{x[2], x[3]}},
                   {"strides", Integers{1, 1}},
                   {"dilations", Integers{1, 1}},
                   {"pads", Integers{0, 0, 0, 0}},
                   {"group", std::int64_t{1}}};
  operators.push_back(std::move(op));
  operators.push_back({name + ".flatten", "Reshape", {y}, {result}, {}});
}

}  // namespace

void dense_to_conv(Network& network) {
  const GraphIndex index(network);
  std::vector<TensorId> images;
  for (const auto& op : network.operators) images.push_back(flattened_image(network, index, op));
  std::vector<Operator> operators;
  for (std::size_t i = 0; i < images.size(); ++i) {
    auto& op = network.operators[i];
    if (images[i] == no_tensor)
      operators.push_back(std::move(op));
    else
      convolve(network, std::move(op), images[i], operators);
  }
  network.operators = std::move(operators);
}

}  // namespace accord

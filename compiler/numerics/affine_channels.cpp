#include "compiler/numerics/affine_channels.h"

#include <utility>
#include <vector>

#include "compiler/network/images.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

/// The constant of a Mul or Add as one value per channel; empty if the operator is not of that form.
std::vector<float> channel_constant(const Network& network, const std::vector<bool>& images, const Operator& op,
                                    const char* type) {
  if (op.type != type || op.inputs.size() != 2) return {};
  const Tensor &x = network.tensor(op.inputs[0]), &c = network.tensor(op.inputs[1]);
  if (x.is_constant() || x.type != ElementType::fp32 || x.shape.size() != 4 || !c.is_constant()) return {};
  if (network.tensor(op.outputs[0]).shape != x.shape) return {};
  const std::int64_t channels = x.shape[1], count = element_count(c.shape);
  const std::size_t rank = c.shape.size();
  const bool on_channels = rank >= 3 && c.shape[rank - 3] == channels && count == channels;
  const bool image = images[static_cast<std::size_t>(op.inputs[0])];
  if (!on_channels && !(image && count == 1)) return {};
  const float* values = constant_data<float>(c);
  if (count == 1) return std::vector<float>(static_cast<std::size_t>(channels), values[0]);
  return {values, values + count};
}

/// Whether the operator reads integers that the model itself has, in more bits than storage may hold: sums of a
/// ConvInteger, scaled.
bool counts_in_integers(const Network& network, const Uses& uses, const Operator& op) {
  const int producer = uses.producer[static_cast<std::size_t>(op.inputs[0])];
  if (producer == no_operator) return false;
  const Operator& from = network.operators[static_cast<std::size_t>(producer)];
  if (from.type == "Cast") return !is_float(network.tensor(from.inputs[0]).type);
  return (from.type == "Mul" || from.type == "Add") && counts_in_integers(network, uses, from);
}

Operator depthwise(Network& network, const Operator& first, TensorId y, const std::vector<float>& weights,
                   const std::vector<float>& bias) {
  const auto channels = static_cast<std::int64_t>(weights.size());
  Operator conv{first.name, "Conv", {first.inputs[0]}, {y}, {}};
  conv.inputs.push_back(network.add(make_constant(first.name + ".weights", {channels, 1, 1, 1}, weights)));
  if (!bias.empty()) conv.inputs.push_back(network.add(make_constant(first.name + ".bias", {channels}, bias)));
  const std::vector<std::int64_t> ones = {1, 1};
  conv.attributes = {{"kernel_shape", ones},
                     {"strides", ones},
                     {"dilations", ones},
                     {"pads", std::vector<std::int64_t>{0, 0, 0, 0}},
                     {"group", channels}};
  return conv;
}

}  // namespace

void affine_to_depthwise(Network& network, bool powers_of_two) {
  const Uses uses(network);
  const auto images = image_tensors(network);
  std::vector<bool> done(network.operators.size());
  std::vector<Operator> operators;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator op = network.operators[i];
    if (done[i]) continue;
    const bool scales_sums = counts_in_integers(network, uses, op);
    const std::vector<float> factor = scales_sums ? std::vector<float>{} : channel_constant(network, images, op, "Mul");
    std::vector<float> addend = scales_sums ? std::vector<float>{} : channel_constant(network, images, op, "Add");
    if (factor.empty() && addend.empty()) {
      operators.push_back(op);
      continue;
    }
    TensorId y = op.outputs[0];
    if (!factor.empty() && uses.sole_consumer(y)) {
      const auto next = static_cast<std::size_t>(uses.consumers[static_cast<std::size_t>(y)][0]);
      addend = channel_constant(network, images, network.operators[next], "Add");
      if (!addend.empty()) {
        done[next] = true;
        y = network.operators[next].outputs[0];
      }
    }
    if (addend.empty() && changes_scale_alone(network, op, powers_of_two)) {
      operators.push_back(op);
      continue;
    }
    const std::vector<float> ones(addend.size(), 1.0f);
    operators.push_back(depthwise(network, op, y, factor.empty() ? ones : factor, addend));
  }
  network.operators = std::move(operators);
}

}  // namespace accord::numerics

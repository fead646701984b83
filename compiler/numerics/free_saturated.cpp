#include "compiler/numerics/free_saturated.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

/// What integers of the model hold, and half a step beyond: what rounds to the last ones.
struct Held {
  double low = 0, high = 0;
};

Held held_by(const Quantisation& quantisation) {
  const std::int64_t reach = quantisation.reach == 0 ? signed_byte_reach : quantisation.reach, zero = quantisation.zero;
  const std::int64_t half = zero >= 0 ? reach - zero : reach + zero + 1;  // of the type's integers, from -half on
  const double scale = quantisation.scale[0];
  return {scale * (static_cast<double>(-half - zero) - 0.5), scale * (static_cast<double>(half - 1 - zero) + 0.5)};
}

bool is_quantiser_of(const Network& network, TensorId x, const Operator& reader) {
  if (reader.type == "QuantizeLinear") return true;
  return rounds(network, reader) &&
         same_integers(*network.tensor(x).quantisation, *network.tensor(reader.outputs[0]).quantisation);
}

/// Its values are such integers already.
bool comes_from_quantiser(const Network& network, const Uses& uses, TensorId id) {
  const int producer = uses.producer[static_cast<std::size_t>(id)];
  if (producer == no_operator) return false;
  const Operator& op = network.operators[static_cast<std::size_t>(producer)];
  return op.type == "DequantizeLinear" || rounds(network, op);
}

/// What the model's integers hold of tensors that not only quantisers read.
std::map<TensorId, Held> read_as_they_are(const Network& network) {
  std::map<TensorId, Held> result;
  const Uses uses(network);
  for (TensorId id = 0; id < std::ssize(network.tensors); ++id) {
    const Tensor& tensor = network.tensor(id);
    if (tensor.is_constant() || !tensor.quantisation || tensor.quantisation->scale.size() != 1) continue;
    if (comes_from_quantiser(network, uses, id)) continue;
    const bool quantised_alone = std::ranges::all_of(uses.consumers[static_cast<std::size_t>(id)], [&](int reader) {
      return is_quantiser_of(network, id, network.operators[static_cast<std::size_t>(reader)]);
    });
    if (uses.is_output[static_cast<std::size_t>(id)] || !quantised_alone) result[id] = held_by(*tensor.quantisation);
  }
  return result;
}

bool saturates(const Held& held, std::span<const std::byte> fp32_values) {
  for (std::size_t at = 0; at < fp32_values.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &fp32_values[at], sizeof value);
    if (value < held.low || value > held.high) return true;
  }
  return false;
}

}  // namespace

void free_saturated(Network& network, const std::vector<Values>& inputs) {
  const auto wanted = read_as_they_are(network);
  if (wanted.empty()) return;
  observe(network, inputs, [&](TensorId id, std::span<const std::byte> values) {
    const auto found = wanted.find(id);
    if (found != wanted.end() && saturates(found->second, values)) network.tensor(id).quantisation.reset();
  });
}

}  // namespace accord::numerics

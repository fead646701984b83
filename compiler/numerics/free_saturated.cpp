#include "compiler/numerics/free_saturated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

/// What a quantiser leaves of a tensor, and half a step beyond: what rounds to its last integer.
struct Kept {
  double low = -INFINITY, high = INFINITY;
};

bool is_quantiser_of(const Network& network, TensorId x, const Operator& reader) {
  if (!rounds(network, reader)) return false;
  return same_integers(*network.tensor(x).quantisation, *network.tensor(reader.outputs[0]).quantisation);
}

/// What a quantiser leaves of those that are read by others, too.
std::map<TensorId, Kept> shared_with_quantisers(const Network& network) {
  std::map<TensorId, Kept> result;
  const Uses uses(network);
  for (TensorId id = 0; id < std::ssize(network.tensors); ++id) {
    const Tensor& tensor = network.tensor(id);
    if (tensor.is_constant() || !tensor.quantisation || tensor.quantisation->scale.size() != 1) continue;
    const auto& readers = uses.consumers[static_cast<std::size_t>(id)];
    const auto quantises = [&](int reader) {
      return is_quantiser_of(network, id, network.operators[static_cast<std::size_t>(reader)]);
    };
    const auto quantiser = std::ranges::find_if(readers, quantises);
    if (quantiser == readers.end()) continue;
    if (!uses.is_output[static_cast<std::size_t>(id)] && std::ranges::all_of(readers, quantises)) continue;
    const Operator& clip = network.operators[static_cast<std::size_t>(*quantiser)];
    const double beyond = 0.5 * double{tensor.quantisation->scale[0]};
    result[id] = {attribute(clip, "min", -INFINITY) - beyond, attribute(clip, "max", INFINITY) + beyond};
  }
  return result;
}

bool saturates(const Kept& kept, std::span<const std::byte> fp32_values) {
  for (std::size_t at = 0; at < fp32_values.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &fp32_values[at], sizeof value);
    if (value < kept.low || value > kept.high) return true;
  }
  return false;
}

}  // namespace

void free_saturated(Network& network, const std::vector<Values>& inputs) {
  const auto shared = shared_with_quantisers(network);
  if (shared.empty()) return;
  observe(network, inputs, [&](TensorId id, std::span<const std::byte> values) {
    const auto found = shared.find(id);
    if (found != shared.end() && saturates(found->second, values)) network.tensor(id).quantisation.reset();
  });
}

}  // namespace accord::numerics

#include "compiler/numerics/free_saturated.h"

#include <cstring>
#include <map>
#include <set>
#include <span>

#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/model_integers.h"
#include "compiler/numerics/part_scales.h"

namespace accord::numerics {
namespace {

bool saturates(const Range& held, std::span<const std::byte> fp32_values) {
  for (std::size_t at = 0; at < fp32_values.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &fp32_values[at], sizeof value);
    if (value < held.low || value > held.high) return true;
  }
  return false;
}

}  // namespace

void free_saturated(Network& network, const std::vector<Values>& inputs) {
  ModelIntegers integers(network);
  std::map<TensorId, const TiedTensors*> wanted;
  for (TensorId id = 0; id < std::ssize(network.tensors); ++id) {
    if (const TiedTensors* tied = integers.may_saturate(id)) wanted[id] = tied;
  }
  if (wanted.empty()) return;
  std::set<const TiedTensors*> saturated;
  observe(network, inputs, [&](TensorId id, std::span<const std::byte> values) {
    const auto found = wanted.find(id);
    if (found != wanted.end() && saturates(found->second->held, values)) saturated.insert(found->second);
  });
  std::set<Reading> apart;
  for (const TiedTensors* tied : saturated) {
    if (tied->has_rounded) apart.merge(integers.readings_within(*tied));
    for (const TensorId id : tied->given) network.tensor(id).quantisation.reset();
  }
  read_apart(network, apart);
}

}  // namespace accord::numerics

#include "compiler/numerics/free_saturated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <span>

#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/model_integers.h"
#include "compiler/numerics/part_scales.h"

namespace accord::numerics {
namespace {

/// Between which all values of a tensor lie; nothing where it has none.
Range range_of(std::span<const std::byte> fp32_values) {
  Range range{INFINITY, -INFINITY};
  for (std::size_t at = 0; at < fp32_values.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &fp32_values[at], sizeof value);
    range.low = std::min<double>(range.low, value);
    range.high = std::max<double>(range.high, value);
  }
  return range;
}

/// What tensors hold in runs of the float reference, by tensor.
std::vector<Range> seen_ranges(const Network& network, const std::vector<Values>& inputs) {
  std::vector<Range> seen(network.tensors.size(), {INFINITY, -INFINITY});
  observe(network, inputs, [&](TensorId id, std::span<const std::byte> values) {
    if (network.tensor(id).type != ElementType::fp32) return;
    const Range now = range_of(values);
    Range& all = seen[static_cast<std::size_t>(id)];
    all = {std::min(all.low, now.low), std::max(all.high, now.high)};
  });
  return seen;
}

/// Those of the tensors that saturate, by what ties them.
std::set<const TiedTensors*> saturated(ModelIntegers& integers, const std::vector<TensorId>& tensors,
                                       const std::vector<Range>& seen) {
  std::set<const TiedTensors*> result;
  for (const TensorId id : tensors) {
    const TiedTensors* tied = integers.may_saturate(id);
    if (tied != nullptr && !tied->held.holds(seen[static_cast<std::size_t>(id)])) result.insert(tied);
  }
  return result;
}

}  // namespace

void free_saturated(Network& network, const std::vector<Values>& inputs) {
  std::vector<TensorId> tensors(network.tensors.size());
  std::iota(tensors.begin(), tensors.end(), 0);
  std::vector<Range> seen;
  for (;;) {
    ModelIntegers integers(network);
    if (std::ranges::none_of(tensors, [&](TensorId id) { return integers.may_saturate(id) != nullptr; })) return;
    if (seen.empty()) seen = seen_ranges(network, inputs);
    std::set<Reading> apart;
    std::vector<TensorId> freed;
    for (const TiedTensors* tied : saturated(integers, tensors, seen)) {
      if (tied->has_rounded) apart.merge(integers.readings_within(*tied));
      freed.insert(freed.end(), tied->given.begin(), tied->given.end());
    }
    if (apart.empty() && freed.empty()) return;
    // What loses its integers may be tied to more then: it is looked at again.
    for (const TensorId id : freed) network.tensor(id).quantisation.reset();
    read_apart(network, apart);
  }
}

}  // namespace accord::numerics

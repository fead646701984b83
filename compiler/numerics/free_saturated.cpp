#include "compiler/numerics/free_saturated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <span>

#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/model_integers.h"
#include "compiler/numerics/part_scales.h"

namespace accord::numerics {
namespace {

constexpr double steps_enough = 16;  // three of a signed byte's bits are lost below, as beside `coarser` parts

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

/// Whether such values would saturate, or hardly anything be left of them in the integers' steps.
bool loses(const Range& seen, const TiedIntegers& tied) {
  const double greatest = std::max(std::abs(seen.low), std::abs(seen.high));
  return !tied.held.holds(seen) || (greatest > 0 && greatest < steps_enough * tied.quantisation.scale[0]);
}

}  // namespace

void free_saturated(Network& network, const std::vector<Values>& inputs) {
  const auto count = static_cast<TensorId>(network.tensors.size());
  std::vector<Range> seen;
  for (;;) {
    ModelIntegers integers(network);
    std::set<const TiedIntegers*> losing;
    for (TensorId id = 0; id < count; ++id) {
      for (const TiedIntegers* tied : integers.wanted_in(id)) {
        if (seen.empty()) seen = seen_ranges(network, inputs);
        if (loses(seen[static_cast<std::size_t>(id)], *tied)) losing.insert(tied);
      }
    }
    std::set<Reading> apart;
    std::vector<TensorId> freed;
    for (const TiedIntegers* tied : losing) {
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

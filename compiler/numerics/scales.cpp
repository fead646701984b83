#include "compiler/numerics/scales.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/numerics/scale_groups.h"
#include "compiler/numerics/weight_loops.h"

namespace accord::numerics {
namespace {

double power_of_two_above(double value) { return std::exp2(std::ceil(std::log2(value) - 1e-9)); }

double given_scale(const WeightRequest& r, std::int64_t channel) {
  return r.given[r.given.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

/// Whether the machine can have the model's own scales: as many, with integers as great.
bool takes_given_scales(const WeightRequest& r, const Numerics& numerics) {
  if (r.powers_of_two || (!r.per_channel && r.given.size() > 1)) return false;
  const double limit = std::max(highest(numerics.weight), -lowest(numerics.weight)) + 0.5;
  for (std::int64_t k = 0; k < r.channels; ++k) {
    if (largest_value(r.weights + k * r.length, r.length).greatest > limit * given_scale(r, k)) return false;
  }
  return true;
}

/// Smallest scale per channel that lets weights and bias fit; the model's own where it has one.
std::vector<double> least_scales(const WeightRequest& r, const Numerics& numerics) {
  const double greatest = highest(numerics.weight), bias_limit = greatest_count(numerics.accumulator) / 4;
  std::vector<double> scales(static_cast<std::size_t>(r.channels));
  for (std::int64_t k = 0; k < r.channels; ++k) {
    const double largest = largest_value(r.weights + k * r.length, r.length).greatest;
    scales[static_cast<std::size_t>(k)] = largest / greatest;
  }
  if (!r.given.empty()) {
    for (std::int64_t k = 0; k < r.channels; ++k) scales[static_cast<std::size_t>(k)] = given_scale(r, k);
    return scales;
  }
  const double layer = *std::ranges::max_element(scales);
  for (std::int64_t k = 0; k < r.channels; ++k) {
    double& scale = scales[static_cast<std::size_t>(k)];
    if (!r.per_channel || scale == 0) scale = layer > 0 ? layer : 1;
    if (r.bias) scale = std::max(scale, std::abs(r.bias[k]) / (r.x_scale * bias_limit));
  }
  if (!r.per_channel) std::ranges::fill(scales, *std::ranges::max_element(scales));
  return scales;
}

/// Raises the scale so that addend_scale is an integer multiple of x_scale * scale. 0 if that costs too much precision.
std::int64_t align_to_addend(const WeightRequest& r, double& scale) {
  constexpr double least = 16, greatest = 1 << 21;
  double multiple = std::min(std::floor(r.addend_scale / (r.x_scale * scale) * (1 + 1e-12)), greatest);
  if (r.powers_of_two && multiple >= 1) multiple = std::exp2(std::floor(std::log2(multiple)));
  if (multiple < least) return 0;
  scale = r.addend_scale / (r.x_scale * multiple);
  return static_cast<std::int64_t>(multiple);
}

/// Integers of one channel; returns the greatest accumulator magnitude, with what zero points add.
double quantise_channel(const WeightRequest& r, const Numerics& numerics, std::int64_t k, IntegerWeights& result) {
  const auto channel = static_cast<std::size_t>(k);
  const double scale = result.scale[channel];
  const auto greatest = static_cast<float>(highest(numerics.weight));
  const std::int64_t first = k * r.length;
  const double magnitudes = round_weights(r.weights + first, r.length, scale, greatest, result.weights.data() + first);
  double bound = magnitudes * r.x_reach;
  if (r.bias) {
    result.bias[channel] = static_cast<std::int64_t>(std::nearbyint(r.bias[k] / (r.x_scale * scale)));
    bound += std::abs(static_cast<double>(result.bias[channel]));
  }
  if (r.addend_scale > 0) bound += static_cast<double>(result.addend[channel]) * r.addend_reach;
  double zeros = r.offset / (r.x_scale * scale);
  if (r.x_zero != 0) {
    const auto integers = result.weights.begin() + static_cast<std::ptrdiff_t>(first);
    zeros -= r.x_zero * std::accumulate(integers, integers + static_cast<std::ptrdiff_t>(r.length), 0.0);
  }
  return bound + std::ceil(std::abs(zeros));
}

/// Of weights: the greatest sum of one channel's magnitudes, and the greatest magnitude.
struct Magnitudes {
  double sum = 0, single = 0;
};

Magnitudes magnitudes_of(const WeightRequest& r, std::int64_t first, std::int64_t last) {
  Magnitudes most;
  for (std::int64_t k = first; k < last; ++k) {
    double sum = 0;
    for (std::int64_t i = k * r.length; i < (k + 1) * r.length; ++i) {
      const double magnitude = std::abs(r.weights[i]);
      sum += magnitude;
      most.single = std::max(most.single, magnitude);
    }
    most.sum = std::max(most.sum, sum);
  }
  return most;
}

/// Whether a channel's accumulator can overflow at this scale, told without making its integers: none of them is cut,
/// and rounding takes at most half from each.
bool surely_overflows(const WeightRequest& r, const Numerics& numerics, const Magnitudes& most, double scale) {
  if (most.single > scale * highest(numerics.weight)) return false;
  const double integers = most.sum / scale * (1 - 1e-6) - static_cast<double>(r.length) / 2;
  return integers * r.x_reach > greatest_count(numerics.accumulator);
}

/// Raises the common scale of channels first..last-1 until none of them can overflow. False if the addend forbids it.
bool settle_scale(const WeightRequest& r, const Numerics& numerics, std::int64_t first, std::int64_t last,
                  IntegerWeights& result) {
  std::optional<Magnitudes> most;  // asked for where the first scale does not do
  double scale = result.scale[static_cast<std::size_t>(first)];
  double finest = 0;
  for (;; scale *= 1.25) {
    if (r.powers_of_two) scale = power_of_two_above(scale);
    if (finest == 0) finest = scale;
    const std::int64_t addend = r.addend_scale > 0 ? align_to_addend(r, scale) : 0;
    if (r.addend_scale > 0 && (addend == 0 || !r.given.empty())) return false;
    if (most && surely_overflows(r, numerics, *most, scale)) continue;
    double bound = 0;
    for (std::int64_t k = first; k < last; ++k) {
      result.scale[static_cast<std::size_t>(k)] = scale;
      if (addend) result.addend[static_cast<std::size_t>(k)] = addend;
      bound = std::max(bound, quantise_channel(r, numerics, k, result));
    }
    if (bound > greatest_count(numerics.accumulator)) {
      if (!most) most = magnitudes_of(r, first, last);
      continue;
    }
    result.bound = std::max(result.bound, bound);
    result.coarsened = std::max(result.coarsened, scale / finest);
    return true;
  }
}

/// What the model brings for the tensors of a group.
class GivenScale {
 public:
  void add(const Quantisation& own) { members_.push_back(own); }

  /// The one scale and zero point of all, whose integers the type holds; none where they differ.
  std::optional<ActivationScale> own(ElementType storage) const {
    const Quantisation& first = members_.front();
    const bool same = std::ranges::all_of(members_, [&](const Quantisation& member) {
      return member.zero == first.zero && member.scale[0] == first.scale[0];
    });
    if (!same || !fits(storage) || first.zero < lowest(storage) || first.zero > highest(storage)) return std::nullopt;
    return ActivationScale{first.scale[0], first.zero};
  }

  /// Whether the type has as many integers as the model's.
  bool fits(ElementType storage) const {
    return std::ranges::none_of(members_, [&](const Quantisation& member) { return is_too_wide(member, storage); });
  }

  /// Of the finest steps; finer ones lose what the model holds exactly.
  double least_scale() const {
    return std::ranges::min(members_, {}, [](const Quantisation& member) { return member.scale[0]; }).scale[0];
  }

  /// Of a type around 0 that covers what the model's types hold.
  double symmetric_scale(ElementType storage) const {
    double most = 0;
    for (const Quantisation& member : members_) {
      const bool is_around_zero = member.zero == 0 && !is_too_wide(member, storage);
      const double steps = is_around_zero ? 1 : std::max(1.0, static_cast<double>(member.reach) / highest(storage));
      most = std::max(most, member.scale[0] * steps);
    }
    return most;
  }

 private:
  std::vector<Quantisation> members_;
};

std::map<std::size_t, GivenScale> given_scales(const Network& network, const ScaleGroups& groups) {
  std::map<std::size_t, GivenScale> given;
  for (std::size_t id = 0; id < network.tensors.size(); ++id) {
    const Tensor& tensor = network.tensors[id];
    if (!tensor.quantisation || tensor.is_constant() || tensor.quantisation->scale.size() != 1) continue;
    Quantisation of_group = *tensor.quantisation;
    of_group.scale[0] /= static_cast<float>(groups.ratio(static_cast<TensorId>(id)));
    given[groups.of(static_cast<TensorId>(id))].add(of_group);
  }
  return given;
}

/// Groups of what products of two activations read or make.
std::set<std::size_t> around_zero(const Network& network, const std::vector<PlannedOperator>& plan,
                                  const ScaleGroups& groups) {
  std::set<std::size_t> result;
  const auto add = [&](TensorId id) { result.insert(groups.of(id)); };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Operator& op = network.operators[i];
    if (plan[i].role != Role::product || op.type != "MatMul") continue;
    for (const TensorId id : op.inputs) add(id);
    add(last_of(network, op, plan[i]).outputs[0]);
  }
  return result;
}

/// What a Clip leaves of a model's integers stays such, where the model has no others for it: in another scale it would
/// be rounded once more.
void tie_bounded(const Network& network, const std::vector<PlannedOperator>& plan, ScaleGroups& groups) {
  auto given = given_scales(network, groups);
  auto without_zero = around_zero(network, plan, groups);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].role != Role::clip || !is_bounded(network.operators[i])) continue;
    const TensorId x = network.operators[i].inputs[0], y = network.operators[i].outputs[0];
    if (!given.contains(groups.of(x)) || given.contains(groups.of(y)) || without_zero.contains(groups.of(y))) continue;
    groups.tie(y, x);
    given = given_scales(network, groups);
    without_zero = around_zero(network, plan, groups);
  }
}

}  // namespace

double greatest_magnitude(ElementType type) { return std::max(-lowest(type), highest(type)); }

std::vector<ActivationScale> activation_scales(const Network& network, const std::vector<PlannedOperator>& plan,
                                               const std::vector<double>& largest, ElementType storage,
                                               bool powers_of_two) {
  ScaleGroups groups(network, plan);
  tie_bounded(network, plan, groups);
  const std::vector<double> group_largest = groups.largest(largest);
  const auto given = given_scales(network, groups);
  const auto without_zero = around_zero(network, plan, groups);
  std::vector<ActivationScale> scales(largest.size());
  for (std::size_t id = 0; id < largest.size(); ++id) {
    const std::size_t group = groups.of(static_cast<TensorId>(id));
    const double seen = group_largest[group];
    const auto brought = given.find(group);
    ActivationScale& result = scales[id];
    double scale = seen > 0 ? seen / highest(storage) : 1.0;
    if (brought != given.end()) {
      const auto own = brought->second.own(storage);
      const bool keeps = own && !powers_of_two && !without_zero.contains(group);
      const double covering = keeps ? own->scale : brought->second.symmetric_scale(storage);
      scale = covering;
      if (!brought->second.fits(storage))
        scale = std::min(covering, std::max(seen / highest(storage), brought->second.least_scale()));
      result.zero = keeps ? own->zero : 0;
    }
    if (powers_of_two) scale = power_of_two_above(scale);
    result.scale = static_cast<float>(std::max(scale, 1e-30) * groups.ratio(static_cast<TensorId>(id)));
  }
  return scales;
}

bool is_too_wide(const Quantisation& model, ElementType storage) {
  const double span = highest(storage) - lowest(storage);
  return static_cast<double>(model.reach) > span;
}

IntegerWeights quantise_weights(WeightRequest request, const Numerics& numerics) {
  IntegerWeights result;
  if (!request.given.empty() && !takes_given_scales(request, numerics)) {
    request.given.clear();
    result.rounded_anew = true;
  }
  result.scale = least_scales(request, numerics);
  result.weights.resize(static_cast<std::size_t>(request.channels * request.length));
  if (request.bias) result.bias.resize(result.scale.size());
  if (request.addend_scale > 0) result.addend.resize(result.scale.size());
  const std::int64_t together = request.per_channel ? 1 : request.channels;
  for (std::int64_t first = 0; first < request.channels; first += together) {
    if (!settle_scale(request, numerics, first, first + together, result)) return {};
  }
  return result;
}

}  // namespace accord::numerics

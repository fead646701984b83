#pragma once

#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {

/// real = scale * (stored - zero)
struct ActivationScale {
  float scale = 1;
  int zero = 0;
};

/// Of every tensor, were it stored in integers: greatest magnitude / greatest integer, or what the model brings;
/// tensors that an operator carries over unchanged share one, and inputs of products by one constant. Powers of two
/// where asked for. A zero point that the model brings is 0 instead, and the scale covers the same range, where scales
/// are powers of two, where those that share one differ, and of what a product of two activations reads or makes: sums
/// of the other factor would have to be taken off it. Of integers that are more than the storage type's the scale
/// covers what was seen, in steps no finer than theirs.
std::vector<ActivationScale> activation_scales(const Network& network, const std::vector<PlannedOperator>& plan,
                                               const std::vector<double>& largest, ElementType storage,
                                               bool powers_of_two);

/// Whether the model's integers are more than the type has: their scale would cut most of what it means.
bool is_too_wide(const Quantisation& model, ElementType storage);

/// Greatest magnitude of a number of the type.
double greatest_magnitude(ElementType type);

/// Integer weights and bias of one product.
struct IntegerWeights {
  std::vector<float> weights;      ///< integers, in the order of the float weights
  std::vector<std::int64_t> bias;  ///< empty if there is none
  std::vector<double> scale;       ///< of the weights, per output channel
  std::vector<std::int64_t>
      addend;                 ///< integer multiplier per channel of what is accumulated on top; empty if nothing is
  double bound = 0;           ///< greatest accumulator magnitude that any input can give
  double coarsened = 1;       ///< times as great are the greatest steps, lest the accumulator overflow
  bool rounded_anew = false;  ///< from the model's own integers, which the machine cannot have
};

struct WeightRequest {
  const float* weights = nullptr;
  const float* bias = nullptr;  ///< or null
  std::int64_t channels = 0;    ///< output channels, the outermost dimension of the weights
  std::int64_t length = 0;      ///< products per output
  double x_scale = 1;
  double x_zero = 0;
  double x_reach = 0;       ///< greatest magnitude of its integers
  double addend_scale = 0;  ///< scale of a tensor to be accumulated exactly, 0 if there is none
  double addend_reach = 0;
  double offset = 0;  ///< added to all results for the zero points of what is accumulated and what is made of it
  bool per_channel = true;
  bool powers_of_two = false;
  std::vector<float> given{};  ///< scales that the model itself brings: one, or one per channel; kept if they can be
};

/// Chooses weight scales such that the accumulator cannot overflow and, with an addend, that addend_scale is an integer
/// multiple (at least 16, so that weights lose little) of x_scale * scale. An empty `scale` says that none exists.
IntegerWeights quantise_weights(WeightRequest request, const Numerics& numerics);

}  // namespace accord::numerics

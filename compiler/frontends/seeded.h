#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Pseudo-random values that are the same on every machine and library: std::mt19937_64 is specified bit by bit, the
/// distributions of the standard library are not.
class SeededValues {
 public:
  /// The stream depends on seed and name only, so that adding a tensor does not change the others.
  SeededValues(std::uint64_t seed, std::string_view name);

  float uniform(float low, float high);
  /// Sum of four uniform 16-bit numbers, scaled to mean 0, variance 1: near normal, never beyond 3.47.
  float normal();
  std::vector<float> uniforms(std::size_t count, float low, float high);
  std::vector<float> normals(std::size_t count, float mean, float deviation);

 private:
  std::mt19937_64 engine_;
};

/// Standard deviation of He initialisation for a weight that sums over `fan_in` products.
float he_deviation(std::int64_t fan_in);

/// Values of sane scale for an operator's parameter: He initialisation for weights, plausible statistics for
/// BatchNormalization, small biases. `input` is the parameter's place among the operator's inputs.
std::vector<float> seeded_parameter(const std::string& op_type, int input, const Shape& shape, const std::string& name,
                                    std::uint64_t seed = 0);

/// Whether input number `input` of the operator is a weight in every trained model.
bool is_parameter(const std::string& op_type, int input);

}  // namespace accord

#include "compiler/frontends/seeded.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace accord {

namespace {

std::uint64_t fnv1a(std::string_view text, std::uint64_t hash) {
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

SeededValues::SeededValues(std::uint64_t seed, std::string_view name)
    : engine_(fnv1a(name, 0xcbf29ce484222325ULL) ^ (seed * 0x9e3779b97f4a7c15ULL)) {}

float SeededValues::uniform(float low, float high) {
  const auto unit = static_cast<float>(engine_() >> 40) * 0x1p-24F;
  return low + (high - low) * unit;
}

float SeededValues::normal() {
  const auto bits = engine_();
  const auto sum = static_cast<int>(bits & 0xffff) + static_cast<int>(bits >> 16 & 0xffff) +
                   static_cast<int>(bits >> 32 & 0xffff) + static_cast<int>(bits >> 48);
  // Four uniforms on 0..65535: mean 2 * 65535, variance (2^32 - 1) / 3.
  constexpr float per_unit = 1.0F / 37837.22F;
  return static_cast<float>(sum - 2 * 65535) * per_unit;
}

std::vector<float> SeededValues::uniforms(std::size_t count, float low, float high) {
  std::vector<float> values(count);
  for (auto& v : values) v = uniform(low, high);
  return values;
}

std::vector<float> SeededValues::normals(std::size_t count, float mean, float deviation) {
  std::vector<float> values(count);
  for (auto& v : values) v = mean + deviation * normal();
  return values;
}

float he_deviation(std::int64_t fan_in) {
  return std::sqrt(2.0F / static_cast<float>(std::max<std::int64_t>(fan_in, 1)));
}

namespace {

const std::map<std::string, std::vector<int>>& parameter_inputs() {
  static const std::map<std::string, std::vector<int>> table = {{"Conv", {1, 2}},
                                                                {"ConvTranspose", {1, 2}},
                                                                {"Gemm", {1, 2}},
                                                                {"BatchNormalization", {1, 2, 3, 4}},
                                                                {"InstanceNormalization", {1, 2}},
                                                                {"LayerNormalization", {1, 2}},
                                                                {"PRelu", {1}},
                                                                {"LSTM", {1, 2, 3, 7}},
                                                                {"GRU", {1, 2, 3}},
                                                                {"RNN", {1, 2, 3}}};
  return table;
}

std::int64_t fan_in_of(const std::string& op_type, const Shape& shape) {
  if (op_type == "MatMul") return shape[shape.size() - 2];
  if (op_type == "LSTM" || op_type == "GRU" || op_type == "RNN") return shape.back();
  const auto first = shape.front();
  return first > 0 ? element_count(shape) / first : 1;
}

}  // namespace

bool is_parameter(const std::string& op_type, int input) {
  const auto found = parameter_inputs().find(op_type);
  return found != parameter_inputs().end() &&
         std::find(found->second.begin(), found->second.end(), input) != found->second.end();
}

std::vector<float> seeded_parameter(const std::string& op_type, int input, const Shape& shape, const std::string& name,
                                    std::uint64_t seed) {
  SeededValues values(seed, name);
  const auto count = count_of(shape);
  const bool normalisation = op_type.ends_with("Normalization");
  const bool scale = normalisation && input == 1;
  const bool variance = op_type == "BatchNormalization" && input == 4;
  if (scale || variance) return values.uniforms(count, 0.8F, 1.2F);
  if (op_type == "PRelu") return values.uniforms(count, 0.1F, 0.3F);
  if (shape.size() < 2) return values.normals(count, 0.0F, 0.05F);
  return values.normals(count, 0.0F, he_deviation(fan_in_of(op_type, shape)));
}

}  // namespace accord

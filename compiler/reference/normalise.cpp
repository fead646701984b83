#include <algorithm>
#include <cmath>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

/// The index space seen as [outer, length, inner] around one axis.
struct Lines {
  std::int64_t outer = 1, length = 1, inner = 1;
};

Lines lines_along(const OperatorCall& call, std::int64_t default_axis) {
  const Shape& shape = call.inputs[0].shape;
  if (shape.empty()) return {};
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", default_axis), shape.size());
  Lines lines;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    (d < axis ? lines.outer : d == axis ? lines.length : lines.inner) *= shape[d];
  }
  return lines;
}

/// Applies `function` to each line (gathered, so contiguous) along the operator's axis.
template <typename F>
void per_line(const OperatorCall& call, F function) {
  const Lines lines = lines_along(call, -1);
  auto values = load_as<float>(call.inputs[0]);
  std::vector<float> line(static_cast<std::size_t>(lines.length));
  for (std::int64_t o = 0; o < lines.outer; ++o) {
    for (std::int64_t i = 0; i < lines.inner; ++i) {
      float* base = values.data() + o * lines.length * lines.inner + i;
      for (std::int64_t l = 0; l < lines.length; ++l) line[static_cast<std::size_t>(l)] = base[l * lines.inner];
      function(line);
      for (std::int64_t l = 0; l < lines.length; ++l) base[l * lines.inner] = line[static_cast<std::size_t>(l)];
    }
  }
  store_all(call.outputs[0], values);
}

void softmax(std::vector<float>& line) {
  const float largest = *std::ranges::max_element(line);
  float sum = 0;
  for (float& value : line) sum += value = std::exp(value - largest);
  for (float& value : line) value /= sum;
}

void log_softmax(std::vector<float>& line) {
  const float largest = *std::ranges::max_element(line);
  float sum = 0;
  for (float value : line) sum += std::exp(value - largest);
  for (float& value : line) value = value - largest - std::log(sum);
}

void hardmax(std::vector<float>& line) {
  const auto largest = std::ranges::max_element(line) - line.begin();
  std::ranges::fill(line, 0.0f);
  line[static_cast<std::size_t>(largest)] = 1;
}

/// y = x / (bias + alpha / size * sum of squares over `size` neighbouring channels)^beta.
void lrn(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  if (shape.size() < 2) throw Error("needs a channel dimension");
  const std::int64_t size = attribute(call.op, "size", std::int64_t{1}), channels = shape[1];
  const auto alpha = static_cast<float>(attribute(call.op, "alpha", 0.0001));
  const auto beta = static_cast<float>(attribute(call.op, "beta", 0.75));
  const auto bias = static_cast<float>(attribute(call.op, "bias", 1.0));
  const auto x = load_as<float>(call.inputs[0]);
  std::vector<float> y(x.size());
  const std::int64_t inner = element_count({shape.begin() + 2, shape.end()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t c = static_cast<std::int64_t>(i) / inner % channels;
    float squares = 0;
    for (std::int64_t k = std::max<std::int64_t>(0, c - (size - 1) / 2); k <= std::min(channels - 1, c + size / 2);
         ++k) {
      const float value = x[static_cast<std::size_t>(static_cast<std::int64_t>(i) + (k - c) * inner)];
      squares += value * value;
    }
    y[i] = x[i] / std::pow(bias + alpha / static_cast<float>(size) * squares, beta);
  }
  store_all(call.outputs[0], y);
}

std::vector<float> channel_parameter(const OperatorCall& call, std::size_t index, std::int64_t channels) {
  if (!call.has_input(index) || element_count(call.inputs[index].shape) != channels) {
    throw Error("parameter " + std::to_string(index) + " does not fit the channels");
  }
  return load_as<float>(call.inputs[index]);
}

/// A parameter of the dims that are normalised, broadcast to these.
std::vector<float> broadcast_parameter(const OperatorCall& call, std::size_t index, const Shape& normalised) {
  if (!call.has_input(index)) return std::vector<float>(static_cast<std::size_t>(element_count(normalised)), 0.0f);
  const auto given = load_as<float>(call.inputs[index]);
  std::vector<float> all;
  for (const auto at : broadcast_indices(call.inputs[index].shape, normalised))
    all.push_back(given[static_cast<std::size_t>(at)]);
  return all;
}

void batch_normalization(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  const std::int64_t channels = shape.size() > 1 ? shape[1] : 1;
  const auto scale = channel_parameter(call, 1, channels), bias = channel_parameter(call, 2, channels),
             mean = channel_parameter(call, 3, channels), variance = channel_parameter(call, 4, channels);
  const auto epsilon = static_cast<float>(attribute(call.op, "epsilon", 1e-5));
  auto x = load_as<float>(call.inputs[0]);
  const std::int64_t inner = shape.size() > 2 ? element_count({shape.begin() + 2, shape.end()}) : 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto c = static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner % channels);
    x[i] = (x[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + bias[c];
  }
  store_all(call.outputs[0], x);
}

struct Moments {
  float mean = 0, inverse_deviation = 0;
};

Moments moments(const float* x, std::int64_t count, float epsilon) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(count) + epsilon);
  return {static_cast<float>(mean), static_cast<float>(1 / deviation)};
}

void instance_normalization(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  if (shape.size() < 3) throw Error("needs a plane");
  const auto scale = channel_parameter(call, 1, shape[1]), bias = channel_parameter(call, 2, shape[1]);
  const auto epsilon = static_cast<float>(attribute(call.op, "epsilon", 1e-5));
  auto x = load_as<float>(call.inputs[0]);
  const std::int64_t inner = element_count({shape.begin() + 2, shape.end()});
  for (std::int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
    float* values = x.data() + plane * inner;
    const Moments m = moments(values, inner, epsilon);
    const auto c = static_cast<std::size_t>(plane % shape[1]);
    for (std::int64_t i = 0; i < inner; ++i)
      values[i] = (values[i] - m.mean) * m.inverse_deviation * scale[c] + bias[c];
  }
  store_all(call.outputs[0], x);
}

void layer_normalization(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{-1}), shape.size());
  const Shape normalised(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
  const std::int64_t inner = element_count(normalised);
  const auto epsilon = static_cast<float>(attribute(call.op, "epsilon", 1e-5));
  const auto scale = broadcast_parameter(call, 1, normalised), bias = broadcast_parameter(call, 2, normalised);
  auto x = load_as<float>(call.inputs[0]);
  std::vector<float> means, deviations;
  for (std::int64_t row = 0; inner && row < static_cast<std::int64_t>(x.size()) / inner; ++row) {
    float* values = x.data() + row * inner;
    const Moments m = moments(values, inner, epsilon);
    for (std::size_t i = 0; i < scale.size(); ++i)
      values[i] = (values[i] - m.mean) * m.inverse_deviation * scale[i] + bias[i];
    means.push_back(m.mean);
    deviations.push_back(m.inverse_deviation);
  }
  store_all(call.outputs[0], x);
  if (call.has_output(1)) store_all(call.outputs[1], means);
  if (call.has_output(2)) store_all(call.outputs[2], deviations);
}

/// x / root of the mean square of its row * scale.
void rms_normalization(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{-1}), shape.size());
  const Shape normalised(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
  const std::int64_t inner = element_count(normalised);
  const double epsilon = attribute(call.op, "epsilon", 1e-5);
  const auto scale = broadcast_parameter(call, 1, normalised);
  auto x = load_as<float>(call.inputs[0]);
  for (float* row = x.data(); inner && row != x.data() + x.size(); row += inner) {
    double squares = 0;
    for (std::int64_t i = 0; i < inner; ++i) squares += static_cast<double>(row[i]) * row[i];
    const auto factor = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(inner) + epsilon));
    for (std::int64_t i = 0; i < inner; ++i) row[i] *= factor * scale[static_cast<std::size_t>(i)];
  }
  store_all(call.outputs[0], x);
}

/// Mean 0 and variance 1 in each group of channels; scale and bias one per group or per channel.
void group_normalization(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  const std::int64_t groups = attribute(call.op, "num_groups", std::int64_t{1}), channels = shape.at(1);
  const std::int64_t plane = element_count({shape.begin() + 2, shape.end()}), inner = channels / groups * plane;
  const std::int64_t parameters = element_count(call.inputs.at(1).shape);
  const auto scale = channel_parameter(call, 1, parameters), bias = channel_parameter(call, 2, parameters);
  const auto epsilon = static_cast<float>(attribute(call.op, "epsilon", 1e-5));
  auto x = load_as<float>(call.inputs[0]);
  for (std::int64_t group = 0; group < shape[0] * groups; ++group) {
    float* values = x.data() + group * inner;
    const Moments m = moments(values, inner, epsilon);
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t channel = group % groups * (channels / groups) + i / plane;
      const auto p = static_cast<std::size_t>(channel * parameters / channels);
      values[i] = (values[i] - m.mean) * m.inverse_deviation * scale[p] + bias[p];
    }
  }
  store_all(call.outputs[0], x);
}

/// x / norm of its line; p is 1 or 2.
void lp_normalization(const OperatorCall& call) {
  const bool absolute = attribute(call.op, "p", std::int64_t{2}) == 1;
  per_line(call, [absolute](std::vector<float>& line) {
    float norm = 0;
    for (float value : line) norm += absolute ? std::abs(value) : value * value;
    if (!absolute) norm = std::sqrt(norm);
    for (float& value : line) value /= norm;
  });
}

}  // namespace

void add_normalisations(OperatorTable& table) {
  table["Softmax"] = [](const OperatorCall& call) { per_line(call, softmax); };
  table["LogSoftmax"] = [](const OperatorCall& call) { per_line(call, log_softmax); };
  table["Hardmax"] = [](const OperatorCall& call) { per_line(call, hardmax); };
  table["LRN"] = lrn;
  table["BatchNormalization"] = batch_normalization;
  table["InstanceNormalization"] = instance_normalization;
  table["LayerNormalization"] = layer_normalization;
  table["RMSNormalization"] = rms_normalization;
  table["GroupNormalization"] = group_normalization;
  table["LpNormalization"] = lp_normalization;
}

}  // namespace accord::reference

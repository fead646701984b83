#include "compiler/frontends/zoo_builder.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "archdsl/source/error.h"
#include "compiler/frontends/seeded.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

/// Eight significant bits: hides what differs in the last bit between math libraries.
double rounded(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const auto mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(mantissa * 256), exponent - 8);
}

void describe(onnx::ValueInfoProto& info, const std::string& name, int onnx_type, const Shape& shape) {
  info.set_name(name);
  auto* type = info.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx_type);
  auto* dims = type->mutable_shape();
  for (const auto extent : shape) dims->add_dim()->set_dim_value(extent);
}

template <typename T>
void fill(onnx::TensorProto& tensor, const std::string& name, int onnx_type, const Shape& shape,
          const std::vector<T>& values) {
  tensor.set_name(name);
  tensor.set_data_type(onnx_type);
  for (const auto extent : shape) tensor.add_dims(extent);
  auto& raw = *tensor.mutable_raw_data();
  raw.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
}

struct AttributeWriter {
  onnx::AttributeProto& proto;
  void operator()(std::int64_t v) const { proto.set_type(onnx::AttributeProto::INT), proto.set_i(v); }
  void operator()(double v) const { proto.set_type(onnx::AttributeProto::FLOAT), proto.set_f(static_cast<float>(v)); }
  void operator()(const std::string& v) const { proto.set_type(onnx::AttributeProto::STRING), proto.set_s(v); }
  void operator()(const Integers& v) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const auto i : v) proto.add_ints(i);
  }
};

std::int64_t windows(std::int64_t extent, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  return (extent + 2 * pad - kernel) / stride + 1;
}

Shape windowed(const Shape& x, std::int64_t channels, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  return {x[0], channels, windows(x[2], kernel, stride, pad), windows(x[3], kernel, stride, pad)};
}

/// Mean and variance of sums of products with the rows of `weights`, one result per row; each of the row's
/// `x.channels() / group` channels has `taps` weights.
void propagate(const Activation& x, const std::vector<float>& weights, std::size_t group, std::size_t taps,
               Activation& y) {
  const auto rows = static_cast<std::size_t>(y.channels());
  const auto per_row = x.mean.size() / group;
  const auto* w = weights.data();
  for (std::size_t r = 0; r < rows; ++r) {
    const auto first = r / (rows / group) * per_row;
    double mean = 0;
    double variance = 0;
    for (auto c = first; c < first + per_row; ++c) {
      double sum = 0;
      double squares = 0;
      for (std::size_t t = 0; t < taps; ++t, ++w) {
        sum += *w;
        squares += *w * *w;
      }
      mean += sum * x.mean[c];
      // Images differ in their channels' means: half of the mean's square stands for that. Without it, errors of the
      // prediction grow from layer to layer.
      variance += squares * (x.variance[c] + 0.5 * x.mean[c] * x.mean[c]);
    }
    y.mean.push_back(rounded(mean));
    y.variance.push_back(rounded(variance));
  }
}

}  // namespace

ZooBuilder::ZooBuilder(const std::string& name, std::uint64_t seed) : seed_(seed) {
  model_.set_ir_version(7);
  model_.set_producer_name("accord zoo");
  model_.add_opset_import()->set_version(13);
  model_.mutable_graph()->set_name(name);
}

void ZooBuilder::input(const std::string& name, int onnx_type, const Shape& shape) {
  describe(*model_.mutable_graph()->add_input(), name, onnx_type, shape);
}

Activation ZooBuilder::image_input(const std::string& name, const Shape& shape) {
  input(name, onnx::TensorProto::FLOAT, shape);
  const auto channels = static_cast<std::size_t>(shape[1]);
  return {name, shape, std::vector<double>(channels, 0), std::vector<double>(channels, 1)};
}

void ZooBuilder::output(const std::string& name, const Shape& shape) {
  describe(*model_.mutable_graph()->add_output(), name, onnx::TensorProto::FLOAT, shape);
}

std::string ZooBuilder::node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                             const std::vector<OnnxAttribute>& attributes, int outputs) {
  auto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name(name);
  for (const auto& i : inputs) node.add_input(i);
  for (int i = 0; i < outputs; ++i) node.add_output(i == 0 ? name + ".out" : name + ".out" + std::to_string(i));
  for (const auto& [key, value] : attributes) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(key);
    std::visit(AttributeWriter{attribute}, value);
  }
  return node.output(0);
}

std::string ZooBuilder::floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  fill(*model_.mutable_graph()->add_initializer(), name, onnx::TensorProto::FLOAT, shape, values);
  return name;
}

std::string ZooBuilder::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  fill(*model_.mutable_graph()->add_initializer(), name, onnx::TensorProto::INT64, {std::ssize(values)}, values);
  return name;
}

std::string ZooBuilder::scalar(const std::string& name, float value) { return floats(name, {}, {value}); }

std::vector<float> ZooBuilder::normal_values(const std::string& name, const Shape& shape, double mean,
                                             double deviation) const {
  return SeededValues(seed_, name).normals(count_of(shape), static_cast<float>(mean), static_cast<float>(deviation));
}

std::string ZooBuilder::normals(const std::string& name, const Shape& shape, double mean, double deviation) {
  return floats(name, shape, normal_values(name, shape, mean, deviation));
}

std::string ZooBuilder::uniforms(const std::string& name, const Shape& shape, double low, double high) {
  auto values = SeededValues(seed_, name).uniforms(count_of(shape), static_cast<float>(low), static_cast<float>(high));
  return floats(name, shape, values);
}

Activation ZooBuilder::conv(const std::string& name, const Activation& x, const ConvSpec& spec) {
  const auto [channels, kernel, stride, pad, group, bias] = spec;
  const Shape shape = {channels, x.channels() / group, kernel, kernel};
  const auto fan_in = shape[1] * kernel * kernel;
  const auto weights = normal_values(name + ".weight", shape, 0, he_deviation(fan_in));
  std::vector<std::string> inputs = {x.name, floats(name + ".weight", shape, weights)};
  if (bias) inputs.push_back(normals(name + ".bias", {channels}, 0, 0.02));
  Activation y{"", windowed(x.shape, channels, kernel, stride, pad), {}, {}};
  propagate(x, weights, static_cast<std::size_t>(group), static_cast<std::size_t>(kernel * kernel), y);
  y.name = node("Conv", name, inputs,
                {{"kernel_shape", Integers{kernel, kernel}},
                 {"strides", Integers{stride, stride}},
                 {"pads", Integers(4, pad)},
                 {"dilations", Integers{1, 1}},
                 {"group", group}});
  return y;
}

Activation ZooBuilder::batch_norm(const std::string& name, const Activation& x) {
  const Shape shape = {x.channels()};
  const auto count = count_of(shape);
  const auto gamma = SeededValues(seed_, name + ".weight").uniforms(count, 0.8F, 1.2F);
  const auto beta = normal_values(name + ".bias", shape, 0, 0.1);
  const auto blur = SeededValues(seed_, name + ".running_var").uniforms(count, 0.9F, 1.1F);
  std::vector<float> mean(count);
  std::vector<float> variance(count);
  Activation y{"", x.shape, {}, {}};
  for (std::size_t c = 0; c < count; ++c) {
    mean[c] = static_cast<float>(x.mean[c]);
    variance[c] = static_cast<float>(rounded(std::max(x.variance[c], 1e-3) * static_cast<double>(blur[c])));
    y.mean.push_back(static_cast<double>(beta[c]));
    y.variance.push_back(static_cast<double>(gamma[c]) * static_cast<double>(gamma[c]));
  }
  y.name = node("BatchNormalization", name,
                {x.name, floats(name + ".weight", shape, gamma), floats(name + ".bias", shape, beta),
                 floats(name + ".running_mean", shape, mean), floats(name + ".running_var", shape, variance)},
                {{"epsilon", 1e-5}, {"momentum", 0.9}});
  return y;
}

namespace {

/// What max(v, 0) makes of normally distributed channels.
void rectify(Activation& x) {
  for (std::size_t c = 0; c < x.mean.size(); ++c) {
    const auto mean = x.mean[c];
    const auto deviation = std::sqrt(std::max(x.variance[c], 1e-12));
    const auto ratio = mean / deviation;
    const auto below = 0.5 * (1 + std::erf(ratio / std::sqrt(2.0)));
    const auto density = std::exp(-0.5 * ratio * ratio) / std::sqrt(2 * 3.14159265358979323846);
    const auto rectified = mean * below + deviation * density;
    const auto square = (mean * mean + x.variance[c]) * below + mean * deviation * density;
    x.mean[c] = rounded(rectified);
    x.variance[c] = rounded(std::max(square - rectified * rectified, 1e-6));
  }
}

}  // namespace

Activation ZooBuilder::relu(const std::string& name, const Activation& x) {
  auto y = x;
  rectify(y);
  y.name = node("Relu", name, {x.name});
  return y;
}

Activation ZooBuilder::relu6(const std::string& name, const Activation& x) {
  auto y = x;
  rectify(y);
  y.name = node("Clip", name, {x.name, scalar(name + ".min", 0), scalar(name + ".max", 6)});
  return y;
}

Activation ZooBuilder::add(const std::string& name, const Activation& a, const Activation& b) {
  auto y = a;
  for (std::size_t c = 0; c < y.mean.size(); ++c) {
    y.mean[c] += b.mean[c];
    y.variance[c] += b.variance[c];
  }
  y.name = node("Add", name, {a.name, b.name});
  return y;
}

Activation ZooBuilder::max_pool(const std::string& name, const Activation& x, std::int64_t kernel, std::int64_t stride,
                                std::int64_t pad) {
  auto y = x;
  y.shape = windowed(x.shape, x.channels(), kernel, stride, pad);
  // The greatest of n normal values lies about 1.2 (n = 4..9) deviations above the mean and spreads less.
  for (std::size_t c = 0; c < y.mean.size(); ++c) {
    y.mean[c] = rounded(x.mean[c] + 1.2 * std::sqrt(x.variance[c]));
    y.variance[c] = rounded(0.5 * x.variance[c]);
  }
  y.name = node(
      "MaxPool", name, {x.name},
      {{"kernel_shape", Integers{kernel, kernel}}, {"strides", Integers{stride, stride}}, {"pads", Integers(4, pad)}});
  return y;
}

Activation ZooBuilder::global_average_pool(const std::string& name, const Activation& x) {
  auto y = x;
  for (auto& v : y.variance) v /= static_cast<double>(x.shape[2] * x.shape[3]);
  y.shape = {x.shape[0], x.channels(), 1, 1};
  y.name = node("GlobalAveragePool", name, {x.name});
  return y;
}

Activation ZooBuilder::flatten(const std::string& name, const Activation& x) {
  const auto plane = static_cast<std::size_t>(element_count(x.shape) / x.shape[0] / x.channels());
  Activation y{"", {x.shape[0], element_count(x.shape) / x.shape[0]}, {}, {}};
  for (std::size_t c = 0; c < x.mean.size(); ++c) {
    y.mean.insert(y.mean.end(), plane, x.mean[c]);
    y.variance.insert(y.variance.end(), plane, x.variance[c]);
  }
  y.name = node("Flatten", name, {x.name}, {{"axis", std::int64_t{1}}});
  return y;
}

Activation ZooBuilder::linear(const std::string& name, const Activation& x, std::int64_t features) {
  const Shape shape = {features, x.channels()};
  const auto weights = normal_values(name + ".weight", shape, 0, he_deviation(x.channels()));
  Activation y{"", {x.shape[0], features}, {}, {}};
  propagate(x, weights, 1, 1, y);
  const auto w = floats(name + ".weight", shape, weights);
  y.name = node("Gemm", name, {x.name, w, normals(name + ".bias", {features}, 0, 0.02)}, {{"transB", std::int64_t{1}}});
  return y;
}

void ZooBuilder::write(const std::filesystem::path& path) const {
  std::ofstream stream(path, std::ios::binary);
  if (!stream || !model_.SerializeToOstream(&stream) || !stream.flush()) {
    throw Error("cannot write '" + path.string() + "'");
  }
}

}  // namespace accord

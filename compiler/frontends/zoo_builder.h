#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <onnx/onnx_pb.h>

#include "compiler/network/network.h"

namespace accord {

/// A tensor of the network that is being built, with what its channels are expected to look like (mean and variance of
/// each, taking values as normal and independent): that is where plausible BatchNormalization statistics come from.
struct Activation {
  std::string name;
  Shape shape;
  std::vector<double> mean;
  std::vector<double> variance;

  std::int64_t channels() const { return shape[1]; }
};

struct ConvSpec {
  std::int64_t channels = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
  std::int64_t group = 1;
  bool bias = false;
};

using OnnxAttribute =
    std::pair<std::string, std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>>;

/// Writes ONNX nodes; one function per layer kind. Names follow PyTorch's ("layer1.0.conv1").
class ZooBuilder {
 public:
  ZooBuilder(const std::string& name, std::uint64_t seed);

  Activation image_input(const std::string& name, const Shape& shape);
  void input(const std::string& name, int onnx_type, const Shape& shape);
  void output(const std::string& name, const Shape& shape);

  Activation conv(const std::string& name, const Activation& x, const ConvSpec& spec);
  Activation batch_norm(const std::string& name, const Activation& x);
  Activation relu(const std::string& name, const Activation& x);
  Activation relu6(const std::string& name, const Activation& x);
  Activation add(const std::string& name, const Activation& a, const Activation& b);
  Activation max_pool(const std::string& name, const Activation& x, std::int64_t kernel, std::int64_t stride,
                      std::int64_t pad);
  Activation global_average_pool(const std::string& name, const Activation& x);
  Activation flatten(const std::string& name, const Activation& x);
  Activation linear(const std::string& name, const Activation& x, std::int64_t features);

  /// One node with one result; returns the result's name.
  std::string node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                   const std::vector<OnnxAttribute>& attributes = {}, int outputs = 1);
  std::string floats(const std::string& name, const Shape& shape, const std::vector<float>& values);
  std::string integers(const std::string& name, const std::vector<std::int64_t>& values);
  std::string scalar(const std::string& name, float value);
  std::string normals(const std::string& name, const Shape& shape, double mean, double deviation);
  std::string uniforms(const std::string& name, const Shape& shape, double low, double high);

  void write(const std::filesystem::path& path) const;

 private:
  std::vector<float> normal_values(const std::string& name, const Shape& shape, double mean, double deviation) const;

  onnx::ModelProto model_;
  std::uint64_t seed_;
};

}  // namespace accord

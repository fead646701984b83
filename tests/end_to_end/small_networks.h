#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord::test {

/// Builds canonical networks operator by operator, with seeded weights.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(std::uint64_t seed) : seed_(seed) {}

  TensorId input(Shape shape);
  /// x[N,C,H,W], K filters of RxR; `group` as in ONNX.
  TensorId conv(TensorId x, std::int64_t filters, std::int64_t kernel, std::int64_t stride = 1, std::int64_t pad = 0,
                std::int64_t group = 1, std::int64_t dilation = 1);
  /// The same along rows: filters of 1xS, with padding at both ends.
  TensorId conv_along(TensorId x, std::int64_t filters, std::int64_t length, std::int64_t pad);
  TensorId gemm(TensorId x, std::int64_t outputs);
  /// Over the last two indices; the others are equal.
  TensorId matmul(TensorId a, TensorId b);
  TensorId relu(TensorId x);
  TensorId add(TensorId a, TensorId b);
  TensorId max_pool(TensorId x, std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0);
  TensorId average_pool(TensorId x, std::int64_t kernel, std::int64_t stride);
  TensorId concat(const std::vector<TensorId>& parts);
  TensorId softmax(TensorId x);
  TensorId sigmoid(TensorId x);
  /// Any operator of one input whose result has its shape.
  TensorId unary(const std::string& type, TensorId x, std::map<std::string, Attribute> attributes = {});
  /// Any operator of one input.
  TensorId moved(const std::string& type, TensorId x, Shape to, std::map<std::string, Attribute> attributes);
  TensorId multiply(TensorId a, TensorId b);
  TensorId scaled(TensorId x, float factor);
  TensorId flatten(TensorId x);
  TensorId reshape(TensorId x, Shape to);
  TensorId transpose(TensorId x, const std::vector<std::int64_t>& perm);
  const Shape& shape(TensorId id) const { return network_.tensor(id).shape; }
  Network finish(TensorId output);
  /// With all results as outputs that nothing reads.
  Network finish();

 private:
  TensorId weight(const std::string& op, int place, const Shape& shape);
  TensorId emit(const std::string& type, std::vector<TensorId> inputs, Shape shape,
                std::map<std::string, Attribute> attributes = {});

  Network network_;
  std::uint64_t seed_;
};

/// The network whose output `build(builder)` gives.
template <typename Build>
Network network_of(std::uint64_t seed, Build build) {
  NetworkBuilder builder(seed);
  const TensorId output = build(builder);
  return builder.finish(output);
}

/// Rows by weights, and a ReLU.
Network product(std::uint64_t seed, std::int64_t rows, std::int64_t sum, std::int64_t results);

struct NamedNetwork {
  std::string name;
  Network network;
};

/// One network per thing that a compiler may get wrong, each small enough to simulate in milliseconds.
std::vector<NamedNetwork> small_networks(std::uint64_t seed);

}  // namespace accord::test

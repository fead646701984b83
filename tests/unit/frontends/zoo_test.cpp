#include <cmath>

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/load_model.h"
#include "compiler/frontends/onnx.h"
#include "compiler/frontends/seeded.h"
#include "compiler/frontends/zoo.h"
#include "compiler/network/canonicalise.h"
#include "compiler/network/text.h"
#include "compiler/reference/execute.h"
#include "models.h"

using namespace accord;

namespace {

Network zoo_network(const std::string& name, std::uint64_t seed = 0) {
  const Scratch file(name + ".onnx");
  write_zoo(name, file.path, seed);
  return load_model(file.path);
}

Value normal_value(const Tensor& tensor) {
  Value value{tensor.type, tensor.shape, {}};
  const auto numbers = SeededValues(1, tensor.name).normals(count_of(tensor.shape), 0, 1);
  value.data.resize(numbers.size() * 4);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    store_element(value.data.data() + 4 * i, ElementType::fp32, numbers[i]);
  return value;
}

double deviation(const Value& value) {
  const auto count = count_of(value.shape);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto v = load_element(value.data.data() + 4 * i, ElementType::fp32);
    sum += v;
    squares += v * v;
  }
  const auto mean = sum / static_cast<double>(count);
  return std::sqrt(squares / static_cast<double>(count) - mean * mean);
}

/// Multiply-accumulates of convolutions and matrix products.
std::int64_t macs(const Network& network) {
  std::int64_t sum = 0;
  for (const auto& op : network.operators) {
    if (op.type != "Conv" && op.type != "Gemm") continue;
    const auto& w = network.tensor(op.inputs[1]).shape;
    sum += element_count(network.tensor(op.outputs[0]).shape) * (element_count(w) / w[0]);
  }
  return sum;
}

std::int64_t parameters(const Network& network) {
  std::int64_t sum = 0;
  for (const auto& op : network.operators) {
    if (op.type == "Conv" || op.type == "Gemm") sum += element_count(network.tensor(op.inputs[1]).shape);
  }
  return sum;
}

}  // namespace

TEST_CASE("Has the zoo the published sizes?") {
  // Weights without biases and normalisation; multiply-accumulates as in the torchvision documentation (GFLOPS column).
  struct Published {
    const char* name;
    std::int64_t weights;
    double giga_macs;
  };
  for (const auto& [name, weights, giga_macs] :
       {Published{"resnet18", 11678912, 1.81}, Published{"resnet34", 21779648, 3.66},
        Published{"resnet50", 25502912, 4.09}, Published{"resnet101", 44442816, 7.80},
        Published{"mobilenet_v2", 3469760, 0.30}}) {
    CAPTURE(name);
    const auto network = zoo_network(name);
    CHECK(parameters(network) == weights);
    CHECK(static_cast<double>(macs(network)) / 1e9 == doctest::Approx(giga_macs).epsilon(0.01));
  }
}

TEST_CASE("Do activations keep their scale through the zoo's networks?") {
  for (const std::string name : {"resnet18", "mobilenet_v2"}) {
    CAPTURE(name);
    auto network = zoo_network(name);
    canonicalise(network);
    Values inputs;
    for (const auto id : network.inputs) inputs[network.tensor(id).name] = normal_value(network.tensor(id));
    ExecuteOptions options;
    options.observer = [](const Operator& op, const std::vector<Value*>& outputs) {
      CAPTURE(op.name);
      CHECK(deviation(*outputs[0]) > 0.05);
      CHECK(deviation(*outputs[0]) < 5);
    };
    execute(network, inputs, options);
  }
}

TEST_CASE("Does the seed alone decide the weights?") {
  CHECK(to_text(zoo_network("mlp", 1)) == to_text(zoo_network("mlp", 1)));
  CHECK(to_text(zoo_network("mlp", 1)) != to_text(zoo_network("mlp", 2)));
}

TEST_CASE("Are seeded normal values normal?") {
  SeededValues values(0, "w");
  const auto first = values.normals(100000, 0, 1);
  double sum = 0;
  double squares = 0;
  for (const auto v : first) {
    sum += static_cast<double>(v);
    squares += static_cast<double>(v * v);
    CHECK(std::abs(v) < 3.47F);
  }
  CHECK(std::abs(sum / 1e5) < 0.02);
  CHECK(squares / 1e5 == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("Is an unknown name rejected with those that exist?") {
  CHECK_THROWS_WITH_AS(write_zoo("resnet51", "x.onnx"), doctest::Contains("resnet50"), Error);
}

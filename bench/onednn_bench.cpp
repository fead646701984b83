// How long does oneDNN take for the matrix layers of a network in int8, on one core? Prints their number, their
// multiply-accumulates and the processor time of one pass over all of them: the least of several.
#include <fmt/format.h>
#include <dnnl.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/frontends/load_model.h"
#include "compiler/network/canonicalise.h"

namespace {

using namespace accord;
using dnnl::memory;

constexpr int passes = 5;
constexpr auto any = memory::format_tag::any;

/// A primitive with memory in the layouts that it likes best; what is in it does not matter.
struct Layer {
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

memory::desc int8(const Shape& shape) { return {{shape.begin(), shape.end()}, memory::data_type::s8, any}; }

template <class PrimitiveDescription>
Layer layer_of(const PrimitiveDescription& description, const dnnl::engine& engine) {
  return {typename std::conditional_t<std::is_same_v<PrimitiveDescription, dnnl::matmul::primitive_desc>,
                                      std::type_identity<dnnl::matmul>,
                                      std::type_identity<dnnl::convolution_forward>>::type(description),
          {{DNNL_ARG_SRC, memory(description.src_desc(), engine)},
           {DNNL_ARG_WEIGHTS, memory(description.weights_desc(), engine)},
           {DNNL_ARG_DST, memory(description.dst_desc(), engine)}}};
}

Layer convolution(const Network& network, const Operator& op, const dnnl::engine& engine) {
  const Shape &x = network.tensor(op.inputs[0]).shape, &y = network.tensor(op.outputs[0]).shape;
  Shape w = network.tensor(op.inputs[1]).shape;
  const std::int64_t groups = attribute(op, "group", std::int64_t{1});
  const Shape strides = attribute(op, "strides", Shape{1, 1}), pads = attribute(op, "pads", Shape{0, 0, 0, 0});
  Shape dilations = attribute(op, "dilations", Shape{1, 1});
  for (auto& dilation : dilations) --dilation;
  if (groups > 1) {
    w[0] /= groups;
    w.insert(w.begin(), groups);
  }
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, int8(x), int8(w), int8(y),
      {strides.begin(), strides.end()}, {dilations.begin(), dilations.end()}, {pads[0], pads[1]}, {pads[2], pads[3]});
  return layer_of(dnnl::convolution_forward::primitive_desc(desc, engine), engine);
}

Layer product(const Network& network, const Operator& op, const dnnl::engine& engine) {
  Shape a = network.tensor(op.inputs[0]).shape, b = network.tensor(op.inputs[1]).shape;
  const Shape& y = network.tensor(op.outputs[0]).shape;
  if (op.type == "Gemm" && attribute(op, "transB", std::int64_t{0}) != 0) std::swap(b[0], b[1]);
  if (op.type == "Gemm" && attribute(op, "transA", std::int64_t{0}) != 0) std::swap(a[0], a[1]);
  while (b.size() < y.size()) b.insert(b.begin(), 1);
  while (a.size() < y.size()) a.insert(a.begin(), 1);
  const dnnl::matmul::desc desc(int8(a), int8(b), int8(y));
  return layer_of(dnnl::matmul::primitive_desc(desc, engine), engine);
}

std::vector<Layer> matrix_layers(const Network& network, const dnnl::engine& engine) {
  std::vector<Layer> layers;
  for (const auto& op : network.operators) {
    if (op.type == "Conv") layers.push_back(convolution(network, op, engine));
    if (op.type == "Gemm" || op.type == "MatMul") layers.push_back(product(network, op, engine));
  }
  return layers;
}

double least_seconds(std::vector<Layer>& layers, const dnnl::engine& engine) {
  dnnl::stream stream(engine);
  double least = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < passes; ++pass) {
    const double start = processor_seconds();
    for (auto& layer : layers) layer.primitive.execute(stream, layer.arguments);
    stream.wait();
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

int run(const char* model) {
  auto network = load_model(model);
  canonicalise(network);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  auto layers = matrix_layers(network, engine);
  fmt::print("{} layers, {:.6f} s\n", layers.size(), least_seconds(layers, engine));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* threads = std::getenv("OMP_NUM_THREADS");
  if (argc != 2 || threads == nullptr || std::string(threads) != "1") {
    fmt::print(stderr, "usage: OMP_NUM_THREADS=1 accord_onednn MODEL.onnx\n");
    return 1;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

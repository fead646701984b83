#include "compiler/frontends/topology.h"

#include <set>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/limits.h"
#include "compiler/frontends/seeded.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

class TopologyBuilder {
 public:
  TopologyBuilder(Network& network, std::uint64_t seed) : network_(network), seed_(seed) {}

  void add(const TopologyLayer& layer) {
    if (layer.kind == TopologyLayer::Kind::conv)
      add_conv(layer);
    else
      add_gemm(layer);
  }

 private:
  void add_conv(const TopologyLayer& l) {
    if (l.c % l.groups != 0 || l.k % l.groups != 0) {
      throw Error(fmt::format("{} channels and {} filters do not split into {} groups", l.c, l.k, l.groups));
    }
    const auto span_h = l.h + 2 * l.pad_h - l.r;
    const auto span_w = l.w + 2 * l.pad_w - l.s;
    if (span_h < 0 || span_w < 0)
      throw Error(fmt::format("a filter of {}x{} does not fit into {}x{}", l.r, l.s, l.h, l.w));
    const Shape y = {l.n, l.k, span_h / l.stride_h + 1, span_w / l.stride_w + 1};
    add_operator(l.name, "Conv", {l.n, l.c, l.h, l.w}, {l.k, l.c / l.groups, l.r, l.s}, y,
                 {{"kernel_shape", Integers{l.r, l.s}},
                  {"strides", Integers{l.stride_h, l.stride_w}},
                  {"dilations", Integers{1, 1}},
                  {"pads", Integers{l.pad_h, l.pad_w, l.pad_h, l.pad_w}},
                  {"group", l.groups}});
  }

  void add_gemm(const TopologyLayer& l) {
    add_operator(l.name, "Gemm", {l.m, l.k}, {l.n, l.k}, {l.m, l.n}, {{"transB", std::int64_t{1}}});
  }

  void add_operator(const std::string& name, const std::string& type, const Shape& x, const Shape& w, const Shape& y,
                    std::map<std::string, Attribute> attributes) {
    if (!names_.insert(name).second) throw Error("the name occurs twice");
    for (const auto* shape : {&x, &w, &y}) check_shape(*shape);
    constant_bytes_ += element_count(w) * 4;
    if (constant_bytes_ > max_constant_bytes) throw Error("the weights of all layers take too much memory");
    const auto input = append({name + ".x", ElementType::fp32, x, nullptr, std::nullopt});
    const auto weights = append(make_constant(name + ".w", w, seeded_parameter(type, 1, w, name + ".w", seed_)));
    const auto output = append({name + ".y", ElementType::fp32, y, nullptr, std::nullopt});
    network_.operators.push_back({name, type, {input, weights}, {output}, std::move(attributes)});
    network_.inputs.push_back(input);
    network_.outputs.push_back(output);
  }

  TensorId append(Tensor tensor) {
    network_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(network_.tensors.size()) - 1;
  }

  Network& network_;
  std::uint64_t seed_;
  std::set<std::string> names_;
  std::int64_t constant_bytes_ = 0;
};

constexpr std::int64_t max_size = 1 << 24;

void check_sizes(const TopologyLayer& l) {
  for (const auto size : {l.n, l.c, l.h, l.w, l.k, l.r, l.s, l.stride_h, l.stride_w, l.groups, l.m}) {
    if (size < 1 || size > max_size) throw Error(fmt::format("a size of {} (1 to {} are allowed)", size, max_size));
  }
  for (const auto pad : {l.pad_h, l.pad_w}) {
    if (pad < 0 || pad > max_size) throw Error(fmt::format("padding of {}", pad));
  }
}

}  // namespace

Network build_topology(const std::string& name, const std::vector<TopologyLayer>& layers, std::uint64_t seed) {
  if (layers.empty()) throw Error("there are no layers");
  Network network;
  network.name = name;
  TopologyBuilder builder(network, seed);
  for (const auto& layer : layers) {
    try {
      check_sizes(layer);
      builder.add(layer);
    } catch (const Error& error) {
      throw Error(fmt::format("layer '{}': {}", layer.name, error.what()));
    }
  }
  network.warnings.push_back(fmt::format("{} layers got seeded weights", layers.size()));
  return network;
}

}  // namespace accord

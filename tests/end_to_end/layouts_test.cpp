// Does what lies innermost suit all who read and write it? Attentions: products of two variables, one of them
// transposed.
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/compilation.h"
#include "compiler/numerics/quantise.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

struct Attention {
  std::int64_t tokens, heads, width;
};

/// Scores of each head's queries and keys, times its values.
Network attention(const Attention& size) {
  NetworkBuilder b(7);
  const std::int64_t all = size.heads * size.width;
  const TensorId x = b.input({size.tokens, all});
  const auto heads = [&] { return b.reshape(b.gemm(x, all), {size.tokens, size.heads, size.width}); };
  const TensorId queries = b.transpose(heads(), {1, 0, 2}), keys = b.transpose(heads(), {1, 2, 0});
  const TensorId values = b.transpose(heads(), {1, 0, 2});
  return b.finish(b.matmul(b.matmul(queries, keys), values));
}

double predicted(const Compilation& compilation) {
  double cycles = 0;
  for (const LayerPlan& layer : compilation.layers) {
    if (layer.placement == Placement::machine) cycles += layer.mappings.front().predicted_cycles;
  }
  return cycles;
}

/// What the host's copies would take over the machine's links, in and out.
double copying(const Compilation& compilation) {
  double bytes_moved = 0;
  for (const LayerPlan& layer : compilation.layers) {
    const Operator& op = compilation.network.operators[layer.group.operators[0]];
    if (layer.placement != Placement::host || op.type != "Transpose") continue;
    const Tensor& result = compilation.network.tensor(op.outputs[0]);
    bytes_moved += static_cast<double>(2 * element_count(result.shape) * bytes(result.type));
  }
  return bytes_moved / off_chip_width(compilation.architecture);
}

bool on_host(const RunReport& report, const std::string& op) {
  return std::ranges::any_of(report.layers, [&](const auto& l) { return l.op == op && l.placed_on == "host"; });
}

}  // namespace

TEST_CASE("do units that read rows of both factors take the keys where their product left them") {
  for (const char* name : {"nvdla_small", "nvdla_large", "hvx", "avx512_vnni"}) {
    CAPTURE(std::string(name));
    const auto result = run_checked(machine(name), attention({16, 2, 32}), 3);
    CHECK(!on_host(result.report, "Transpose"));
  }
}

TEST_CASE("are layouts that are chosen predicted to be quicker, and are values right with them") {
  std::size_t chosen = 0;
  for (const char* name : {"gemmini16", "dnnweaver64", "nvdla_small", "nvdla_large", "vta", "avx512_vnni", "simba"}) {
    CAPTURE(std::string(name));
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(seed);
      Draw draw(seed);
      const Network network = attention({draw.from(3, 40), draw.from(1, 3), 4 * draw.from(1, 12)});
      run_checked(architecture, network, seed);
      const Network numeric = quantise(network, architecture.numerics, {});
      const CompileOptions options;
      Compilation by_rule(architecture, numeric, options), weighed(architecture, numeric, options);
      for (const auto pass : {group_pass, place_pass, map_pass}) pass(by_rule);
      for (const auto pass : {group_pass, place_pass, layout_pass, map_pass}) pass(weighed);
      if (std::ranges::none_of(weighed.layouts, [](const auto& l) { return l.starts_with("chosen"); })) {
        CHECK(predicted(weighed) == predicted(by_rule));
        continue;
      }
      ++chosen;
      CHECK(predicted(weighed) < predicted(by_rule) + copying(by_rule) - copying(weighed));
    }
  }
  CHECK(chosen > 5);
}

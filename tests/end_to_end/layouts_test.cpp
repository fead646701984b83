// Does what lies innermost suit all who read and write it? Attentions: products of two variables, one of them
// transposed.
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/compilation.h"
#include "compiler/numerics/quantise.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"
#include "tests/file_text.h"

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

/// Sums of outer products, one element of the sum at a time, whose array wants positions side by side; results lie as
/// the factors per channel of what follows want it.
Architecture outer_products(bool channels_across) {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/outer_products.yaml");
  for (const auto& [from, to] : std::map<std::string, std::string>{
           {"i32(a[k,i,l]) * i32(b[k,j,l])", "i32(a[k,i]) * i32(b[k,j])"},
           {"j: 1..16, l: 1..4}", "j: 1..16}"},
           {"steps: [free, 4 B, 1 B]", "steps: [free, 1 B]"},
           {"j: 5, l: 3, a_k", "j: 5, a_k"},
           {"j: j, l: l, a.base", "j: j, a.base"},
       })
    text = replaced(text, from, to);
  return loaded(channels_across ? text : replaced(text, "mult[j]", "mult[i]"));
}

/// Convolutions with and without margins, plain and of each channel, steps, parts side by side, sums, and a product
/// that reads all of the image.
Network images(std::uint64_t seed) {
  Draw draw(seed);
  return network_of(seed, [&](auto& b) {
    const std::int64_t channels = 4 * draw.from(1, 8), side = draw.from(5, 12), kernel = 1 + 2 * draw.from(0, 1);
    TensorId x = b.relu(b.conv(b.input({1, channels, side, side}), channels, 1));
    const TensorId each = b.conv(x, channels, 3, draw.from(1, 2), 1, channels);
    switch (draw.from(0, 3)) {
      case 0: x = b.concat({b.conv(x, channels, kernel, 1, kernel / 2), x}); break;
      case 1: x = b.add(b.conv(x, channels, kernel, 1, kernel / 2), x); break;
      case 2: x = b.max_pool(each, 2, 2); break;
      default: x = b.relu(each);
    }
    x = b.conv(x, 4 * draw.from(1, 8), kernel, 1, kernel / 2);
    return draw.once_in(2) ? b.gemm(b.flatten(x), 10) : x;
  });
}

/// What the passes predict with the layouts by rule, and with those that they weigh.
struct Weighing {
  Compilation by_rule, weighed;

  Weighing(const Architecture& architecture, const Network& numeric, const CompileOptions& options)
      : by_rule(architecture, numeric, options), weighed(architecture, numeric, options) {
    for (const auto pass : {group_pass, place_pass, map_pass}) pass(by_rule);
    for (const auto pass : {group_pass, place_pass, layout_pass, map_pass}) pass(weighed);
  }
  bool chose() const {
    return std::ranges::any_of(weighed.layouts, [](const auto& l) { return l.starts_with("chosen"); });
  }
};

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
      const Weighing weighing(architecture, numeric, options);
      if (!weighing.chose()) {
        CHECK(predicted(weighing.weighed) == predicted(weighing.by_rule));
        continue;
      }
      ++chosen;
      const double before = predicted(weighing.by_rule) + copying(weighing.by_rule);
      CHECK(predicted(weighing.weighed) < before - copying(weighing.weighed));
    }
  }
  CHECK(chosen > 5);
}

TEST_CASE("do images lie with their positions side by side where that is quicker, and are values right then") {
  std::size_t chosen = 0;
  for (const bool channels_across : {true, false}) {
    CAPTURE(channels_across);
    const Architecture architecture = outer_products(channels_across);
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + 5; ++seed) {
      CAPTURE(seed);
      const Network network = images(seed);
      run_checked(architecture, network, seed);
      const Network numeric = quantise(network, architecture.numerics, {});
      const CompileOptions options;
      const Weighing weighing(architecture, numeric, options);
      if (weighing.chose()) ++chosen;
      CHECK(predicted(weighing.weighed) <= predicted(weighing.by_rule));
    }
  }
  CHECK(chosen > 5);
}

TEST_CASE("does an image of few channels lie in rows of positions, as the same product by a matrix would") {
  const Architecture npu = machine("bf16npu");
  const auto cycles = [&](const Network& network) { return run_checked(npu, network, 7).report.total_cycles; };
  NetworkBuilder head(7), product(7);
  const Network by_channels = head.finish(head.conv(head.input({1, 16, 64, 64}), 1, 1));
  const Network by_rows = product.finish(product.matmul(product.input({1, 16}), product.input({16, 4096})));
  CHECK(cycles(by_channels) < 2 * cycles(by_rows));
}

TEST_CASE("do convolutions of few channels on many lanes lie in rows of positions, with margins and without") {
  const Architecture wide = loaded(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/wide_vectors.yaml"));
  for (const std::int64_t pad : {0, 1}) {  // without a margin, two rows side by side as channels compete
    CAPTURE(pad);
    const Network network = network_of(7, [&](auto& b) { return b.conv(b.input({1, 32, 16, 23}), 16, 3, 1, pad); });
    const auto report = run_checked(wide, network, 7).report;
    const auto layer = std::ranges::max_element(report.layers, {}, &LayerReport::macs);
    CHECK(layer->capability == "fma");
    CHECK(static_cast<double>(report.total_cycles) < 1.5 * static_cast<double>(layer->bound_cycles));
  }
}

TEST_CASE("is a result whose columns lie apart not read where it lies as if they did not") {
  const Network network = network_of(7, [](auto& b) {
    return b.conv(b.transpose(b.conv(b.input({2, 33, 12, 16}), 65, 1), {0, 2, 1, 3}), 40, 1);
  });
  run_checked(machine("ethos_u55"), network, 7);
}

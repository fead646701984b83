// Do a layer's tensors lie as in the network when it runs by itself?
#include "compiler/layer_alone.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/numerics/convert_float.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("does a convolution by itself read its image where the product before leaves it") {
  // The host would write the image anew, channels innermost; the machine's product stays as it is.
  const Architecture architecture = machine("bf16npu");
  const Network network = network_of(11, [](NetworkBuilder& b) {
    const TensorId product = b.matmul(b.input({64, 32}), b.input({32, 49}));
    return b.conv(b.reshape(product, {1, 64, 7, 7}), 32, 1);
  });
  const CompileOptions options;
  Compilation compilation(architecture, convert_float(network, architecture.numerics), options);
  group_pass(compilation);
  place_pass(compilation);
  map_pass(compilation);
  const auto reads_image = [&](const LayerPlan& layer) {
    return compilation.network.operators[static_cast<std::size_t>(layer.group.operators[0])].type == "Conv";
  };
  const auto conv = std::ranges::find_if(compilation.layers, reads_image);
  REQUIRE(conv != compilation.layers.end());
  REQUIRE(conv->placement == Placement::machine);
  const LayerPlan layer = *conv;
  std::vector<Symbol> alone;
  const Measure keep_symbols = [&](const Architecture&, const Program& program) {
    alone = program.symbols;
    return std::int64_t{1};
  };
  LayerAlone(compilation, layer, keep_symbols).cycles(layer.mappings.front());
  allocate_pass(compilation);
  const TensorId image = compilation.network.operators[static_cast<std::size_t>(layer.group.operators[0])].inputs[0];
  REQUIRE(compilation.homes[image].alias >= 0);
  const auto symbol = std::ranges::find(alone, compilation.network.tensor(image).name, &Symbol::name);
  REQUIRE(symbol != alone.end());
  CHECK(symbol->strides == compilation.homes[image].strides);
}

// Is a program the same, bit for bit, whether equal layers are lowered once or each anew?
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/inputs.h"
#include "cli/numeric.h"
#include "compiler/compilation.h"
#include "compiler/layer_search.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/same_program.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t first_repeated = 83;  // seeds from here on

/// Blocks that are equal, or differ in one thing that their shapes do not tell.
TensorId convolution_block(NetworkBuilder& b, Draw& draw, TensorId x, std::int64_t channels) {
  const TensorId before = x;
  switch (draw.from(0, 4)) {
    case 0: x = b.conv(x, channels, 3, 1, 2, 1, 2); break;  // dilated
    case 1: x = b.conv(x, channels, 3, 1, 1, channels); break;
    default: x = b.conv(x, channels, 3, 1, 1); break;
  }
  if (!draw.once_in(4)) x = b.relu(x);
  return draw.once_in(3) ? b.add(x, before) : x;
}

TensorId product_block(NetworkBuilder& b, Draw& draw, TensorId x, std::int64_t size) {
  const TensorId y = b.gemm(x, size);
  if (draw.once_in(4)) return b.add(y, x);
  return draw.once_in(4) ? y : b.relu(y);
}

Network repeated(std::uint64_t seed, bool images) {
  Draw draw(seed);
  return network_of(seed, [&](NetworkBuilder& b) {
    const std::int64_t size = 8 * draw.from(1, 3), plane = draw.from(5, 9);
    TensorId x = b.input(images ? Shape{1, size, plane, plane} : Shape{plane, size});
    for (int block = 0; block < 6; ++block) {
      x = images ? convolution_block(b, draw, x, size) : product_block(b, draw, x, size);
    }
    return x;
  });
}

void check_same_anew(const Architecture& architecture, const Network& network, bool fuse) {
  const auto numeric = to_numeric(architecture, network, seeded_inputs_of(network, first_repeated));
  const auto compiled = [&](bool reuse) {
    CompileOptions options;
    options.reuse_lists = reuse;
    options.fuse = fuse;
    return compile(architecture, numeric, options);
  };
  const Program with = compiled(true), without = compiled(false);
  check_same_program(with, without);
}

void check_repeated(const Architecture& architecture) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    CAPTURE(first_repeated + i);
    check_same_anew(architecture, repeated(first_repeated + i, i % 2 == 0), i >= 2);
  }
}

}  // namespace

TEST_CASE("of repeated layers, is the program for a machine with an interlock the same") {
  check_repeated(machine("gemmini16"));
}

TEST_CASE("of repeated layers, is the program for a machine with semaphores the same") {
  check_repeated(loaded(edited("gemmini16", "sync: {interlock: {entries: 28}}", "sync: {semaphores: 32}")));
  check_repeated(machine("genesys"));
}

TEST_CASE("of repeated layers, is the program for a machine in order the same") { check_repeated(machine("hvx")); }

TEST_CASE("of repeated layers, is the program for several cores the same") { check_repeated(machine("gemmini16x4")); }

TEST_CASE("of repeated layers, is the program for a float machine the same") { check_repeated(machine("bf16npu")); }

TEST_CASE("is an equal layer with fewer assignments searched for itself") {
  const Architecture architecture = machine("gemmini16");
  const Network network = repeated(first_repeated, true);
  const auto numeric = to_numeric(architecture, network, seeded_inputs_of(network, first_repeated));
  const CompileOptions options;
  Compilation compilation(architecture, numeric, options);
  group_pass(compilation);
  place_pass(compilation);
  const auto some = [](const LayerPlan& layer) { return layer.mappings.size() > 1; };
  const auto found = std::ranges::find_if(compilation.layers, some);
  REQUIRE(found != compilation.layers.end());
  LayerPlan layer = *found;
  const std::string key = search_key(compilation, layer);
  layer.mappings.pop_back();
  CHECK(search_key(compilation, layer) != key);
}

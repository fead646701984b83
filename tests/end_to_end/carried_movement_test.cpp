// Do transfers alone move what no unit copies, through memories on chip that they reach and leave again?
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/mapping/carriers.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t carried_seed = 41;

/// Integer machines none of whose units copies.
const std::vector<std::string> without_copies = {"gemmini16",   "gemmini16x4", "dnnweaver64", "hvx",
                                                 "avx512_vnni", "ethos_u55",   "simba",       "genesys"};

/// Rows and columns as often as `factor` says.
TensorId repeated(NetworkBuilder& b, TensorId x, std::int64_t rows, std::int64_t columns) {
  const Shape& from = b.shape(x);
  return b.moved("Repeat", x, {from[0], from[1], from[2] * rows, from[3] * columns},
                 {{"repeats", std::vector<std::int64_t>{1, 1, rows, columns}}});
}

TensorId sliced(NetworkBuilder& b, TensorId x, std::int64_t axis, std::int64_t start, std::int64_t step) {
  Shape to = b.shape(x);
  std::int64_t& extent = to[static_cast<std::size_t>(axis)];
  const std::int64_t end = extent;
  extent = (end - start + step - 1) / step;
  using Integers = std::vector<std::int64_t>;
  return b.moved(
      "Slice", x, to,
      {{"starts", Integers{start}}, {"ends", Integers{end}}, {"axes", Integers{axis}}, {"steps", Integers{step}}});
}

TensorId padded(NetworkBuilder& b, TensorId x, std::int64_t before, std::int64_t after) {
  const Shape& from = b.shape(x);
  return b.moved("Pad", x, {from[0], from[1], from[2] + before + after, from[3] + before + after},
                 {{"pads", std::vector<std::int64_t>{0, 0, before, before, 0, 0, after, after}},
                  {"value", 0.0},
                  {"mode", std::string("constant")}});
}

/// What a convolution makes, moved in some way, for two that read it.
Network moving(std::uint64_t seed) {
  return network_of(seed, [&](NetworkBuilder& b) {
    Draw draw(seed);
    const std::int64_t channels = draw.from(1, 40);
    const TensorId x = b.relu(b.conv(b.input({draw.from(1, 2), 8, draw.from(3, 9), draw.from(3, 9)}), channels, 1));
    TensorId y = x;
    switch (draw.from(0, 4)) {
      case 0: y = repeated(b, x, draw.from(1, 3), draw.from(2, 4)); break;
      case 1: y = sliced(b, x, 1, draw.from(0, channels - 1), draw.from(1, 2)); break;
      case 2: y = sliced(b, x, draw.from(2, 3), draw.from(0, 1), 2); break;
      case 3: y = padded(b, x, draw.from(0, 2), draw.from(1, 2)); break;
      default: y = b.concat({x, x}); break;
    }
    return b.concat({b.conv(y, 8, 3, 1, 1), b.conv(y, 8, 1)});
  });
}

int carried(const MainJobResult& job) {
  return static_cast<int>(std::ranges::count(job.report.layers, "carry", &LayerReport::capability));
}

}  // namespace

TEST_CASE("is what only moves carried, each element from off chip once") {
  const Network doubled = network_of(carried_seed, [](NetworkBuilder& b) {
    return b.conv(repeated(b, b.relu(b.conv(b.input({1, 16, 14, 14}), 32, 3, 1, 1)), 2, 2), 16, 3, 1, 1);
  });
  for (const std::string& name : without_copies) {
    CAPTURE(name);
    const MainJobResult job = run_checked(machine(name), doubled, carried_seed);
    const auto layer = std::ranges::find(job.report.layers, "Repeat", &LayerReport::op);
    REQUIRE(layer != job.report.layers.end());
    CHECK(layer->capability == "carry");
    CHECK(layer->off_chip_bytes == 32 * 14 * 14 * 5);
  }
}

TEST_CASE("are random movements between layers right") {
  const std::uint64_t first = first_seed();
  int all = 0;
  for (std::uint64_t seed = first; seed < first + 12; ++seed) {
    const Network network = moving(seed);
    for (const std::string& name : without_copies) {
      CAPTURE(seed);
      CAPTURE(name);
      all += carried(run_checked(machine(name), network, seed));
    }
  }
  CHECK(all >= 40);
}

TEST_CASE("are memories that transfers do not leave off chip no carriers") {
  const Architecture vta = machine("vta");
  CHECK(with_carriers(vta).units.size() == vta.units.size());
  const Architecture gemmini = machine("gemmini16");
  const Architecture carrying = with_carriers(gemmini);
  REQUIRE(carrying.units.size() == gemmini.units.size() + 2);
  CHECK(carrying.units[gemmini.units.size()].name == "spad");
  CHECK(carrying.units.back().name == "acc");
}

// Machines whose operands lie in blocks, so that two dims of a capability count one loop of a layer.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "compiler/compilation.h"
#include "compiler/mapping/verify.h"
#include "compiler/numerics/quantise.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"
#include "tests/file_text.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

/// A product or a convolution of odd sizes, and what may follow it.
Network layer(std::uint64_t seed, std::string& what) {
  Draw draw(seed);
  return network_of(seed, [&](auto& b) {
    if (draw.once_in(2)) {
      const std::int64_t rows = draw.from(1, 30), deep = draw.from(5, 70), wide = draw.from(5, 40);
      what = fmt::format("{} rows, {} to {}", rows, deep, wide);
      return b.gemm(b.input({rows, deep}), wide);
    }
    const std::int64_t deep = draw.from(5, 24), wide = draw.from(5, 24), kernel = draw.from(1, 3);
    const std::int64_t h = draw.from(kernel, 6), w = draw.from(kernel, 18);
    what = fmt::format("{} to {}, {}x{}, kernel {}", deep, wide, h, w, kernel);
    const TensorId y = b.conv(b.input({1, deep, h, w}), wide, kernel, 1, kernel / 2);
    return draw.once_in(2) ? b.relu(y) : y;
  });
}

void check_layers(const std::string& name, std::uint64_t count) {
  const Architecture architecture = described(name);
  const std::uint64_t first = first_seed(), last = first + asked("ACCORD_RANDOM_LAYERS", count);
  int tally = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    std::string what;
    const Network network = layer(seed, what);
    CAPTURE(name);
    CAPTURE(seed);
    CAPTURE(what);
    const Network stored = quantise(network, architecture.numerics, {});
    CompileOptions options;
    options.searcher = make_searcher(seed % 2 == 0 ? "default" : "random", seed);
    Compilation compilation(architecture, stored, options);
    compile_layers(compilation);
    for (const auto& layer : compilation.layers) {
      const auto mapping = std::ranges::find_if(layer.mappings, in_blocks);
      if (layer.placement != Placement::machine || mapping == layer.mappings.end()) continue;
      CHECK(verify_points(compilation.machine, stored, layer.work, compilation.homes, *mapping) == "");
      ++tally;
    }
    run_checked(architecture, network, seed);
  }
  CHECK(tally > 0);
}

}  // namespace

TEST_CASE("do sums of outer products in groups get layers of any size right") { check_layers("outer_products", 12); }

TEST_CASE("do fractals get layers of any size right") { check_layers("fractal_cube", 6); }

TEST_CASE("do tiles that count in blocks both ways get layers of any size right") { check_layers("memory_tile", 2); }

TEST_CASE("do blocks make a plain product quicker than one dim alone could") {
  const Architecture architecture = described("outer_products");
  const auto job = run_checked(architecture, network_of(5, [](auto& b) { return b.gemm(b.input({64, 256}), 128); }), 5);
  const auto product = std::ranges::find_if(job.report.layers, [](const auto& l) { return l.capability == "smopa"; });
  REQUIRE(product != job.report.layers.end());
  // 4 x 8 tiles of 16x16 results: 64 groups of the sum each. An instruction for each group takes 8 cycles at least.
  CHECK(product->cycles < 4 * 8 * 64 * 8);
}

TEST_CASE("does the last of several blocks leave alone the margin that the next layer reads") {
  for (const std::int64_t columns : {5, 50, 67}) {
    CAPTURE(columns);
    const auto along = [&](auto& b) {
      return b.conv_along(b.relu(b.conv(b.input({1, 16, 1, columns}), 24, 1)), 16, 3, 1);
    };
    run_checked(machine("ethos_u55"), network_of(7, along), 7);
  }
}

TEST_CASE("do parts of a result in blocks go on where others rely on what lies beyond") {
  const auto part = [](NetworkBuilder& b) {
    const TensorId product = b.gemm(b.input({1, 20}), 96);
    const TensorId some = b.moved("Slice", product, {1, 72},
                                  {{"starts", std::vector<std::int64_t>{0}},
                                   {"ends", std::vector<std::int64_t>{72}},
                                   {"axes", std::vector<std::int64_t>{1}},
                                   {"steps", std::vector<std::int64_t>{1}}});
    return b.sigmoid(some);
  };
  const auto job = run_checked(described("units_in_a_row"), network_of(13, part), 13);
  CHECK(std::ranges::any_of(job.report.layers, [](const auto& layer) { return layer.macs > 0 && layer.cycles > 0; }));
}

TEST_CASE("do layers in blocks that reach beyond their channels keep their mappings beside readers in such blocks") {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/memory_tile.yaml");
  text = replaced(replaced(text, "capacity: 64 KiB", "capacity: 4 KiB"), "capacity: 512 KiB", "capacity: 16 KiB");
  text = replaced(text, "src: 24, dst: 24", "src: {bits: 24, unit: 8}, dst: {bits: 24, unit: 8}");
  for (const std::string stride : {"s1", "s2", "t1", "t2"})
    text = replaced(text, stride + ": 24", stride + ": {bits: 24, unit: 8}");
  const Architecture architecture = loaded(text);
  const auto cycles_of_first = [&](bool read) {
    const auto layers = [&](NetworkBuilder& b) {
      const TensorId y = b.conv(b.input({1, 20, 14, 14}), 20, 3, 1, 1);
      return read ? b.conv(y, 16, 1) : y;
    };
    const auto job = run_checked(architecture, network_of(13, layers), 13);
    return static_cast<double>(std::ranges::max_element(job.report.layers, {}, &LayerReport::macs)->cycles);
  };
  const double alone = cycles_of_first(false);
  CHECK(alone > 0);
  CHECK(cycles_of_first(true) < 1.3 * alone);
}

TEST_CASE("are products of two results right where blocks or padding reach beyond both, into what others wrote") {
  const std::string whole = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/float_fractals.yaml");
  for (const std::string& text : {whole, replaced(whole, "l: 4}", "l: 1..4}")}) {
    const Architecture architecture = loaded(text);
    for (const std::int64_t depth : {9, 18, 21, 45}) {
      CAPTURE(depth);
      const auto product = [&](auto& b) {
        const TensorId left = b.sigmoid(b.gemm(b.input({20, 30}), depth));
        return b.matmul(left, b.gemm(b.input({depth, 30}), 32));
      };
      const auto job = run_checked(architecture, network_of(1, product), 1);
      CHECK(job.report.layers.back().placed_on == "cube");
    }
  }
}

TEST_CASE("are groups of few channels right where what requantises counts more than one group's") {
  const Architecture architecture =
      loaded(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/float_fractals.yaml"));
  for (const std::int64_t group : {3, 6}) {
    const auto layers = [&](auto& b) { return b.conv(b.input({2, 3 * group, 5, 4}), 2 * group, 3, 1, 1, group); };
    const auto job = run_checked(architecture, network_of(5, layers), 5);
    CHECK(job.report.layers.back().placed_on == "cube");
  }
}

TEST_CASE("do groups whose lanes reach into the next one leave its results alone") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/vector_tiles.yaml");
  for (const std::string tiles : {"1", "2"}) {
    const Architecture architecture = loaded(replaced(text, "{value: 2, range", "{value: " + tiles + ", range"));
    for (const auto& [groups, deep, wide, side] :
         {std::tuple{6, 24, 36, 3}, {6, 24, 36, 7}, {2, 8, 20, 4}, {2, 32, 12, 5}}) {
      CAPTURE(tiles);
      CAPTURE(wide);
      const Shape shape = {1, deep, side, side};
      const auto layers = [&](auto& b) { return b.relu(b.conv(b.input(shape), wide, 3, 1, 1, groups)); };
      const auto job = run_checked(architecture, network_of(5, layers), 5);
      CHECK(std::ranges::find(job.report.layers, "tile[0][0].core", &LayerReport::placed_on) !=
            job.report.layers.end());
    }
  }
}

TEST_CASE("does a layer on several elements lie as its best mapping wants, not as those behind do") {
  const Architecture architecture = described("vector_tiles");
  for (const std::int64_t channels : {13, 17}) {
    CAPTURE(channels);
    const auto layers = [&](auto& b) {
      return b.relu(b.conv(b.input({1, channels, 9, 9}), channels, 3, 1, 1, channels));
    };
    const Network network = network_of(7, layers);
    const auto job = run_checked(architecture, network, 7);
    const auto alone = layer_runs(architecture, quantise(network, architecture.numerics, {}));
    const auto run = std::ranges::find(job.report.layers, "Conv+Requantize", &LayerReport::op);
    REQUIRE(run != job.report.layers.end());
    REQUIRE(!alone.empty());
    CHECK(static_cast<double>(run->cycles) <= 1.1 * static_cast<double>(alone.back().run.simulated));
  }
}

TEST_CASE("are long windows in one direction counted by two dims where none counts all that is reduced at once") {
  constexpr std::uint64_t seed = 61;
  for (const std::string name : {"gemmini16", "bf16npu"}) {
    for (const std::int64_t length : {9, 16, 25, 30}) {
      CAPTURE(name);
      CAPTURE(length);
      const auto network = network_of(seed, [&](auto& b) {
        const TensorId x = b.relu(b.conv(b.input({1, 8, length, 1}), 16, 1));
        const std::vector<std::int64_t> window = {length, 1}, ones = {1, 1};
        return b.moved("MaxPool", x, {1, 16, 1, 1},
                       {{"kernel_shape", window},
                        {"strides", ones},
                        {"dilations", ones},
                        {"pads", std::vector<std::int64_t>(4, 0)}});
      });
      const auto job = run_checked(machine(name), network, seed);
      const auto pools = [](const LayerReport& layer) { return layer.op == "MaxPool"; };
      const auto pool = std::ranges::find_if(job.report.layers, pools);
      REQUIRE(pool != job.report.layers.end());
      CHECK(pool->placed_on != "host");
    }
  }
}

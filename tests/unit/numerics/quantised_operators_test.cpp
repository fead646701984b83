// Does an operator between a model's quantisers give the model's own integers, whatever it is and whatever they are?
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/network/canonicalise.h"
#include "compiler/network/constants.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/execute.h"
#include "tests/draw.h"
#include "tests/unit/numerics/machines.h"

using namespace accord;

namespace {

using Sizes = std::vector<std::int64_t>;

/// One operator; each of its inputs comes through a pair of quantisers, its result goes through one. Half of them go
/// on: what bounds or moves the result, mostly to other integers.
class QuantisedOperator {
 public:
  explicit QuantisedOperator(std::uint64_t seed) : draw_(seed) {}

  Network network;
  double step = 0;            ///< of the result
  std::size_t roundings = 0;  ///< to other integers, one after another

  std::string build() {
    const Shape shape = {1, 4, 6, 6};
    const std::vector<std::string> types = {"Conv",    "Relu",   "Add",  "AveragePool",   "MaxPool",
                                            "Sigmoid", "Concat", "Gemm", "ConvTranspose", "Conv of rows"};
    const std::string type = types[static_cast<std::size_t>(draw_.from(0, std::ssize(types) - 1))];
    std::vector<TensorId> inputs = {input("a", shape)};
    if (type == "Add" || type == "Concat") inputs.push_back(input("b", shape));
    const TensorId result = apply(type, inputs, shape), y = output(result, grid(20, 200));
    std::string then;
    network.outputs = {draw_.once_in(2) ? go_on(y, then) : y};
    return type + then;
  }

 private:
  TensorId apply(const std::string& type, std::vector<TensorId> x, const Shape& shape) {
    if (type == "Concat") return op(type, x, ElementType::fp32, {1, 8, 6, 6}, {{"axis", std::int64_t{1}}});
    if (type == "AveragePool" || type == "MaxPool") return pool(type, x[0]);
    if (type == "Gemm") return gemm(x[0]);
    if (type == "ConvTranspose") return transposed_conv(x[0]);
    if (type == "Conv of rows") return conv_of_rows(x[0]);
    if (type != "Conv" && type != "Relu") return op(type, x, ElementType::fp32, shape);
    const TensorId y = conv(x[0], shape);
    return type == "Conv" ? y : op("Relu", {y}, ElementType::fp32, network.tensor(y).shape);
  }

  /// Integers of no finer step follow: one that was rounded the other way moves the result by one at most.
  TensorId go_on(TensorId y, std::string& then) {
    const std::string mover =
        std::vector<std::string>{"", "Identity", "Transpose"}[static_cast<std::size_t>(draw_.from(0, 2))];
    Shape shape = network.tensor(y).shape;
    std::map<std::string, Attribute> attributes;
    if (mover == "Transpose") {
      std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
      Sizes perm(shape.size());
      for (std::size_t d = 0; d < perm.size(); ++d) perm[d] = static_cast<std::int64_t>(d);
      std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
      attributes = {{"perm", perm}};
    }
    if (!mover.empty()) y = op(mover, {y}, ElementType::fp32, shape, attributes);
    then = " " + mover;
    if (draw_.once_in(3)) return y;
    then += " Relu";
    y = op("Relu", {y}, ElementType::fp32, shape);
    return draw_.once_in(3) ? y : output(y, grid(static_cast<int>(std::lround(1000 * step)), 400));
  }

  TensorId conv(TensorId x, const Shape& shape) {
    const std::int64_t group = draw_.once_in(3) ? 4 : 1;
    const std::int64_t pad = draw_.from(0, 1);
    x = op("Conv", {x, weights({4, 4 / group, 3, 3}, 4)}, ElementType::fp32,
           {1, 4, shape[2] - 2 + 2 * pad, shape[3] - 2 + 2 * pad},
           {{"kernel_shape", Sizes{3, 3}},
            {"strides", Sizes{1, 1}},
            {"dilations", Sizes{1, 1}},
            {"pads", Sizes{pad, pad, pad, pad}},
            {"group", group}});
    return x;
  }

  TensorId transposed_conv(TensorId x) {
    const std::int64_t k = draw_.from(1, 3), groups = draw_.once_in(3) ? 2 : 1;
    return op("ConvTranspose", {x, weights({4, 3, k, k}, 3, 1)}, ElementType::fp32, {1, 3 * groups, 10 + k, 10 + k},
              {{"kernel_shape", Sizes{k, k}},
               {"strides", Sizes{2, 2}},
               {"dilations", Sizes{1, 1}},
               {"pads", Sizes{0, 0, 0, 0}},
               {"output_padding", Sizes{0, 0}},
               {"group", groups}});
  }

  TensorId conv_of_rows(TensorId x) {
    const TensorId rows = op("Reshape", {x}, ElementType::fp32, {1, 4, 36});
    return op("Conv", {rows, weights({4, 4, 3}, 4)}, ElementType::fp32, {1, 4, 34},
              {{"kernel_shape", Sizes{3}},
               {"strides", Sizes{1}},
               {"dilations", Sizes{1}},
               {"pads", Sizes{0, 0}},
               {"group", std::int64_t{1}}});
  }

  TensorId gemm(TensorId x) {
    const TensorId flat = op("Flatten", {x}, ElementType::fp32, {1, 144}, {{"axis", std::int64_t{1}}});
    return op("Gemm", {flat, weights({5, 144}, 5)}, ElementType::fp32, {1, 5}, {{"transB", std::int64_t{1}}});
  }

  TensorId pool(const std::string& type, TensorId x) {
    const std::int64_t pad = draw_.from(0, 1);
    return op(type, {x}, ElementType::fp32, {1, 4, 4 + 2 * pad, 4 + 2 * pad},
              {{"kernel_shape", Sizes{3, 3}},
               {"strides", Sizes{1, 1}},
               {"dilations", Sizes{1, 1}},
               {"pads", Sizes{pad, pad, pad, pad}},
               {"count_include_pad", draw_.from(0, 1)}});
  }

  /// Of integers with a scale per output channel.
  TensorId weights(const Shape& shape, std::int64_t channels, std::int64_t axis = 0) {
    std::vector<std::int8_t> integers;
    for (std::int64_t i = 0; i < element_count(shape); ++i)
      integers.push_back(static_cast<std::int8_t>(draw_.from(-127, 127)));
    std::vector<float> scales;
    for (std::int64_t k = 0; k < channels; ++k) scales.push_back(static_cast<float>(draw_.from(5, 20)) / 1000);
    const auto w = network.add(make_constant("w", shape, integers));
    const auto s = network.add(make_constant("w_scale", {channels}, scales));
    return op("DequantizeLinear", {w, s}, ElementType::fp32, shape, {{"axis", axis}});
  }

  struct Grid {
    ElementType type = ElementType::i8;
    float scale = 1;
    int zero = 0;
  };

  Grid grid(int least, int most) {
    Grid grid{draw_.once_in(2) ? ElementType::u8 : ElementType::i8, static_cast<float>(draw_.from(least, most)) / 1000,
              0};
    const auto low = static_cast<std::int64_t>(lowest(grid.type)), high = static_cast<std::int64_t>(highest(grid.type));
    grid.zero = static_cast<int>(draw_.once_in(3) ? low : draw_.from(low, high));
    return grid;
  }

  std::vector<TensorId> parameters(const Grid& grid) {
    Tensor zero{"zero", grid.type, {}, nullptr, std::nullopt};
    zero.data = owned({static_cast<std::byte>(grid.zero)});
    return {network.add(make_constant("scale", {}, std::vector{grid.scale})), network.add(zero)};
  }

  TensorId convert(const char* type, TensorId x, const std::vector<TensorId>& by, ElementType to) {
    return op(type, {x, by[0], by[1]}, to, network.tensor(x).shape);
  }

  /// Real numbers and a pair, or integers of the model.
  TensorId input(const char* name, const Shape& shape) {
    const Grid g = grid(10, 40);
    const auto by = parameters(g);
    const auto x = network.add({name, ElementType::fp32, shape, nullptr, std::nullopt});
    network.inputs.push_back(x);
    return convert("DequantizeLinear", convert("QuantizeLinear", x, by, g.type), by, ElementType::fp32);
  }

  TensorId output(TensorId y, const Grid& g) {
    step = g.scale;
    ++roundings;
    const auto by = parameters(g);
    return convert("DequantizeLinear", convert("QuantizeLinear", y, by, g.type), by, ElementType::fp32);
  }

  TensorId op(const std::string& type, std::vector<TensorId> inputs, ElementType result, Shape shape,
              std::map<std::string, Attribute> attributes = {}) {
    const auto id = network.add({"t", result, std::move(shape), nullptr, std::nullopt});
    network.operators.push_back({type + std::to_string(id), type, std::move(inputs), {id}, std::move(attributes)});
    return id;
  }

  test::Draw draw_;
};

std::vector<float> floats(const Value& value) { return reference::load_as<float>(reference::view(value)); }

}  // namespace

TEST_CASE("do operators between a model's quantisers give its own integers") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    QuantisedOperator model(seed);
    const std::string type = model.build();
    CAPTURE(type);
    const Values inputs = seeded_inputs(model.network, static_cast<unsigned>(seed));
    const auto expected = floats(execute(model.network, inputs).begin()->second);
    canonicalise(model.network);
    const auto found =
        floats(execute(quantise(model.network, float_scale_machine(), {inputs}), inputs).begin()->second);
    REQUIRE(found.size() == expected.size());
    std::size_t apart = 0;
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double steps = std::abs(found[i] - expected[i]) / model.step;
      most = std::max(most, steps);
      apart += steps > 0.01;
    }
    // What lies between two integers may be rounded either way: of one scale to another, or of a few elements' mean,
    // that is not rare.
    CHECK(most <= 1.001);
    CHECK(20 * apart <= model.roundings * (found.size() + 20));
  }
}

// Models of newer opsets, as text. What is expected is computed here, from the formulas of ONNX's operator pages.
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/onnx.h"
#include "compiler/network/canonicalise.h"
#include "compiler/reference/execute.h"
#include "models.h"
#include "tests/text_model.h"

using namespace accord;

namespace {

using Numbers = std::vector<double>;

Network imported(int opset, const std::string& graph, const OnnxOptions& options = {}) {
  const auto text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph;
  return test::imported_model(test::parsed_model(text), options);
}

Numbers outputs_of(const Network& network) {
  Numbers numbers;
  const auto values = execute(network, given_inputs(network));
  for (const auto id : network.outputs) {
    const auto& value = values.at(network.tensor(id).name);
    for (std::int64_t i = 0; i < element_count(value.shape); ++i) {
      numbers.push_back(load_element(value.data.data() + i * bytes(value.type), value.type));
    }
  }
  return numbers;
}

void check(const Numbers& got, const Numbers& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

/// As imported and in canonical form.
void check_model(int opset, const std::string& graph, const Numbers& expected) {
  auto network = imported(opset, graph);
  check(outputs_of(network), expected);
  canonicalise(network);
  check(outputs_of(network), expected);
}

Numbers each(std::int64_t count, const std::function<double(std::int64_t)>& f) {
  Numbers numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(f(i));
  return numbers;
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(std::int64_t first, std::int64_t count) {
  Moments m;
  for (std::int64_t i = first; i < first + count; ++i) m.mean += given(i) / static_cast<double>(count);
  for (std::int64_t i = first; i < first + count; ++i) {
    m.variance += std::pow(given(i) - m.mean, 2) / static_cast<double>(count);
  }
  return m;
}

}  // namespace

TEST_CASE("Does Split give a smaller last part where num_outputs says how many?") {
  check_model(18, "g (float[5] x) => (float[2] a, float[2] b, float[1] c) { a, b, c = Split <num_outputs = 3> (x) }",
              each(5, given));
}

TEST_CASE("Does an empty part add nothing to a Concat, and no other operator read one?") {
  check_model(13,
              "g (float[5] x) => (float[5] y) {\n"
              "  none = Constant <value = float[0] {}> ()\n"
              "  y = Concat <axis = 0> (none, x, none)\n}",
              each(5, given));
  OnnxOptions options;
  options.shape_given = [](const std::string&, std::size_t) { return Shape{0, 2}; };
  const std::string sum = "g (float[N,2] x) => (float[2] y) { y = ReduceSum <keepdims = 0, axes = [0]> (x) }";
  CHECK_THROWS_WITH_AS(imported(11, sum, options), doctest::Contains("empty"), Error);
}

TEST_CASE("Do reductions take their axes as an input?") {
  check_model(18,
              "g (float[2,3] x) => (float[2] y) {\n"
              "  axes = Constant <value = int64[1] {1}> ()\n"
              "  y = ReduceMean <keepdims = 0> (x, axes)\n}",
              each(2, [](std::int64_t i) { return moments(3 * i, 3).mean; }));
}

TEST_CASE("Does Pad take pads of some axes, and wrap around?") {
  check_model(19,
              "g (float[2,3] x) => (float[2,7] y) {\n"
              "  pads = Constant <value = int64[2] {3, 1}> ()\n"
              "  axes = Constant <value = int64[1] {-1}> ()\n"
              "  y = Pad <mode = \"wrap\"> (x, pads, , axes)\n}",
              each(14, [](std::int64_t i) { return given(i / 7 * 3 + (i % 7) % 3); }));
}

TEST_CASE("Does Resize take some axes and keep the ratio of sizes?") {
  // 2 x 4 into at most 6 x 8: twice as large, each element there 2 x 2 times.
  check_model(18,
              "g (float[1,2,4] x) => (float[1,4,8] y) {\n"
              "  sizes = Constant <value = int64[2] {6, 8}> ()\n"
              "  y = Resize <axes = [1, 2], keep_aspect_ratio_policy = \"not_larger\"> (x, , , sizes)\n}",
              each(32, [](std::int64_t i) { return given(i / 16 * 4 + i % 8 / 2); }));
}

TEST_CASE("Are antialiasing, scales per block and opsets to come refused?") {
  const std::string resize =
      "g (float[1,1,4,4] x) => (float[1,1,2,2] y) {\n"
      "  scales = Constant <value = float[4] {1.0, 1.0, 0.5, 0.5}> ()\n"
      "  y = Resize <mode = \"linear\", antialias = 1> (x, , scales)\n}";
  CHECK_THROWS_WITH_AS(imported(18, resize), doctest::Contains("antialias"), Error);
  const std::string blocks =
      "g (float[4] x) => (float[4] y) {\n"
      "  scale = Constant <value = float[2] {1.0, 2.0}> ()\n"
      "  y = QuantizeLinear <axis = 0, block_size = 2> (x, scale)\n}";
  CHECK_THROWS_WITH_AS(imported(21, blocks), doctest::Contains("block"), Error);
  CHECK_THROWS_WITH_AS(imported(99, "g (float[1] x) => (float[1] y) { y = Relu (x) }"), doctest::Contains("opset"),
                       Error);
}

TEST_CASE("Are attributes that the operator has not, and lacks, refused?") {
  const auto refused = [](int opset, const std::string& node, const char* why) {
    const std::string graph = "g (float[1,1,4,4] x, float[1,1,3,3] w) => (float[] y) {\n  y = " + node + "\n}";
    CHECK_THROWS_WITH_AS(imported(opset, graph), doctest::Contains(why), Error);
  };
  refused(13, "Conv <pad = [1, 1, 1, 1]> (x, w)", "has no attribute 'pad' here; did you mean `pads`?");
  refused(13, "Softmax <axes = 1> (x)", "has no attribute 'axes' here; did you mean `axis`?");
  refused(13, "Squeeze <axes = [0]> (x)", "operator set 13 has no attribute 'axes' here");  // an input since
  refused(13, "Concat (x, x)", "attribute 'axis' is missing");
  refused(13, "Conv <auto_pad = \"SAME_UPPER\", pads = [1, 1, 1, 1]> (x, w)", "auto_pad and pads exclude each other");
  refused(17, "AveragePool <kernel_shape = [2, 2], dilations = [1, 1]> (x)", "has no attribute 'dilations' here");
  CHECK_NOTHROW(imported(19,
                         "g (float[1,1,4,4] x) => (float[] y) {\n  y = AveragePool <kernel_shape = [2, 2], "
                         "dilations = [1, 1]> (x)\n}"));
}

TEST_CASE("Are scales that are not above 0, and indices beyond the elements, refused where the model is read?") {
  const auto refused = [](const std::string& graph, const char* why) {
    CHECK_THROWS_WITH_AS(imported(13, graph), doctest::Contains(why), Error);
  };
  for (const char* scale : {"0.0", "-1.0"}) {
    refused(std::string("g (float[4] x) => (uint8[4] y) {\n  scale = Constant <value = float {") + scale +
                "}> ()\n  y = QuantizeLinear (x, scale)\n}",
            "the scale 'scale' has a value of");
  }
  refused(
      "g (float[4,2] x) => (float[1,2] y) {\n  i = Constant <value = int64[1] {4}> ()\n  y = Gather <axis = 0> (x, "
      "i)\n}",
      "index 4 is not among the 4 elements");
  refused(
      "g (float[2,4] x) => (float[2,1] y) {\n  i = Constant <value = int64[2,1] {0, -5}> ()\n  y = GatherElements "
      "<axis = 1> (x, i)\n}",
      "index -5 is not among the 4 elements");
}

TEST_CASE("Are operators that need the values of their inputs, and what none can do, refused with the reason?") {
  const auto refused = [](const std::string& graph, const char* why) {
    CHECK_THROWS_WITH_AS(imported(18, graph), doctest::Contains(why), Error);
  };
  refused("g (float[4] x) => (int64[1,N] y) { y = NonZero (x) }", "depends on values");
  refused("g (float[4] x, int64[1] k) => (float[N] y, int64[N] i) { y, i = TopK (x, k) }", "must be constant");
  refused(
      "g (float[4] x, int64[2] i, float[2] u) => (float[4] y) { y = ScatterElements <reduction = \"mul\"> (x, i, u) }",
      "reduction 'mul'");
  refused("g (float[4] x, float[2] i) => (float[2] y) { y = GatherElements (x, i) }", "integers");
  refused("g (float[2,3] x, int64[2,3] i) => (float[2] y) { y = GatherND (x, i) }", "do not fit");
  refused("g (int8[4] a, int8[4] b) => (int32 y) { y = MatMulInteger (a, b) }", "vectors");
  refused("g (int32[2,4] a, int8[4,2] b) => (int32[2,2] y) { y = MatMulInteger (a, b) }", "not int8 or uint8");
  refused("g (float[4] a, float[4] b) => (float[4] y) { y = Mod (a, b) }", "fmod");
}

namespace {

using Element = std::function<double(std::int64_t head, std::int64_t position, std::int64_t index)>;

/// softmax(q * k^T / sqrt(width) + bias) * v, in the order [heads, rows, value width].
Numbers attended(std::int64_t heads, std::int64_t rows, std::int64_t keys, std::int64_t width, std::int64_t value_width,
                 const Element& q, const Element& k, const Element& v, const Element& bias) {
  Numbers result;
  for (std::int64_t i = 0; i < heads * rows * value_width; ++i) {
    const std::int64_t head = i / (rows * value_width), row = i / value_width % rows;
    double total = 0, sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < width; ++d) score += q(head, row, d) * k(head, j, d);
      const double weight = std::exp(score / std::sqrt(static_cast<double>(width)) + bias(head, row, j));
      total += weight;
      sum += weight * v(head, j, i % value_width);
    }
    result.push_back(sum / total);
  }
  return result;
}

}  // namespace

TEST_CASE("Does Attention mean its formula, with heads that share keys, masks, and keys of the past?") {
  const auto apart = [](std::int64_t positions, std::int64_t width) -> Element {
    return [=](auto head, auto position, auto index) { return given((head * positions + position) * width + index); };
  };
  const auto shared = [&](std::int64_t positions, std::int64_t width) -> Element {
    return [=, of = apart(positions, width)](auto head, auto position, auto index) {
      return of(head / 2, position, index);
    };
  };
  const Element none = [](auto, auto, auto) { return 0.0; };
  const Element causal = [](auto, auto row, auto key) { return key > row ? -INFINITY : 0.0; };
  check_model(
      23, "g (float[1,2,3,2] q, float[1,1,4,2] k, float[1,1,4,3] v) => (float[1,2,3,3] y) { y = Attention (q, k, v) }",
      attended(2, 3, 4, 2, 3, apart(3, 2), shared(4, 2), shared(4, 3), none));
  check_model(23,
              "g (float[1,2,3,2] q, float[1,2,3,2] k, float[1,2,3,1] v) => (float[1,2,3,1] y) {\n"
              "  y = Attention <is_causal = 1> (q, k, v)\n}",
              attended(2, 3, 3, 2, 1, apart(3, 2), apart(3, 2), apart(3, 1), causal));
  check_model(23,
              "g (float[1,2,2,2] q, float[1,2,3,2] k, float[1,2,3,1] v, float[2,3] m) => (float[1,2,2,1] y) {\n"
              "  y = Attention (q, k, v, m)\n}",
              attended(2, 2, 3, 2, 1, apart(2, 2), apart(3, 2), apart(3, 1),
                       [](auto, auto row, auto key) { return given(3 * row + key); }));
  const auto grown = [](std::int64_t width) -> Element {  // two positions of the past before one
    return [=](auto, auto position, auto index) { return given((position < 2 ? position : 0) * width + index); };
  };
  auto with_present = attended(1, 1, 3, 2, 2, apart(1, 2), grown(2), grown(2), none);
  for (int output = 0; output < 2; ++output) {
    for (const std::int64_t i : {0, 1, 2, 3, 0, 1}) with_present.push_back(given(i));
  }
  check_model(
      23,
      "g (float[1,1,1,2] q, float[1,1,1,2] k, float[1,1,1,2] v, float[1,1,2,2] pk, float[1,1,2,2] pv) =>\n"
      "  (float[1,1,1,2] y, float[1,1,3,2] nk, float[1,1,3,2] nv) { y, nk, nv = Attention (q, k, v, , pk, pv) }",
      with_present);
}

TEST_CASE("Does Attention take heads that lie side by side, and refuse what it cannot do?") {
  const auto side = [](std::int64_t heads, std::int64_t width) -> Element {
    return [=](auto head, auto position, auto index) { return given((position * heads + head) * width + index); };
  };
  const auto by_head =
      attended(2, 3, 4, 2, 1, side(2, 2), side(2, 2), side(2, 1), [](auto, auto, auto) { return 0.0; });
  check_model(23,
              "g (float[1,3,4] q, float[1,4,4] k, float[1,4,2] v) => (float[1,3,2] y) {\n"
              "  y = Attention <q_num_heads = 2, kv_num_heads = 2> (q, k, v)\n}",
              each(6, [&](std::int64_t i) { return by_head[static_cast<std::size_t>(i % 2 * 3 + i / 2)]; }));
  const std::string inputs = "g (float[1,2,3,2] q, float[1,2,3,2] k, float[1,2,3,2] v) => (float[1,2,3,2] y) ";
  CHECK_THROWS_WITH_AS(imported(23, inputs + "{ y = Attention <softcap = 2.0> (q, k, v) }"),
                       doctest::Contains("softcap"), Error);
  CHECK_THROWS_WITH_AS(imported(23,
                                "g (float[1,3,4] q, float[1,3,4] k, float[1,3,4] v) => (float[1,3,4] y) "
                                "{ y = Attention (q, k, v) }"),
                       doctest::Contains("q_num_heads"), Error);
}

TEST_CASE("Does Einsum know ellipses, and the result that its equation does not name?") {
  const auto product = each(12, [](std::int64_t i) { return given(i) * given(i % 3); });
  check_model(
      12, "g (float[2,2,3] x, float[3] w) => (float[2,2,3] y) { y = Einsum <equation = \"...k, k -> ...k\"> (x, w) }",
      product);
  const auto sums = each(4, [](std::int64_t i) {
    return given(3 * i) * given(0) + given(3 * i + 1) * given(1) + given(3 * i + 2) * given(2);
  });
  check_model(12, "g (float[4,3] x, float[3] w) => (float[4] y) { y = Einsum <equation = \"ik,k\"> (x, w) }", sums);
}

TEST_CASE("Is NonZero of a constant one, and EyeLike whatever its input?") {
  check_model(13,
              "g (float[3] x) => (float[4] y) {\n"
              "  mask = Constant <value = int64[2,2] {0, 5, 1, 0}> ()\n"
              "  at = NonZero (mask)\n"
              "  flat = Constant <value = int64[1] {-1}> ()\n"
              "  order = Reshape (at, flat)\n"
              "  y = Gather (x, order)\n}",
              {given(0), given(1), given(1), given(0)});
  check_model(13, "g (float[2,3] x) => (float[2,3] y) {\n  e = EyeLike <k = 1> (x)\n  y = Mul (x, e)\n}",
              each(6, [](std::int64_t i) { return i / 3 + 1 == i % 3 ? given(i) : 0.0; }));
}

TEST_CASE("Do the activations that became operators mean their formulas?") {
  check_model(20, "g (float[9] x) => (float[9] y) { y = Gelu (x) }",
              each(9, [](std::int64_t i) { return given(i) / 2 * (1 + std::erf(given(i) / std::sqrt(2.0))); }));
  check_model(20, "g (float[9] x) => (float[9] y) { y = Gelu <approximate = \"tanh\"> (x) }", each(9, [](auto i) {
                const double x = given(i), pi = std::acos(-1.0);
                return x / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
              }));
  check_model(18, "g (float[9] x) => (float[9] y) { y = Mish (x) }",
              each(9, [](auto i) { return given(i) * std::tanh(std::log(1 + std::exp(given(i)))); }));
}

TEST_CASE("Do the normalisations that became operators mean their formulas?") {
  check_model(23,
              "g (float[2,4] x) => (float[2,4] y) {\n"
              "  scale = Constant <value = float[4] {1.0, 2.0, 3.0, 4.0}> ()\n"
              "  y = RMSNormalization <epsilon = 0.5> (x, scale)\n}",
              each(8, [](std::int64_t i) {
                const auto m = moments(i / 4 * 4, 4);
                const double squares = m.variance + m.mean * m.mean;
                return given(i) / std::sqrt(squares + 0.5) * static_cast<double>(i % 4 + 1);
              }));
  check_model(13, "g (float[2,3] x) => (float[2,3] y) { y = LpNormalization <axis = -1, p = 1> (x) }",
              each(6, [](std::int64_t i) {
                const auto first = i / 3 * 3;
                return given(i) / (std::abs(given(first)) + std::abs(given(first + 1)) + std::abs(given(first + 2)));
              }));
}

TEST_CASE("Has GroupNormalization one scale per group before opset 21, and one per channel since?") {
  const auto graph = [](const std::string& scale, const std::string& bias) {
    return "g (float[2,4,3] x) => (float[2,4,3] y) {\n  scale = Constant <value = " + scale +
           "> ()\n  bias = Constant <value = " + bias +
           "> ()\n  y = GroupNormalization <num_groups = 2, epsilon = 0.25> (x, scale, bias)\n}";
  };
  const auto expected = [](std::int64_t parameter_of) {
    return each(24, [=](std::int64_t i) {
      const auto m = moments(i / 6 * 6, 6);
      const auto p = static_cast<double>(i % 12 / parameter_of);
      return (given(i) - m.mean) / std::sqrt(m.variance + 0.25) * (p + 1) + 10 * p;
    });
  };
  check_model(18, graph("float[2] {1.0, 2.0}", "float[2] {0.0, 10.0}"), expected(6));
  check_model(21, graph("float[4] {1.0, 2.0, 3.0, 4.0}", "float[4] {0.0, 10.0, 20.0, 30.0}"), expected(3));
}

namespace {

/// A normalisation of two groups of two channels before operator set 18: `back` is what its result is reshaped to, and
/// `results` what the model gives.
std::string normalised_groups(const std::string& back, const std::string& results) {
  return "g (float[2,4,2,2] x) => (" + results +
         ") {\n  apart = Constant <value = int64[3] {2, 2, 8}> ()\n  together = Constant <value = int64[4] " + back +
         "> ()\n  of_groups = Constant <value = float[2] {1.0, 2.0}> ()\n"
         "  to_groups = Constant <value = float[2] {0.0, 1.0}> ()\n"
         "  factor = Constant <value = float[4,1,1] {1.0, 2.0, 3.0, 4.0}> ()\n"
         "  shift = Constant <value = float[1,4,1,1] {0.0, 10.0, 20.0, 30.0}> ()\n"
         "  groups = Reshape (x, apart)\n"
         "  normal = InstanceNormalization <epsilon = 0.25> (groups, of_groups, to_groups)\n"
         "  image = Reshape (normal, together)\n  scaled = Mul (factor, image)\n  y = Add (scaled, shift)\n}";
}

/// Of an element of the groups.
double normal_in_group(std::int64_t i) {
  const auto m = moments(i / 8 * 8, 8);
  const auto group = static_cast<double>(i / 8 % 2);
  return (given(i) - m.mean) / std::sqrt(m.variance + 0.25) * (group + 1) + group;
}

double scaled_and_shifted(std::int64_t i) {
  const auto channel = static_cast<double>(i / 4 % 4);
  return normal_in_group(i) * (channel + 1) + 10 * channel;
}

}  // namespace

TEST_CASE("Do images stay images where a GroupNormalization is written as one of instances between Reshapes?") {
  const auto graph = normalised_groups("{2, 4, 2, 2}", "float[2,4,2,2] y");
  check_model(13, graph, each(32, scaled_and_shifted));
  auto network = imported(13, graph);
  canonicalise(network);
  for (const auto& op : network.operators) {
    const bool whole = element_count(network.tensor(op.outputs[0]).shape) == 32;
    if (whole) CHECK_MESSAGE(network.tensor(op.outputs[0]).shape.size() == 4, op.name);
  }
}

TEST_CASE(
    "Does it stay as it is written where what lies between the Reshapes is read elsewhere, or no image follows?") {
  check_model(13, normalised_groups("{2, 4, 2, 2}", "float[2,2,8] normal, float[2,4,2,2] y"),
              each(64, [](std::int64_t i) { return i < 32 ? normal_in_group(i) : scaled_and_shifted(i - 32); }));
  auto graph = normalised_groups("{2, 4, 4, 1}", "float[2,4,4,1] y");
  check_model(13, graph, each(32, scaled_and_shifted));
}

TEST_CASE("Are functions of constants constants, so that the model does not compute them anew?") {
  // Angles of a rotary embedding: positions times frequencies.
  const auto network = imported(18,
                                "g (float[2,2] x) => (float[2,2] y) {\n"
                                "  positions = Constant <value = float[2,1] {0.0, 1.0}> ()\n"
                                "  frequencies = Constant <value = float[1,2] {0.5, 0.25}> ()\n"
                                "  angles = MatMul (positions, frequencies)\n"
                                "  cosines = Cos (angles)\n"
                                "  y = Mul (x, cosines)\n}");
  CHECK(network.operators.size() == 1);
  check(outputs_of(network), {given(0), given(1), given(2) * std::cos(0.5), given(3) * std::cos(0.25)});
}

TEST_CASE("Are weights that are no numbers warned of, and infinite ones where they are no mask?") {
  const auto warnings = [](const std::string& value, const std::string& type) {
    auto text =
        "<ir_version: 8, opset_import: [\"\" : 13]>\n"
        "g (float[2,2] x) => (float[2,2] y)\n<float[2,2] w = {1.0, 2.0, 3.0, 4.0}>\n{ y = " +
        type + " (x, w) }";
    auto model = test::parsed_model(text);
    auto& w = *model.mutable_graph()->mutable_initializer(0);
    w.clear_raw_data();
    w.clear_float_data();
    for (const float number : {1.0F, std::stof(value), 2.0F, std::stof(value)}) w.add_float_data(number);
    return test::imported_model(model).warnings;
  };
  CHECK(warnings("3", "MatMul").empty());
  CHECK(warnings("nan", "MatMul") == std::vector<std::string>{"constant 'w': 2 of its elements are no numbers (NaN)"});
  CHECK(warnings("nan", "Add") == warnings("nan", "MatMul"));
  CHECK(warnings("-inf", "Add").empty());
  const auto infinite = warnings("inf", "MatMul");
  REQUIRE(infinite.size() == 1);
  CHECK(infinite[0].find("2 of its elements are infinite") != std::string::npos);
}

TEST_CASE("Are dynamic dimensions as long as is said, else as the input's file, else 1?") {
  const std::string graph =
      "g (float[N,T,4] x, float[N,4] z) => (float[N,T,4] y) {\n"
      "  axes = Constant <value = int64[1] {1}> ()\n"
      "  row = Unsqueeze (z, axes)\n"
      "  y = Add (x, row)\n}";
  const auto shapes = [](const Network& network) {
    std::vector<Shape> result;
    for (const auto id : network.inputs) result.push_back(network.tensor(id).shape);
    return result;
  };
  const auto alone = imported(17, graph);
  CHECK(shapes(alone) == std::vector<Shape>{{1, 1, 4}, {1, 4}});
  CHECK(alone.warnings.size() == 2);  // N is assumed once
  CHECK_THROWS_WITH_AS(
      imported(17, "g (float[N,4] x, float[3,4] z) => (float[N,4] y) { y = Concat <axis = 1> (x, z) }"),
      doctest::Contains("dimension 0 of input 'x' is dynamic (N); 1 is assumed; --dim NAME=SIZE or"), Error);
  OnnxOptions options;
  options.dimensions = {{"T", 5}};
  options.shape_given = [](const std::string& name, std::size_t number) -> std::optional<Shape> {
    if (name != "x" || number != 0) return std::nullopt;
    return Shape{3, 7, 4};
  };
  const auto chosen = imported(17, graph, options);
  CHECK(shapes(chosen) == std::vector<Shape>{{3, 5, 4}, {3, 4}});
  CHECK(chosen.warnings.empty());
  options.shape_given = [](const std::string& name, std::size_t number) -> std::optional<Shape> {
    if (name != "z" || number != 1) return std::nullopt;  // the second has a file, the first has none
    return Shape{3, 4};
  };
  CHECK(shapes(imported(17, graph, options)) == std::vector<Shape>{{3, 5, 4}, {3, 4}});
  options.dimensions = {{"M", 5}};
  CHECK_THROWS_WITH_AS(imported(17, graph, options), doctest::Contains("N, T"), Error);
}

TEST_CASE("Is an input that serves as a weight one for which the user has values?") {
  const std::string graph = "g (float[1,2,4,4] x, float[3,2,1,1] w) => (float[1,3,4,4] y) { y = Conv (x, w) }";
  OnnxOptions options;
  options.seed_weight_inputs = true;
  CHECK(imported(17, graph, options).inputs.size() == 1);
  options.shape_given = [](const std::string&, std::size_t) { return Shape{3, 2, 1, 1}; };
  CHECK(imported(17, graph, options).inputs.size() == 2);
  // A file without a name is the first input's that is none of the weights.
  const std::string weight_first = "g (float[3,2,1,1] w, float[1,2,4,4] x) => (float[1,3,4,4] y) { y = Conv (x, w) }";
  options.shape_given = [](const std::string&, std::size_t number) -> std::optional<Shape> {
    return number == 0 ? std::optional<Shape>({1, 2, 4, 4}) : std::nullopt;
  };
  CHECK(imported(17, weight_first, options).inputs.size() == 1);
}

TEST_CASE("are constants that a graph hands over its results too") {
  const std::string graph =
      "g (float[2] x) => (float[2] y, float[3] z, float[3] again) <float[3] z = {1, 2, 3}> "
      "{ again = Identity (z)  y = Neg (x) }";
  auto network = imported(17, graph);
  const Numbers expected = {-given(0), -given(1), 1, 2, 3, 1, 2, 3};
  check(outputs_of(network), expected);
  canonicalise(network);
  REQUIRE(network.outputs.size() == 3);
  check(outputs_of(network), expected);
  CHECK(network.tensor(network.outputs[1]).name == "z");
}

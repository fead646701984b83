// Do machines run a model of quantisation tools by its own scales and zero points?
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "compiler/network/canonicalise.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/execute.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/text_model.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t quantised_seed = 17;
constexpr double step = 0.05;  // of the result

std::string integers(Draw& draw, std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(draw.from(-127, 127));
  return fmt::format("{}", fmt::join(numbers, ", "));
}

/// A convolution with padding, a mean, and a residual sum, all in u8: zero points in the middle of nowhere.
Network quantised_model() {
  Draw draw(quantised_seed);
  const std::string text = fmt::format(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1,16,7,7] x) => (float[1,16,7,7] y) <float xs = {{0.02}}, uint8 xz = {{100}}, float cs = {{0.04}}, "
      "uint8 "
      "cz = {{0}}, float ps = {{0.03}}, uint8 pz = {{77}}, float ys = {{{}}}, uint8 yz = {{31}}, int8[16,16,3,3] w = "
      "{{{}}}, float ws = {{0.001}}, int8[16,16,1,1] v = {{{}}}, float vs = {{0.004}}>\n"
      "{{ xq = QuantizeLinear(x, xs, xz) xr = DequantizeLinear(xq, xs, xz)\n"
      "wr = DequantizeLinear(w, ws) c = Conv <pads = [1, 1, 1, 1]> (xr, wr) d = Relu(c)\n"
      "cq = QuantizeLinear(d, cs, cz) cr = DequantizeLinear(cq, cs, cz)\n"
      "vr = DequantizeLinear(v, vs) e = Conv(cr, vr) pq = QuantizeLinear(e, ps, pz) pr = DequantizeLinear(pq, ps, pz)\n"
      "s = Add(pr, xr) yq = QuantizeLinear(s, ys, yz) y = DequantizeLinear(yq, ys, yz) }}",
      step, integers(draw, 16 * 16 * 9), integers(draw, 16 * 16));
  return imported_model(parsed_model(text));
}

std::vector<float> numbers_in(const Value& value) { return reference::load_as<float>(reference::view(value)); }

}  // namespace

TEST_CASE("do machines run a model with zero points by its own integers") {
  Network network = quantised_model();
  const auto expected = numbers_in(execute(network, seeded_inputs_of(network, quantised_seed)).at("y"));
  canonicalise(network);
  for (const std::string name : {"gemmini16", "dnnweaver64", "hvx", "tpu_v1", "ethos_u55", "genesys"}) {
    CAPTURE(name);
    const auto job = run_checked(machine(name), network, quantised_seed);
    for (const auto& layer : job.report.layers) {
      const bool sums = layer.op.find("Conv") != std::string::npos || layer.op.find("Accumulate") != std::string::npos;
      CHECK_MESSAGE((!sums || layer.placed_on != "host"), layer.name, " on ", layer.placed_on);
      CHECK(layer.op.find("Linear") == std::string::npos);
    }
    const auto found = numbers_in(job.outputs.at("y"));
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - expected[i]) <= 2.001 * step);
  }
}

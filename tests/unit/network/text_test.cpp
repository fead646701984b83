#include <limits>

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "compiler/network/text.h"

using namespace accord;

namespace {

Network odd_network() {
  Network network;
  network.name = "odd \"names\"\nand lines";
  const auto x = network.add({"in put", ElementType::fp32, {1, 3, 4, 4}, nullptr, std::nullopt});
  const auto w = network.add(make_constant("w", {40}, std::vector<float>(40, 0.1F)));
  const auto c =
      network.add(make_constant("c", {3}, std::vector<float>{0.1F, -1e-30F, std::numeric_limits<float>::infinity()}));
  const auto i =
      network.add(make_constant("i", {2}, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 7}));
  const auto s = network.add(make_constant("s", {}, std::vector<std::int8_t>{-128}));
  Tensor scaled{"y", ElementType::i8, {1, 3}, nullptr, Quantisation{{0.5F, 0.25F, 1e-7F}, 1}};
  const auto y = network.add(scaled);
  const auto z = network.add({"z", ElementType::i32, {}, nullptr, std::nullopt});
  network.operators.push_back({"op 1",
                               "Odd",
                               {x, no_tensor, w, c, i},
                               {y, no_tensor, z},
                               {{"integer", std::int64_t{-3}},
                                {"real", 2.0},
                                {"infinite", -std::numeric_limits<double>::infinity()},
                                {"text", std::string("a \\ \"b\"\n, }")},
                                {"integers", std::vector<std::int64_t>{1, -2}},
                                {"none", std::vector<std::int64_t>{}},
                                {"reals", std::vector<double>{1, 1e-300}},
                                {"no_reals", std::vector<double>{}}}});
  network.operators.push_back(
      {"op2", "Plain", {y, w, s}, {network.add({"u", ElementType::bf16, {2}, nullptr, std::nullopt})}, {}});
  network.inputs = {x};
  network.outputs = {z, c};
  return network;
}

}  // namespace

TEST_CASE("Does a printed network parse back unchanged?") {
  const auto network = odd_network();
  const auto text = to_text(network);
  const auto again = parse_network(text, constant_pool(network));
  CHECK(to_text(again) == text);
  REQUIRE(again.operators.size() == 2);
  CHECK(again.operators[0].attributes == network.operators[0].attributes);
  CHECK(again.operators[0].name == "op 1");
  CHECK(again.tensors.size() == network.tensors.size());
  CHECK(again.tensor(again.operators[0].outputs[0]).quantisation->scale == std::vector<float>{0.5F, 0.25F, 1e-7F});
}

TEST_CASE("Does a mistake in the text say its line?") {
  const auto rejects = [](const std::string& text, const char* message) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_network(text), doctest::Contains(message), Error);
  };
  rejects("network \"a\"\ninput %x: fp33[1]\n", "line 2: 'fp33' is no element type");
  rejects("input %x: fp32[1]\ninput %x: fp32[1]\n", "line 2: 'x' is defined twice");
  rejects("output %x\n", "'x' is not defined before");
  rejects("constant %x: fp32[2] = {1}\n", "do not fit its shape");
  rejects("constant %x: fp32[100] = #0123\n", "no data for constant #0123");
  rejects("%y: fp32[1] = Relu \"r\" (%x)\n", "'x' is not defined before");
  rejects("%y: fp32[99999999999999,99999999999999] = Relu \"r\" ()\n", "a shape of");
}

TEST_CASE("Is every cut-off text an Error or a shorter network?") {
  const auto network = odd_network();
  const auto text = to_text(network);
  const auto pool = constant_pool(network);
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      parse_network(text.substr(0, length), pool);
    } catch (const Error&) {
      continue;
    }
  }
}

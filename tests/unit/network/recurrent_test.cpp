#include <cstring>
#include <random>

#include <doctest/doctest.h>

#include "compiler/network/canonicalise.h"
#include "compiler/reference/execute.h"

using namespace accord;

namespace {

/// Sizes and options of one recurrent operator.
struct Case {
  std::string type = "LSTM";
  std::string direction = "forward";
  bool bias = true, initial = false, computed_initial = false, peepholes = false, linear_before_reset = false;
  std::string activations{};
  std::vector<std::int32_t> lengths{};
  bool computed_lengths = false;
  std::int64_t steps = 4, batch = 2, width = 3, hidden = 5;
};

class RecurrentNetwork {
 public:
  explicit RecurrentNetwork(unsigned seed) : random_(seed) {}

  Network network;
  Values inputs;

  TensorId input(const Shape& shape) {
    const auto id = network.add({"x", ElementType::fp32, shape, nullptr, std::nullopt});
    const auto data = constant_values(shape);
    Value value{ElementType::fp32, shape, std::vector<std::byte>(data.size() * sizeof(float))};
    std::memcpy(value.data.data(), data.data(), value.data.size());
    network.inputs.push_back(id);
    inputs[network.tensor(id).name] = value;
    return id;
  }

  TensorId constant(const Shape& shape) { return network.add(make_constant("c", shape, constant_values(shape))); }

  TensorId lengths(const Case& c) {
    if (!c.computed_lengths) return network.add(make_constant("lengths", {c.batch}, c.lengths));
    const auto id = network.add({"lengths", ElementType::i32, {c.batch}, nullptr, std::nullopt});
    Value value{ElementType::i32, {c.batch}, std::vector<std::byte>(c.lengths.size() * sizeof(std::int32_t))};
    std::memcpy(value.data.data(), c.lengths.data(), value.data.size());
    network.inputs.push_back(id);
    inputs[network.tensor(id).name] = value;
    return id;
  }

  void add(const Case& c) {
    const std::int64_t gates = c.type == "LSTM" ? 4 : c.type == "GRU" ? 3 : 1;
    const std::int64_t directions = c.direction == "bidirectional" ? 2 : 1;
    const Shape state = {directions, c.batch, c.hidden};
    Operator op{"cell", c.type, {}, {}, {{"hidden_size", c.hidden}, {"direction", c.direction}}};
    if (!c.activations.empty()) op.attributes["activations"] = c.activations;
    if (c.linear_before_reset) op.attributes["linear_before_reset"] = std::int64_t{1};
    op.inputs = {input({c.steps, c.batch, c.width}), constant({directions, gates * c.hidden, c.width}),
                 constant({directions, gates * c.hidden, c.hidden})};
    op.inputs.resize(c.type == "LSTM" ? 8 : 6, no_tensor);
    if (!c.lengths.empty()) op.inputs[4] = lengths(c);
    if (c.bias) op.inputs[3] = constant({directions, 2 * gates * c.hidden});
    if (c.initial || c.computed_initial) {
      for (std::size_t i = 5; i < (c.type == "LSTM" ? 7U : 6U); ++i) {
        op.inputs[i] = c.computed_initial ? input(state) : constant(state);
      }
    }
    if (c.peepholes) op.inputs[7] = constant({directions, 3 * c.hidden});
    op.outputs = {result({c.steps, directions, c.batch, c.hidden}), result(state)};
    if (c.type == "LSTM") op.outputs.push_back(result(state));
    network.outputs = op.outputs;
    network.operators.push_back(op);
  }

 private:
  TensorId result(const Shape& shape) { return network.add({"y", ElementType::fp32, shape, nullptr, std::nullopt}); }

  std::vector<float> constant_values(const Shape& shape) {
    std::vector<float> values(count_of(shape));
    for (auto& v : values) v = static_cast<float>(random_() % 2001) / 1000.0F - 1;
    return values;
  }

  std::mt19937 random_;
};

void check_equal(const Values& before, const Values& after) {
  REQUIRE(before.size() == after.size());
  for (const auto& [name, value] : before) {
    const auto& other = after.at(name);
    REQUIRE(other.shape == value.shape);
    const auto* a = reinterpret_cast<const float*>(value.data.data());
    const auto* b = reinterpret_cast<const float*>(other.data.data());
    for (std::int64_t i = 0; i < element_count(value.shape); ++i) CHECK(b[i] == doctest::Approx(a[i]).epsilon(1e-4));
  }
}

void check(const Case& c, unsigned seed = 7) {
  CAPTURE(c.type);
  CAPTURE(c.direction);
  CAPTURE(seed);
  RecurrentNetwork test(seed);
  test.add(c);
  const auto before = execute(test.network, test.inputs);
  canonicalise(test.network);
  for (const auto& op : test.network.operators) CHECK(op.type != c.type);
  check_equal(before, execute(test.network, test.inputs));
}

}  // namespace

TEST_CASE("do steps of LSTM, GRU and RNN give what the whole operator gives") {
  for (const char* type : {"LSTM", "GRU", "RNN"}) {
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      for (int options = 0; options < 8; ++options) {
        Case c{.type = type, .direction = direction};
        c.bias = options & 1;
        c.initial = options & 2;
        c.computed_initial = options & 4;
        c.linear_before_reset = c.type == "GRU" && options % 3 == 0;
        check(c, static_cast<unsigned>(options));
      }
    }
  }
}

TEST_CASE("do peepholes, other activations and single steps keep their meaning") {
  check({.initial = true, .peepholes = true});
  check({.direction = "bidirectional", .peepholes = true});
  check({.direction = "bidirectional", .activations = "Relu,Tanh,Sigmoid,Sigmoid,Relu,Tanh"});
  check({.type = "GRU", .activations = "Sigmoid,Relu"});
  check({.type = "RNN", .direction = "bidirectional", .activations = "Relu,Sigmoid"});
  check({.type = "GRU", .linear_before_reset = true, .steps = 1});
  check({.initial = true, .steps = 1, .batch = 1});
}

TEST_CASE("do sequences that end early keep their states and give zeros") {
  for (const char* type : {"LSTM", "GRU", "RNN"}) {
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      for (const auto& lengths : {std::vector<std::int32_t>{4, 4, 4}, {4, 2, 1}, {1, 3, 2}, {0, 2, 0}}) {
        for (int options = 0; options < 4; ++options) {
          Case c{.type = type, .direction = direction, .batch = 3};
          c.lengths = lengths;
          c.computed_lengths = options & 1;
          c.initial = options & 2;
          check(c, static_cast<unsigned>(options));
        }
      }
    }
  }
}

TEST_CASE("do all steps multiply by one constant, but the first, whose state is one") {
  RecurrentNetwork test(3);
  test.add({.initial = true, .steps = 6});
  canonicalise(test.network);
  std::map<TensorId, int> products;
  for (const auto& op : test.network.operators) products[op.type == "Gemm" ? op.inputs[1] : no_tensor] += 1;
  products.erase(no_tensor);
  REQUIRE(products.size() == 2);
  CHECK(products.begin()->second + products.rbegin()->second == 1 + 5);
}

TEST_CASE("is what cannot be expanded left as it is, with the reason") {
  const auto obstacle = [](const char* attribute, const Attribute& value) {
    RecurrentNetwork test(1);
    test.add({});
    test.network.operators[0].attributes[attribute] = value;
    canonicalise(test.network);
    REQUIRE(test.network.operators.size() == 1);
    return canonical_obstacle(test.network, test.network.operators[0]);
  };
  CHECK(obstacle("clip", 3.0) == "clip is not supported");
  CHECK(obstacle("input_forget", std::int64_t{1}) == "input_forget is not supported");
  CHECK(obstacle("activations", std::string("Softsign,Tanh,Tanh")) == "activation Softsign is not supported");
  CHECK(obstacle("activations", std::string("Sigmoid,Tanh")) == "there are too few activations");
}

// Products of bytes with zero points. What is expected is summed here, element by element.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "archdsl/tensor/convert.h"
#include "compiler/network/canonicalise.h"
#include "compiler/network/constants.h"
#include "compiler/reference/execute.h"

using namespace accord;

namespace {

/// One product: tensors of random bytes, each an input or a constant.
class ByteProduct {
 public:
  explicit ByteProduct(unsigned seed) : random_(seed) {}

  TensorId bytes_of(ElementType type, const Shape& shape, bool constant) {
    Value value{type, shape, std::vector<std::byte>(count_of(shape))};
    std::uniform_int_distribution<int> draw(static_cast<int>(lowest(type)), static_cast<int>(highest(type)));
    for (auto& byte : value.data) store_element(&byte, type, draw(random_));
    Tensor tensor{"t", type, shape, nullptr, std::nullopt};
    if (constant) tensor.data = owned(value.data);
    const auto id = network.add(tensor);
    if (!constant) network.inputs.push_back(id);
    named_[network.tensor(id).name] = given_[id] = value;
    return id;
  }

  void product(const std::string& type, std::vector<TensorId> inputs, Shape shape,
               std::map<std::string, Attribute> attributes = {}) {
    const auto y = network.add({"y", ElementType::i32, std::move(shape), nullptr, std::nullopt});
    network.operators.push_back({"product", type, std::move(inputs), {y}, std::move(attributes)});
    network.outputs = {y};
  }

  double at(TensorId id, std::int64_t i) const {
    if (id == no_tensor) return 0;
    const Value& value = given_.at(id);
    return load_element(value.data.data() + (value.data.size() == 1 ? 0 : i), value.type);
  }

  /// As imported and in canonical form, `expected(i)` is element i.
  void check(const std::function<double(std::int64_t)>& expected) {
    for (const bool canonical : {false, true}) {
      CAPTURE(canonical);
      if (canonical) canonicalise(network);
      Values inputs;
      for (const auto id : network.inputs) inputs[network.tensor(id).name] = named_.at(network.tensor(id).name);
      const auto y = execute(network, inputs).at(network.tensor(network.outputs[0]).name);
      REQUIRE(y.type == ElementType::i32);
      for (std::int64_t i = 0; i < element_count(y.shape); ++i) {
        CHECK(load_element(y.data.data() + 4 * i, y.type) == expected(i));
      }
    }
  }

  std::size_t count(const std::string& type) const {
    return static_cast<std::size_t>(std::count_if(network.operators.begin(), network.operators.end(),
                                                  [&](const auto& op) { return op.type == type; }));
  }

  Network network;

 private:
  std::mt19937 random_;
  Values named_;
  std::map<TensorId, Value> given_;  ///< by what they were called before passes
};

constexpr std::int64_t rows = 3, terms = 5, columns = 4;

struct Sides {
  ElementType a, b;
  bool b_constant, zero_constant, zero_per_row;
};

void check_matmul(const Sides& sides, unsigned seed) {
  ByteProduct test(seed);
  const auto a = test.bytes_of(sides.a, {2, rows, terms}, false);
  const auto b = test.bytes_of(sides.b, {terms, columns}, sides.b_constant);
  const auto za = test.bytes_of(sides.a, sides.zero_per_row ? Shape{rows} : Shape{}, sides.zero_constant);
  const auto zb = test.bytes_of(sides.b, sides.zero_per_row ? Shape{columns} : Shape{1}, sides.zero_constant);
  test.product("MatMulInteger", {a, b, za, zb}, {2, rows, columns});
  test.check([&](std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < terms; ++k) {
      const double left = test.at(a, i / columns * terms + k) - test.at(za, i / columns % rows);
      sum += left * (test.at(b, k * columns + i % columns) - test.at(zb, i % columns));
    }
    return sum;
  });
  CHECK(test.count(sides.b_constant ? "Gemm" : "MatMul") == 1);
}

}  // namespace

TEST_CASE("Do products of bytes keep their sums, whichever zero points are known?") {
  unsigned seed = 1;
  for (const auto a : {ElementType::u8, ElementType::i8}) {
    for (const auto b : {ElementType::u8, ElementType::i8}) {
      for (int bits = 0; bits < 8; ++bits) {
        CAPTURE(seed);
        check_matmul({a, b, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}, seed++);
      }
    }
  }
}

TEST_CASE("Do convolutions of bytes have their zero point where they are padded?") {
  unsigned seed = 100;
  for (const auto type : {ElementType::u8, ElementType::i8}) {
    for (int bits = 0; bits < 8; ++bits) {
      const bool w_constant = (bits & 1) != 0, zero_constant = (bits & 2) != 0, w_zero = (bits & 4) != 0;
      CAPTURE(seed);
      ByteProduct test(seed++);
      const auto x = test.bytes_of(type, {1, 2, 4, 5}, false);
      const auto w = test.bytes_of(ElementType::i8, {3, 2, 3, 2}, w_constant);
      const auto zx = test.bytes_of(type, {}, zero_constant);
      const auto zw = w_zero ? test.bytes_of(ElementType::i8, {3}, zero_constant) : no_tensor;
      const std::vector<std::int64_t> ones = {1, 1};
      test.product("ConvInteger", w_zero ? std::vector{x, w, zx, zw} : std::vector{x, w, zx}, {1, 3, 4, 5},
                   {{"kernel_shape", std::vector<std::int64_t>{3, 2}},
                    {"strides", ones},
                    {"dilations", ones},
                    {"pads", std::vector<std::int64_t>{1, 0, 1, 1}},
                    {"group", std::int64_t{1}}});
      test.check([&](std::int64_t i) {
        double sum = 0;
        for (std::int64_t tap = 0; tap < 12; ++tap) {
          const std::int64_t c = tap / 6, row = i / 5 % 4 + tap / 2 % 3 - 1, column = i % 5 + tap % 2;
          if (row < 0 || row > 3 || column > 4) continue;
          sum += (test.at(x, c * 20 + row * 5 + column) - test.at(zx, 0)) *
                 (test.at(w, i / 20 * 12 + tap) - test.at(zw, i / 20));
        }
        return sum;
      });
    }
  }
}

TEST_CASE("Is what DynamicQuantizeLinear gives signed where only products read it, and its own type elsewhere?") {
  for (const bool read_elsewhere : {false, true}) {
    Network network;
    const auto tensor = [&](ElementType type, Shape shape) {
      return network.add({"t", type, std::move(shape), nullptr, std::nullopt});
    };
    const auto x = tensor(ElementType::fp32, {2, 3}), q = tensor(ElementType::u8, {2, 3});
    const auto scale = tensor(ElementType::fp32, {}), zero = tensor(ElementType::u8, {});
    const auto w = network.add(make_constant("w", {3, 2}, std::vector<std::int8_t>{1, -2, 3, -4, 5, -6}));
    const auto y = tensor(ElementType::i32, {2, 2});
    network.inputs = {x};
    network.outputs = {y};
    if (read_elsewhere) network.outputs.push_back(q);
    network.operators = {{"quantise", "DynamicQuantizeLinear", {x}, {q, scale, zero}, {}},
                         {"product", "MatMulInteger", {q, w, zero}, {y}, {}}};
    Values inputs;
    Value value{ElementType::fp32, {2, 3}, std::vector<std::byte>(24)};
    for (int i = 0; i < 6; ++i) store_element(value.data.data() + 4 * i, value.type, i * i - 7.3);
    inputs[network.tensor(x).name] = value;
    const auto before = execute(network, inputs);
    const auto name_of_q = network.tensor(q).name;
    canonicalise(network);
    const auto found = std::ranges::find(network.tensors, name_of_q, &Tensor::name);
    REQUIRE(found != network.tensors.end());
    CHECK(found->type == (read_elsewhere ? ElementType::u8 : ElementType::i8));
    for (const auto& [name, result] : execute(network, inputs)) CHECK(result.data == before.at(name).data);
  }
}

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "single.h"

using namespace accord;

namespace {

using Sizes = std::vector<std::int64_t>;

struct Pool {
  Sizes in, kernel, stride, dilation, begin, end;

  std::size_t rank() const { return in.size(); }
  Sizes out() const {
    Sizes sizes(rank());
    for (std::size_t d = 0; d < rank(); ++d)
      sizes[d] = (in[d] + begin[d] + end[d] - (kernel[d] - 1) * dilation[d] - 1) / stride[d] + 1;
    return sizes;
  }
  Shape shape(const Sizes& plane) const {
    Shape shape = {1, 2};
    shape.insert(shape.end(), plane.begin(), plane.end());
    return shape;
  }
  std::map<std::string, Attribute> attributes() const {
    Sizes pads = begin;
    pads.insert(pads.end(), end.begin(), end.end());
    return {{"kernel_shape", kernel}, {"strides", stride}, {"dilations", dilation}, {"pads", pads}};
  }

  /// The elements of the plane under the window, in their order; those in pads are left out.
  std::vector<std::int64_t> covered(std::int64_t output) const {
    Sizes first(rank()), sizes = out();
    for (std::size_t d = rank(); d-- > 0; output /= sizes[d]) first[d] = output % sizes[d] * stride[d] - begin[d];
    std::vector<std::int64_t> elements;
    for (std::int64_t t = 0; t < element_count(kernel); ++t) {
      std::int64_t rest = t, at = 0, scale = 1;
      bool inside = true;
      for (std::size_t d = rank(); d-- > 0; rest /= kernel[d], scale *= in[d]) {
        const std::int64_t place = first[d] + rest % kernel[d] * dilation[d];
        inside = inside && place >= 0 && place < in[d];
        at += place * scale;
      }
      if (inside) elements.push_back(at);
    }
    return elements;
  }
};

Pool random_pool(std::mt19937& engine) {
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  };
  Pool pool;
  const std::int64_t rank = draw(1, 3);
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t kernel = draw(1, rank == 3 ? 9 : 19), dilation = draw(1, 2);
    pool.kernel.push_back(kernel);
    pool.dilation.push_back(dilation);
    pool.stride.push_back(draw(1, 4));
    pool.begin.push_back(draw(0, static_cast<int>(kernel) - 1));
    pool.end.push_back(draw(0, static_cast<int>(kernel) - 1));
    pool.in.push_back(draw(1, 6) + std::max<std::int64_t>(0, (kernel - 1) * dilation - pool.begin[d] - pool.end[d]));
  }
  return pool;
}

/// Values that often tie, some of them no numbers.
std::vector<float> drawn(std::size_t count, std::mt19937& engine) {
  std::vector<float> elements(count);
  for (float& element : elements) {
    const auto draw = static_cast<int>(engine() % 12);
    element = draw == 0 ? std::nanf("") : draw == 1 ? -0.0f : static_cast<float>(draw % 5);
  }
  return elements;
}

std::pair<Value, Value> with_indices(const Value& x, const Pool& pool) {
  Network network;
  const auto add = [&network](const std::string& name, ElementType type, const Shape& shape) {
    Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.shape = shape;
    return network.add(tensor);
  };
  Operator op{"op", "MaxPool", {add("x", x.type, x.shape)}, {}, pool.attributes()};
  network.inputs = op.inputs;
  const Shape shape = pool.shape(pool.out());
  op.outputs = {add("y", x.type, shape), add("places", ElementType::i64, shape)};
  network.outputs = op.outputs;
  network.operators.push_back(op);
  Values results = execute(network, {{"x", x}}, {});
  return {results.at("y"), results.at("places")};
}

}  // namespace

TEST_CASE("Is a MaxPool over any window the first greatest number, and its index that one's?") {
  std::mt19937 engine(3);
  for (int round = 0; round < 150; ++round) {
    const Pool pool = random_pool(engine);
    const std::int64_t size = element_count(pool.in), outs = element_count(pool.out());
    const std::vector<float> x = drawn(static_cast<std::size_t>(2 * size), engine);
    const auto [y, places] = with_indices(make_value(ElementType::fp32, pool.shape(pool.in), x), pool);
    std::vector<float> best;
    std::vector<std::int64_t> best_at;
    for (std::int64_t o = 0; o < 2 * outs; ++o) {
      const std::int64_t plane = o / outs * size;
      std::optional<std::int64_t> at;
      for (const std::int64_t i : pool.covered(o % outs)) {
        if (!std::isnan(x[plane + i]) && (!at || x[plane + i] > x[plane + *at])) at = i;
      }
      best.push_back(at ? x[plane + *at] : -std::numeric_limits<float>::infinity());
      // Of a window of no numbers only the maximum is defined.
      best_at.push_back(at ? plane + *at : elements_of<std::int64_t>(places)[static_cast<std::size_t>(o)]);
    }
    CAPTURE(round);
    CHECK(elements_of<std::int32_t>(y) == elements_of<std::int32_t>(make_value(ElementType::fp32, y.shape, best)));
    CHECK(elements_of<std::int64_t>(places) == best_at);
  }
}

TEST_CASE("Are sums over any window those of its elements, and floats added in their order?") {
  std::mt19937 engine(4);
  for (int round = 0; round < 100; ++round) {
    const Pool pool = random_pool(engine);
    const std::int64_t size = element_count(pool.in), outs = element_count(pool.out());
    const Value x = random_floats(pool.shape(pool.in), engine), bytes = random_i8(pool.shape(pool.in), engine);
    const Shape shape = pool.shape(pool.out());
    std::vector<float> means;
    std::vector<std::int32_t> sums;
    for (std::int64_t o = 0; o < 2 * outs; ++o) {
      const std::vector<std::int64_t> covered = pool.covered(o % outs);
      float mean = 0;
      std::int32_t sum = 3 * static_cast<std::int32_t>(element_count(pool.kernel) - std::ssize(covered));
      for (const std::int64_t i : covered) {
        mean += elements_of<float>(x)[static_cast<std::size_t>(o / outs * size + i)];
        sum += elements_of<std::int8_t>(bytes)[static_cast<std::size_t>(o / outs * size + i)];
      }
      means.push_back(mean / static_cast<float>(std::max<std::ptrdiff_t>(std::ssize(covered), 1)));
      sums.push_back(sum);
    }
    auto attributes = pool.attributes();
    CHECK(elements_of<float>(evaluate_single("AveragePool", {x}, ElementType::fp32, shape, attributes)) == means);
    attributes["outside"] = 3.0;
    CHECK(elements_of<std::int32_t>(evaluate_single("SumPool", {bytes}, ElementType::i32, shape, attributes)) == sums);
  }
}

TEST_CASE("Does a pool of a huge window take no longer than its elements are many?") {
  const std::int64_t size = 600, kernel = 500, out = size - kernel + 1;
  std::mt19937 engine(5);
  const Value x = random_i8({1, 1, size, size}, engine);
  const std::map<std::string, Attribute> attributes = {{"kernel_shape", Sizes{kernel, kernel}}};
  for (const auto& [type, result] : {std::pair{"MaxPool", ElementType::i8}, std::pair{"SumPool", ElementType::i32}})
    CHECK(evaluate_single(type, {x}, result, {1, 1, out, out}, attributes).shape == Shape{1, 1, out, out});
}

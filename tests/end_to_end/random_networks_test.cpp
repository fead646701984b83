// Is a network right whose layers share tensors in any way: parts of several Concats, several readers of one result,
// views of views, values of very different size?
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "compiler/network/canonicalise.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr double least_decibels =
    15;  ///< of integers against floats; a scale that is not a tensor's own leaves 0 to 10

class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed) : draw_(seed), builder_(seed) {}

  Network grow() {
    const TensorId x = builder_.input({1, 4 * draw_.from(1, 3), draw_.from(6, 8), draw_.from(6, 9)});
    tensors_ = {x};
    product(x);
    for (std::int64_t steps = draw_.from(6, 14); steps > 0; --steps) step(recent());
    Network network = builder_.finish();
    canonicalise(network);
    return network;
  }

 private:
  /// Of the last few: the others are there for Concats and sums.
  TensorId recent() {
    const auto count = static_cast<std::int64_t>(tensors_.size());
    return tensors_[static_cast<std::size_t>(draw_.from(std::max<std::int64_t>(0, count - 4), count - 1))];
  }

  void add(TensorId id) { tensors_.push_back(id); }

  void step(TensorId x) {
    switch (draw_.from(0, 9)) {
      case 0:
      case 1: return product(x);
      case 2: return factor(x);
      case 3:
      case 4: return join(x);
      case 5: return pool(x);
      case 6: return sum(x);
      case 7: return add(builder_.relu(x));
      case 8: return activate(x);
      default: return view(x);
    }
  }

  bool is_image(TensorId x) const { return builder_.shape(x).size() == 4; }

  void product(TensorId x) {
    const std::int64_t results = 4 * draw_.from(1, 4);
    if (!is_image(x)) return add(builder_.gemm(x, results));
    const std::int64_t kernel = draw_.once_in(2) ? 1 : 3, stride = draw_.once_in(4) ? 2 : 1;
    const std::int64_t channels = builder_.shape(x)[1];
    const bool depthwise = draw_.once_in(5);
    add(builder_.conv(x, depthwise ? channels : results, kernel, stride, kernel / 2, depthwise ? channels : 1));
  }

  void factor(TensorId x) {
    constexpr std::array factors = {0.1F, 0.5F, 3.0F, -1.0F, 100.0F, 1e-3F};
    add(builder_.scaled(x, factors[static_cast<std::size_t>(draw_.from(0, std::ssize(factors) - 1))]));
  }

  /// Of what has the same shape but for the channels; one part may come twice.
  void join(TensorId x) {
    std::vector<TensorId> parts = {x};
    std::int64_t channels = builder_.shape(x)[1];
    for (std::int64_t more = draw_.from(1, 2); more > 0; --more) {
      const TensorId other = tensors_[static_cast<std::size_t>(draw_.from(0, std::ssize(tensors_) - 1))];
      Shape shape = builder_.shape(other);
      if (shape.size() != builder_.shape(x).size() || channels + shape[1] > 64) continue;
      shape[1] = builder_.shape(x)[1];
      if (shape != builder_.shape(x)) continue;
      channels += builder_.shape(other)[1];
      parts.push_back(other);
    }
    if (parts.size() > 1) add(builder_.concat(parts));
  }

  void pool(TensorId x) {
    if (!is_image(x) || builder_.shape(x)[2] < 3 || builder_.shape(x)[3] < 3) return;
    const std::int64_t stride = draw_.from(1, 2);
    if (draw_.once_in(3)) return add(builder_.average_pool(x, 2, stride));
    add(builder_.max_pool(x, 3, stride, draw_.from(0, 1)));
  }

  void sum(TensorId x) {
    std::vector<TensorId> alike;
    std::ranges::copy_if(tensors_, std::back_inserter(alike),
                         [&](TensorId other) { return builder_.shape(other) == builder_.shape(x); });
    add(builder_.add(x, alike[static_cast<std::size_t>(draw_.from(0, std::ssize(alike) - 1))]));
  }

  void activate(TensorId x) {
    constexpr std::array types = {"Sigmoid", "HardSwish", "LeakyRelu", "Elu", "Tanh", "Neg"};
    add(builder_.unary(types[static_cast<std::size_t>(draw_.from(0, std::ssize(types) - 1))], x));
  }

  void view(TensorId x) {
    if (!is_image(x)) return add(builder_.transpose(x, {1, 0}));
    if (draw_.once_in(2)) return add(builder_.transpose(x, {0, 1, 3, 2}));
    add(builder_.reshape(x, {builder_.shape(x)[1], builder_.shape(x)[2] * builder_.shape(x)[3]}));
  }

  Draw draw_;
  NetworkBuilder builder_;
  std::vector<TensorId> tensors_;
};

}  // namespace

TEST_CASE("are random networks right on every kind of machine") {
  const std::uint64_t first = first_seed(), count = asked("ACCORD_RANDOM_NETWORKS", 12);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    for (const std::string& name : machines) {
      CAPTURE(seed);
      CAPTURE(name);
      const Architecture architecture = machine(name);
      const MainJobResult job = run_checked(architecture, RandomNetwork(seed).grow(), seed);
      for (const OutputDistance& output : job.report.distances) {
        CAPTURE(output.name);
        CHECK(output.snr_db > least_decibels);
      }
    }
  }
}

TEST_CASE("is a sum of a tensor and a multiple of it, which are the same integers, no quicker than its bound") {
  for (const std::string& name : shipped_names()) {
    CAPTURE(name);
    const Architecture architecture = machine(name);
    for (const std::int64_t size : {2, 8}) {
      const Network network = network_of(first_seed(), [&](NetworkBuilder& b) {
        const TensorId x = b.conv(b.input({1, 8, size, size}), 4, 1);
        return b.conv(b.relu(b.add(b.scaled(x, 0.5F), x)), 8, 1);
      });
      run_checked(architecture, network, first_seed());
    }
  }
}

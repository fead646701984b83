#include "compiler/numerics/requantiser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "archdsl/tensor/convert.h"

namespace accord {
namespace {

/// As VTA's: sums times mult in 32 bits, which wrap.
Numerics narrow_machine(ElementType shift = ElementType::i32) {
  Numerics numerics;
  numerics.requantise = "i8(clamp((x * mult + (1 << (shift - 1))) >> shift, lo, hi))";
  numerics.parameters = {{"mult", ElementType::i32, false}, {"shift", shift, false}};
  return numerics;
}

std::int32_t value_of(const Tensor& parameter) {
  return static_cast<std::int32_t>(load_element(parameter.data->data(), parameter.type));
}

/// What the machine makes of a sum, in arithmetic that wraps at 32 bits.
double narrow(std::int64_t x, std::int32_t mult, std::int32_t shift) {
  const auto product = static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(mult);
  const auto rounded = static_cast<std::int32_t>(product + (std::uint32_t{1} << (shift - 1)));
  return std::clamp(static_cast<double>(rounded >> shift), -128.0, 127.0);
}

TEST_CASE("Is each sum that may occur requantised within one unit, also far beyond where results saturate?") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Numerics machine = narrow_machine();
  std::uniform_real_distribution<double> log_bound(std::log(300.0), std::log(3e6)),
      log_over(std::log(0.3), std::log(50));
  for (int i = 0; i < 100; ++i) {
    const double bound = std::floor(std::exp(log_bound(random)));
    const double multiplier = 127 * std::exp(log_over(random)) / bound;
    CAPTURE(bound);
    CAPTURE(multiplier);
    numerics::Requantiser requantiser(machine);
    const auto parameters = requantiser.solve({multiplier}, 1, bound, -128, 127, "y");
    const std::int32_t mult = value_of(parameters[0]), shift = value_of(parameters[1]);
    CAPTURE(mult);
    CAPTURE(shift);
    double worst = 0;
    const auto most = static_cast<std::int64_t>(bound), step = std::max<std::int64_t>(1, most / 20000);
    for (std::int64_t x = -most; x <= most; x += step) {
      const double wanted = std::clamp(static_cast<double>(x) * multiplier, -128.0, 127.0);
      worst = std::max(worst, std::abs(narrow(x, mult, shift) - wanted));
    }
    CHECK(worst <= 1.5);  // half a unit more between the sums that the solver looks at
    CHECK(requantiser.overflows().empty());
  }
}

TEST_CASE("Is it said where an operation overflows whatever values the parameters have?") {
  const Numerics machine = narrow_machine(ElementType::i8);
  numerics::Requantiser requantiser(machine);
  requantiser.solve({1.0 / 4096}, 1, 400000, -128, 127, "first");
  requantiser.solve({1.0 / 5000}, 1, 400000, -128, 127, "second");
  const std::string said = requantiser.overflows();
  CHECK(said.find("overflows in 2 tensors") != std::string::npos);
  CHECK(said.find("'first', where `1 << shift - 1` overflows i8") != std::string::npos);
}

}  // namespace
}  // namespace accord

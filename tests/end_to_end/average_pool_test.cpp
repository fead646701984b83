// Does an average whose divisor varies come out right where units could do some of its parts?
#include <doctest/doctest.h>

#include "compiler/mapping/capable.h"
#include "tests/end_to_end/machines.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("are sums and counts of an average, of which one alone could stay on chip, left to the host") {
  Network network;
  const TensorId x = network.add({"x", ElementType::fp32, {1, 2, 4, 4}, nullptr, std::nullopt});
  const TensorId y = network.add({"y", ElementType::fp32, {1, 2, 4, 4}, nullptr, std::nullopt});
  using Integers = std::vector<std::int64_t>;
  network.operators.push_back({"average",
                               "AveragePool",
                               {x},
                               {y},
                               {{"kernel_shape", Integers{3, 3}},
                                {"strides", Integers{1, 1}},
                                {"pads", Integers{1, 1, 1, 1}},
                                {"count_include_pad", std::int64_t{0}}}});
  network.inputs = {x};
  network.outputs = {y};
  const Architecture adder = described("float_adder");
  CHECK_FALSE(is_capable(adder, network));  // though it has an instruction for each statement
  run_checked(adder, network, 3);
}

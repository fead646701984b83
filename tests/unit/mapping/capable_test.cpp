// Is a machine thought capable only of what its instructions can see the whole of?
#include <doctest/doctest.h>

#include "compiler/mapping/capable.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("is a window that an instruction which sets its target cannot see at once beyond the machine") {
  const Architecture machine = shipped("bf16npu");  // max_pool: windows of 8 x 8 at most
  for (const std::int64_t side : {2, 8, 9}) {
    CAPTURE(side);
    using Integers = std::vector<std::int64_t>;
    Network network;
    const TensorId x = network.add({"x", ElementType::bf16, {1, 4, 16, 16}, nullptr, std::nullopt});
    const TensorId y = network.add({"y", ElementType::bf16, {1, 4, 17 - side, 17 - side}, nullptr, std::nullopt});
    network.operators.push_back({"pool",
                                 "MaxPool",
                                 {x},
                                 {y},
                                 {{"kernel_shape", Integers{side, side}},
                                  {"strides", Integers{1, 1}},
                                  {"pads", Integers(4, 0)}}});
    network.inputs = {x};
    network.outputs = {y};
    CHECK(is_capable(machine, network) == (side <= 8));
  }
}

// Do `pad` and `gather` mean what docs/movers.md says?
#include <doctest/doctest.h>

#include <algorithm>

#include "accepted.h"

using namespace accord;
using namespace accord::test;

namespace {

/// Value of a transfer's argument that is a constant.
std::int64_t constant(const Mnemonic& m, const std::vector<std::string>& names, const std::string& name) {
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  REQUIRE(at < names.size());
  CHECK(m.arguments.at(at).field == -1);
  CHECK(m.arguments.at(at).base == Binding::Base::none);
  return m.arguments.at(at).bias;
}

}  // namespace

TEST_CASE("padding adds arguments for every dimension, of which nothing is filled unless said") {
  const Architecture a = accepted("pad");
  const Route& route = unit(a, "dma").routes.at(0);
  REQUIRE(route.pad);
  CHECK(route.pad->type == ElementType::i8);
  CHECK(route.pad->value == -128);
  const std::vector<std::string> names = transfer_arguments(route);
  CHECK(names == std::vector<std::string>{"src.base", "dst.base", "n0", "n1", "n2", "src.stride1", "src.stride2",
                                          "dst.stride1", "dst.stride2", "lo0", "hi0", "lo1", "hi1", "lo2", "hi2"});
  const Mnemonic& load = mnemonic(a, "load");
  CHECK(load.arguments.at(9).field >= 0);
  CHECK(constant(load, names, "lo2") == 0);
  CHECK(constant(load, names, "hi2") == 0);
  CHECK_FALSE(unit(a, "dma").routes.at(1).pad);
}

TEST_CASE("a gather has a list and rows, and a name of its own beside the plain route") {
  const Architecture a = accepted("gather");
  const Unit& dma = unit(a, "dma");
  const Mnemonic& look_up = mnemonic(a, "look_up");
  CHECK(look_up.route == 2);
  CHECK(mnemonic(a, "load").route == 1);
  const Route& route = dma.routes.at(2);
  REQUIRE(route.gather);
  CHECK(&a.memories.at(static_cast<std::size_t>(route.gather->index)) == &memory(a, "lists"));
  CHECK(route.gather->type == ElementType::u8);
  CHECK(route.gather->dim == 1);
  CHECK(transfer_arguments(route) == std::vector<std::string>{"src.base", "dst.base", "n0", "n1", "src.stride1",
                                                              "dst.stride1", "index.base", "rows"});
}

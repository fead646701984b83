// When do layers end that only show what others wrote?
#include <doctest/doctest.h>

#include "simulator/kernels/empty_layers.h"

using namespace accord;
using namespace accord::sim;

namespace {

/// A layer whose result is so many bytes from an address on.
void add(Program& program, const std::string& name, std::int64_t address, std::int64_t bytes) {
  Symbol symbol;
  symbol.name = name;
  symbol.memory = "dram";
  symbol.address = address;
  symbol.type = ElementType::i8;
  symbol.shape = {bytes};
  symbol.strides = {1};
  program.symbols.push_back(symbol);
  Layer layer;
  layer.name = name;
  layer.outputs = {name};
  program.layers.push_back(layer);
}

}  // namespace

TEST_CASE("does a layer that shows others' results end with those who wrote them last") {
  Program program;
  add(program, "first", 0, 64);
  add(program, "low", 0, 32);
  add(program, "high", 32, 32);
  add(program, "elsewhere", 128, 64);
  add(program, "both", 0, 64);
  add(program, "beside", 96, 16);
  const auto empty = find_empty_layers(program, {true, true, true, true, false, false});
  REQUIRE(empty.size() == 2);
  CHECK(empty[0].layer == 4);
  CHECK(empty[0].leaders == std::vector{1, 2, 3});
  CHECK(empty[1].leaders == std::vector{3});
}

TEST_CASE("does a layer end at the run's begin where none before it works") {
  Program program;
  add(program, "shown", 0, 64);
  const auto empty = find_empty_layers(program, {false});
  REQUIRE(empty.size() == 1);
  CHECK(empty[0].leaders.empty());
}

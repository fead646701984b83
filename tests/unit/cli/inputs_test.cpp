#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "cli/inputs.h"
#include "cli/scratch_file.h"
#include "compiler/network/npy.h"

using namespace accord;

namespace {
const std::vector<TensorSlot> two = {{"x", ElementType::fp32, {1, 2}}, {"y", ElementType::i8, {2}}};
}

TEST_CASE("a file goes to the slot it names, in the slot's type and shape") {
  const ScratchFile file;
  save_npy(file.path(), {ElementType::i16, {2}, {std::byte{3}, std::byte{0}, std::byte{4}, std::byte{0}}});
  const auto values = read_tensors({"x=" + file.path().string()}, two);
  REQUIRE(values.contains("x"));
  CHECK(values.at("x").shape == Shape{1, 2});
  CHECK(load_element(values.at("x").data.data() + 4, ElementType::fp32) == 4);
}

TEST_CASE("a single slot needs no name") {
  const ScratchFile file;
  save_npy(file.path(), {ElementType::i8, {2}, {std::byte{1}, std::byte{2}}});
  CHECK(read_tensors({file.path().string()}, {two[1]}).contains("y"));
  CHECK_THROWS_AS(read_tensors({file.path().string()}, two), Error);
}

TEST_CASE("a wrong name, shape or type is an error") {
  const ScratchFile file;
  save_npy(file.path(), {ElementType::fp32, {3}, std::vector<std::byte>(12)});
  CHECK_THROWS_AS(read_tensors({"z=" + file.path().string()}, two), Error);
  CHECK_THROWS_AS(read_tensors({"x=" + file.path().string()}, two), Error);
  save_npy(file.path(), {ElementType::fp32, {2}, std::vector<std::byte>(8)});
  CHECK_THROWS_AS(read_tensors({"y=" + file.path().string()}, two), Error);
}

TEST_CASE("seeded inputs depend on the seed and the name, and leave given ones alone") {
  Values a, b, c;
  fill_seeded(a, two, 1);
  fill_seeded(b, two, 1);
  fill_seeded(c, two, 2);
  CHECK(a.at("x").data == b.at("x").data);
  CHECK(a.at("x").data != c.at("x").data);
  const auto given = c.at("y").data;
  fill_seeded(c, two, 1);
  CHECK(c.at("y").data == given);
}

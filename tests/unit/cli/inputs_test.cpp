#include <doctest/doctest.h>

#include <set>

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

TEST_CASE("are seeded integers indices of all that they look up") {
  Network network;
  const auto add = [&](const std::string& name, ElementType type, Shape shape) {
    return network.add({name, type, std::move(shape), nullptr, std::nullopt});
  };
  const TensorId ids = add("ids", ElementType::i64, {1, 64}), flat = add("flat", ElementType::i64, {64});
  const TensorId words = add("words", ElementType::fp32, {100, 4}), kinds = add("kinds", ElementType::fp32, {2, 4});
  network.inputs = {ids};
  network.operators = {{"a", "Gather", {words, ids}, {add("a", ElementType::fp32, {1, 64, 4})}, {}},
                       {"b", "Reshape", {ids}, {flat}, {}},
                       {"c", "Gather", {kinds, flat}, {add("c", ElementType::fp32, {64, 4})}, {}}};
  const Value seeded = seeded_inputs_of(network, 3).at("ids");
  std::set<double> found;
  for (std::size_t i = 0; i < 64; ++i) found.insert(load_element(seeded.data.data() + 8 * i, ElementType::i64));
  CHECK(found == std::set<double>{0, 1});
}

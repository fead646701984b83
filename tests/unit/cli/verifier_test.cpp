#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "archdsl/tensor/convert.h"
#include "cli/verifier.h"

using namespace accord;

namespace {

Value floats(const std::vector<float>& elements) {
  Value value{ElementType::fp32, {static_cast<std::int64_t>(elements.size())}, {}};
  value.data.resize(elements.size() * sizeof(float));
  std::memcpy(value.data.data(), elements.data(), value.data.size());
  return value;
}

Value integers(const std::vector<std::int8_t>& elements) {
  Value value{ElementType::i8, {static_cast<std::int64_t>(elements.size())}, {}};
  value.data.resize(elements.size());
  std::memcpy(value.data.data(), elements.data(), value.data.size());
  return value;
}

std::map<std::string, Delivery> whole(const std::vector<std::string>& names) {
  std::map<std::string, Delivery> deliveries;
  for (const auto& name : names) deliveries[name] = {name, {}, {}};
  return deliveries;
}

/// Whose values nobody reads afterwards.
void from_reference(Verifier& verifier, const std::string& name, Value value) { verifier.from_reference(name, value); }

}  // namespace

TEST_CASE("integers must be equal, whatever the tolerance") {
  CHECK(compare_tensors(integers({1, 2}), integers({1, 2}), 0.5).ok());
  const auto verdict = compare_tensors(integers({1, 2, 100}), integers({1, 3, 98}), 0.5);
  CHECK(verdict.mismatches == 2);
  CHECK(verdict.greatest_difference == 2);
}

TEST_CASE("floats may differ by a part of the largest value") {
  CHECK(compare_tensors(floats({0.09F, 10}), floats({0, 10}), 1e-2).ok());
  CHECK(compare_tensors(floats({0.11F, 10}), floats({0, 10}), 1e-2).mismatches == 1);
}

TEST_CASE("do two neighbours of the storage type pass, whatever its steps") {
  for (const auto type : {ElementType::fp8e4m3, ElementType::fp8e5m2, ElementType::bf16, ElementType::fp16}) {
    CAPTURE(name(type));
    Value one{type, {1}, std::vector<std::byte>(static_cast<std::size_t>(bytes(type)))}, next = one;
    store_element(one.data.data(), type, 1);
    next.data = one.data;
    next.data[0] = static_cast<std::byte>(std::to_integer<int>(next.data[0]) + 1);  // the next pattern
    CHECK(compare_tensors(one, next, default_tolerance(type)).ok());
    store_element(next.data.data(), type, 1.5);
    CHECK_FALSE(compare_tensors(one, next, default_tolerance(type)).ok());
  }
}

TEST_CASE("a NaN equals only a NaN, an infinity only itself") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(compare_tensors(floats({nan, inf, 0}), floats({nan, inf, -0.0F}), 0).ok());
  CHECK(compare_tensors(floats({nan}), floats({1}), 1).mismatches == 1);
  CHECK(compare_tensors(floats({1}), floats({nan}), 1).mismatches == 1);
  CHECK(compare_tensors(floats({inf}), floats({-inf}), 1).mismatches == 1);
  CHECK(compare_tensors(floats({1}), floats({inf}), 1).mismatches == 1);
  const auto verdict = compare_tensors(floats({nan, 1, 2, 8}), floats({1, inf, 5, 8}), 0.1);
  CHECK(describe(verdict) == "3 of 4 elements differ, by up to 3; 2 of them: infinite or NaN on one side");
}

TEST_CASE("another shape or type is no match") {
  CHECK_FALSE(compare_tensors(integers({1}), integers({1, 2}), 0).ok());
  CHECK_FALSE(compare_tensors(floats({1}), integers({1, 0, 0, 0}), 0).ok());
}

TEST_CASE("a part of a tensor is compared with that part of the reference's") {
  const Value reference{ElementType::i8, {2, 3, 2}, {}};
  Value filled = reference;
  for (int i = 0; i < 12; ++i) filled.data.push_back(static_cast<std::byte>(i));
  const auto part = part_of(filled, {"t", {0, 1, 0}, {2, 2, 2}});
  REQUIRE(part);
  std::vector<int> values;
  for (const auto byte : part->data) values.push_back(static_cast<int>(byte));
  CHECK(values == std::vector<int>{2, 3, 4, 5, 8, 9, 10, 11});
  CHECK_FALSE(part_of(filled, {"t", {0, 2, 0}, {2, 2, 2}}));
  for (const bool early : {true, false}) {
    Verifier verifier(0, 1024);
    if (early) from_reference(verifier, "t", filled);
    verifier.expect({{"t[0:1]", {"t", {0, 0, 0}, {2, 1, 2}}}, {"t[1:3]", {"t", {0, 1, 0}, {2, 2, 2}}}});
    if (!early) from_reference(verifier, "t", filled);
    verifier.from_machine("t[1:3]", *part);
    Value wrong = *part_of(filled, {"t", {0, 0, 0}, {2, 1, 2}});
    wrong.data[3] = std::byte{99};
    verifier.from_machine("t[0:1]", wrong);
    verifier.close();
    const auto verdicts = verifier.verdicts();
    CHECK(verdicts.at("t[1:3]").ok());
    CHECK(verdicts.at("t[0:1]").mismatches == 1);
  }
}

TEST_CASE("tensors meet whichever side is first") {
  Verifier verifier(0, 1024);
  from_reference(verifier, "a", integers({1}));
  verifier.expect(whole({"a", "b"}));
  verifier.from_machine("b", integers({2}));
  verifier.from_machine("a", integers({1}));
  from_reference(verifier, "b", integers({3}));
  from_reference(verifier, "dropped", integers({3}));
  verifier.close();
  const auto verdicts = verifier.verdicts();
  CHECK(verdicts.size() == 2);
  CHECK(verdicts.at("a").ok());
  CHECK(verdicts.at("b").mismatches == 1);
}

TEST_CASE("floats go on as the machine has them, whole or in parts, and are compared before") {
  Verifier verifier(0.1, 1024);
  verifier.expect({{"a", {"a", {}, {}}}, {"b[0:1]", {"b", {0}, {1}}}, {"b[1:3]", {"b", {1}, {2}}}});
  Value a = floats({1, 2}), b = floats({1, 2, 10}), inside = floats({7});
  std::thread reference([&] {
    verifier.from_reference("a", a);
    verifier.from_reference("inside", inside);  // of a layer: the machine does not deliver it
    verifier.from_reference("b", b);
  });
  verifier.from_machine("b[1:3]", floats({2, 5}));
  verifier.from_machine("a", floats({1.1F, 2}));
  verifier.from_machine("b[0:1]", floats({1}));
  reference.join();
  CHECK(a.data == floats({1.1F, 2}).data);
  CHECK(inside.data == floats({7}).data);
  CHECK(b.data == floats({1, 2, 5}).data);
  const auto verdicts = verifier.verdicts();
  CHECK(verdicts.at("a").ok());
  CHECK(verdicts.at("b[0:1]").ok());
  CHECK(verdicts.at("b[1:3]").mismatches == 1);
}

TEST_CASE("floats that the machine never delivers stay the reference's") {
  Verifier verifier(0, 1024);
  Value a = floats({1});
  std::thread reference([&] { verifier.from_reference("a", a); });
  verifier.close();
  reference.join();
  CHECK(a.data == floats({1}).data);
}

TEST_CASE("a tensor that one side owes is not verified") {
  Verifier verifier(0, 1024);
  verifier.expect(whole({"a"}));
  from_reference(verifier, "a", integers({1}));
  verifier.from_machine("b", integers({1}));
  verifier.close();
  CHECK_FALSE(verifier.verdicts().at("a").ok());
  CHECK_FALSE(verifier.verdicts().at("b").ok());
}

TEST_CASE("a reference that runs ahead waits, and goes on when the machine has caught up") {
  Verifier verifier(0, 1);
  std::thread reference([&] {
    for (const char* name : {"a", "b", "c"}) from_reference(verifier, name, integers({1, 2}));
  });
  verifier.expect(whole({"a", "b", "c"}));
  for (const char* name : {"c", "b", "a"}) verifier.from_machine(name, integers({1, 2}));
  verifier.close();
  reference.join();
  for (const auto& [name, verdict] : verifier.verdicts()) CHECK(verdict.ok());
}

TEST_CASE("a reference that waits is let go when the machine gives up") {
  Verifier verifier(0, 1);
  std::thread reference([&] {
    for (const char* name : {"a", "b"}) from_reference(verifier, name, integers({1, 2}));
  });
  verifier.close();
  reference.join();
}

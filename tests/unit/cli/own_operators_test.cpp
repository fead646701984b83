// Are sums in parts, which the model does not have, compared with the reference?
#include "cli/own_operators.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace accord;

namespace {

template <typename T>
Value value_of(ElementType type, Shape shape, const std::vector<T>& elements) {
  Value value{type, std::move(shape), std::vector<std::byte>(elements.size() * sizeof(T))};
  std::memcpy(value.data.data(), elements.data(), value.data.size());
  return value;
}

/// y[k] = sum of x[c] * w[k, c], as the model has it.
Network whole() {
  Network network;
  const TensorId x = network.add({"x", ElementType::i8, {1, 4}, nullptr, {}});
  const TensorId w = network.add(make_constant("w", {2, 4}, std::vector<std::int8_t>{1, 1, 1, 1, 1, 2, 3, 4}));
  const TensorId y = network.add({"y", ElementType::i32, {1, 2}, nullptr, {}});
  network.operators = {{"gemm", "Gemm", {x, w}, {y}, {{"transB", std::int64_t{1}}}}};
  network.outputs = {y};
  return network;
}

/// The same, its sum in two parts.
Network divided(Network network) {
  const TensorId p = network.add({"p", ElementType::i32, {2, 1, 2}, nullptr, {}});
  Operator parts = {"parts", "PartialSums", {0, 1}, {p}, network.operators[0].attributes};
  parts.attributes["sum_of"] = std::string("Gemm");
  parts.attributes["sum_input"] = std::int64_t{0};
  parts.attributes["sum_index"] = std::int64_t{1};
  parts.attributes["sum_steps"] = std::int64_t{2};
  network.operators[0] = {"gemm", "AddSums", {p}, {2}, {}};
  network.operators.push_back(std::move(parts));
  return network;
}

TensorVerdict verdict_on(const std::vector<std::int32_t>& sums) {
  const std::map<std::string, Delivery> deliveries = {{"x", {"x", {}, {}}}, {"p", {"p", {}, {}}}};
  Verifier verifier(0, 1 << 20);
  verifier.expect(deliveries);
  OwnOperators own(divided(whole()), whole(), deliveries);
  own.from_machine("x", value_of<std::int8_t>(ElementType::i8, {1, 4}, {5, 6, 7, 8}));
  verifier.from_machine("p", value_of(ElementType::i32, {2, 1, 2}, sums));
  verifier.close();
  own.evaluate({}, verifier);
  return verifier.verdicts().at("p");
}

}  // namespace

TEST_CASE("are sums in parts compared with the reference's") {
  CHECK(verdict_on({11, 17, 15, 53}).ok());
  const TensorVerdict wrong = verdict_on({11, 17, 15, 54});
  CHECK(wrong.mismatches == 1);
  CHECK(wrong.reason.empty());
}

#include "compiler/network/passes/sequence_lengths.h"

#include <algorithm>

#include <fmt/format.h>

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

Integers values_of(const Tensor& lengths) {
  const auto count = element_count(lengths.shape);
  if (lengths.type == ElementType::i64) {
    const auto* values = constant_data<std::int64_t>(lengths);
    return Integers(values, values + count);
  }
  const auto* values = constant_data<std::int32_t>(lengths);
  return Integers(values, values + count);
}

TensorId constant_mask(Network& network, const Integers& lengths, std::int64_t step) {
  if (std::ranges::all_of(lengths, [=](auto length) { return length > step; })) return no_tensor;
  std::vector<std::byte> mask;
  for (const auto length : lengths) mask.push_back(std::byte{length > step});
  auto data = owned(std::move(mask));
  return network.add({"present", ElementType::u8, {std::ssize(lengths), 1}, std::move(data), std::nullopt});
}

TensorId computed_mask(Network& network, OperatorList& list, TensorId lengths, std::int64_t step) {
  const auto shape = list.shape(lengths);
  const auto number = network.tensor(lengths).type == ElementType::i64
                          ? make_constant("step", {}, Integers{step})
                          : make_constant("step", {}, std::vector{static_cast<std::int32_t>(step)});
  const auto mask = network.add({"present", ElementType::u8, shape, nullptr, std::nullopt});
  return list.add("Greater", fmt::format("t{}.present", step), {lengths, network.add(number)}, shape, {}, mask);
}

}  // namespace

std::vector<TensorId> sequences_present(Network& network, OperatorList& list, TensorId lengths, std::int64_t steps) {
  std::vector<TensorId> masks;
  const auto given = network.tensor(lengths);
  const auto known = given.is_constant() ? values_of(given) : Integers{};
  auto column = no_tensor;
  if (!given.is_constant()) {
    column = network.add({"lengths", given.type, {given.shape[0], 1}, nullptr, std::nullopt});
    list.reshape("lengths", lengths, {given.shape[0], 1}, column);
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    masks.push_back(given.is_constant() ? constant_mask(network, known, step)
                                        : computed_mask(network, list, column, step));
  }
  return masks;
}

}  // namespace accord

#include "compiler/network/constants.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "archdsl/tensor/convert.h"

namespace accord {

bool is_float_constant(const Network& network, TensorId id) {
  return id != no_tensor && network.tensor(id).is_constant() && network.tensor(id).type == ElementType::fp32;
}

std::vector<std::int64_t> integers_of(const Tensor& constant) {
  std::vector<std::int64_t> values(count_of(constant.shape));
  const auto size = static_cast<std::size_t>(bytes(constant.type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = constant.type == ElementType::i64
                    ? constant_data<std::int64_t>(constant)[i]
                    : static_cast<std::int64_t>(load_element(constant.data->data() + i * size, constant.type));
  }
  return values;
}

std::vector<double> numbers_of(const Tensor& constant) {
  std::vector<double> values(count_of(constant.shape));
  const auto size = static_cast<std::size_t>(bytes(constant.type));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = load_element(constant.data->data() + i * size, constant.type);
  return values;
}

std::vector<double> broadcast_numbers(const Tensor& constant, const Shape& to) {
  const auto numbers = numbers_of(constant);
  const Shape& from = constant.shape;
  std::vector<double> result(count_of(to));
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t at = 0, stride = 1;
    for (std::size_t d = 0; d < from.size(); ++d) {
      const auto extent = from[from.size() - 1 - d], position = rest % to[to.size() - 1 - d];
      rest /= to[to.size() - 1 - d];
      at += (extent == 1 ? 0 : position) * stride;
      stride *= extent;
    }
    result[i] = numbers[static_cast<std::size_t>(at)];
  }
  return result;
}

std::vector<double> repeated_numbers(const Tensor& constant, std::int64_t times) {
  std::vector<double> result;
  for (const double number : numbers_of(constant)) result.insert(result.end(), static_cast<std::size_t>(times), number);
  return result;
}

namespace {

/// Block by block: both sides stay in the cache.
template <typename T>
ConstantData transposed(const std::byte* from, std::size_t rows, std::size_t columns) {
  constexpr std::size_t block = 32;
  auto to = std::make_unique_for_overwrite<T[]>(rows * columns);
  for (std::size_t r0 = 0; r0 < rows; r0 += block) {
    for (std::size_t c0 = 0; c0 < columns; c0 += block) {
      for (std::size_t c = c0; c < std::min(c0 + block, columns); ++c) {
        for (std::size_t r = r0; r < std::min(r0 + block, rows); ++r) {
          std::memcpy(&to[c * rows + r], from + (r * columns + c) * sizeof(T), sizeof(T));
        }
      }
    }
  }
  return owned(std::move(to), rows * columns);
}

}  // namespace

ConstantData transposed_matrix(const Tensor& constant) {
  const auto rank = constant.shape.size();
  const auto rows = static_cast<std::size_t>(constant.shape[rank - 2]);
  const auto columns = static_cast<std::size_t>(constant.shape[rank - 1]);
  const auto size = static_cast<std::size_t>(bytes(constant.type));
  assert(constant.data->size() == rows * columns * size);
  return std::make_shared<const ConstantBytes>(constant.data, [=](std::span<const std::byte> from) -> ConstantData {
    switch (size) {
      case 1: return transposed<std::uint8_t>(from.data(), rows, columns);
      case 2: return transposed<std::uint16_t>(from.data(), rows, columns);
      case 4: return transposed<std::uint32_t>(from.data(), rows, columns);
      default: return transposed<std::uint64_t>(from.data(), rows, columns);
    }
  });
}

}  // namespace accord

#include "compiler/network/constants.h"

#include <algorithm>
#include <cassert>
#include <cstring>

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

namespace {

/// Block by block: both sides stay in the cache.
template <std::size_t size>
void transpose(const std::byte* from, std::size_t rows, std::size_t columns, std::byte* to) {
  constexpr std::size_t block = 32;
  for (std::size_t r0 = 0; r0 < rows; r0 += block) {
    for (std::size_t c0 = 0; c0 < columns; c0 += block) {
      for (std::size_t c = c0; c < std::min(c0 + block, columns); ++c) {
        for (std::size_t r = r0; r < std::min(r0 + block, rows); ++r) {
          std::memcpy(to + (c * rows + r) * size, from + (r * columns + c) * size, size);
        }
      }
    }
  }
}

}  // namespace

ConstantData transposed_matrix(const Tensor& constant) {
  const auto rank = constant.shape.size();
  const auto rows = static_cast<std::size_t>(constant.shape[rank - 2]);
  const auto columns = static_cast<std::size_t>(constant.shape[rank - 1]);
  const auto* from = constant.data->unaligned().data();
  std::vector<std::byte> to(constant.data->size());
  assert(to.size() == rows * columns * static_cast<std::size_t>(bytes(constant.type)));
  switch (bytes(constant.type)) {
    case 1: transpose<1>(from, rows, columns, to.data()); break;
    case 2: transpose<2>(from, rows, columns, to.data()); break;
    case 4: transpose<4>(from, rows, columns, to.data()); break;
    default: transpose<8>(from, rows, columns, to.data()); break;
  }
  return owned(std::move(to));
}

}  // namespace accord

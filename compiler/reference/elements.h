#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/reference/operator_table.h"

namespace accord::reference {

/// All elements widened to `T`: float (bf16, fp16, ... and fp32), std::int64_t (integers, and floats truncated),
/// std::uint32_t and std::uint64_t (integers modulo 2^32 and 2^64: sums and products wrap as i32 and i64 do) or double.
template <typename T>
std::vector<T> load_as(const TensorView& tensor);

/// Elements first..first+count-1 of the tensor, widened into `to`.
template <typename T>
void load_range(const TensorView& tensor, std::int64_t first, std::int64_t count, T* to);

/// Stores with the conversion of a cast: floats round to nearest even, integers saturate; `std::uint32_t` keeps its
/// bits for i32, `std::uint64_t` for i64. Elements go to index `first` and on.
template <typename T>
void store_range(Value& to, std::int64_t first, std::span<const T> elements);

template <typename T>
void store_all(Value& to, const std::vector<T>& elements) {
  store_range<T>(to, 0, elements);
}

/// Calls fn with a 0 of the type that sums for a result of `type` are made in.
template <typename Fn>
void with_sum_type(ElementType type, Fn&& fn) {
  if (is_float(type)) return fn(float{});
  if (type == ElementType::i64) return fn(std::uint64_t{});
  fn(std::uint32_t{});
}

}  // namespace accord::reference

// No include guard: included once per instruction set (see lane_table.h).
//
// Loops over lanes and over memory.

namespace accord::ACCORD_LANES {
namespace {

template <typename Op, typename T>
void unary(void* out, const void* in, std::int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(in);
  for (std::int64_t i = 0; i < count; ++i) to[i] = Op::apply(from[i]);
}

template <typename Op, typename T, bool a_scalar, bool b_scalar>
void binary(void* out, const void* a_lanes, const void* b_lanes, std::int64_t count) {
  using Out = decltype(Op::apply(T{}, T{}));
  auto* to = static_cast<Out*>(out);
  const auto* a = static_cast<const T*>(a_lanes);
  const auto* b = static_cast<const T*>(b_lanes);
  const T a0 = a[0];
  const T b0 = b[0];
  for (std::int64_t i = 0; i < count; ++i) to[i] = Op::apply(a_scalar ? a0 : a[i], b_scalar ? b0 : b[i]);
}

template <typename Condition, typename T>
void select(void* out, const void* condition, const void* yes, const void* no, std::int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* test = static_cast<const Condition*>(condition);
  const auto* a = static_cast<const T*>(yes);
  const auto* b = static_cast<const T*>(no);
  for (std::int64_t i = 0; i < count; ++i) {
    const T first = a[i];
    const T second = b[i];
    to[i] = test[i] != 0 ? first : second;
  }
}

template <typename T>
void fill(void* out, const void* in, std::int64_t count) {
  const T value = *static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = value;
}

template <typename E>
void load(void* out, const std::byte* from, Block block, BlockSteps steps) {
  using Stored = typename E::Stored;
  auto* __restrict to = static_cast<typename E::Lane*>(out);
  for (std::int64_t row = 0; row < block.rows; ++row, to += block.columns, from += steps.row) {
    const std::byte* __restrict at = from;
    if (steps.column == static_cast<std::int64_t>(sizeof(Stored))) {
      for (std::int64_t i = 0; i < block.columns; ++i)
        to[i] = E::decode(read<Stored>(at + i * static_cast<std::int64_t>(sizeof(Stored))));
    } else {
      for (std::int64_t i = 0; i < block.columns; ++i, at += steps.column) to[i] = E::decode(read<Stored>(at));
    }
  }
}

template <typename E>
void store(std::byte* to, const void* in, Block block, BlockSteps steps) {
  using Stored = typename E::Stored;
  const auto* __restrict from = static_cast<const typename E::Lane*>(in);
  for (std::int64_t row = 0; row < block.rows; ++row, from += block.columns, to += steps.row) {
    std::byte* __restrict at = to;
    if (steps.column == static_cast<std::int64_t>(sizeof(Stored))) {
      for (std::int64_t i = 0; i < block.columns; ++i)
        write<Stored>(at + i * static_cast<std::int64_t>(sizeof(Stored)), E::encode(from[i]));
    } else {
      for (std::int64_t i = 0; i < block.columns; ++i, at += steps.column) write<Stored>(at, E::encode(from[i]));
    }
  }
}

template <typename E>
void narrow(void* out, const void* in, std::int64_t count) {
  auto* to = static_cast<typename E::Lane*>(out);
  const auto* from = static_cast<const typename E::Lane*>(in);
  for (std::int64_t i = 0; i < count; ++i) to[i] = E::narrow(from[i]);
}

// Integer sums wrap once at the end: the width divides the lane's. Floats round after every addition.
template <typename Op, typename E>
void fold(void* accumulator, const void* in, std::int64_t count) {
  using Lane = typename E::Lane;
  Lane result = *static_cast<Lane*>(accumulator);
  const auto* from = static_cast<const Lane*>(in);
  for (std::int64_t i = 0; i < count; ++i) {
    result = Op::apply(result, from[i]);
    if constexpr (std::is_same_v<Lane, float>) result = E::narrow(result);
  }
  *static_cast<Lane*>(accumulator) = E::narrow(result);
}

}  // namespace
}  // namespace accord::ACCORD_LANES

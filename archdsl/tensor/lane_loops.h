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
void load_row(typename E::Lane* __restrict to, const std::byte* __restrict from, std::int64_t count,
              std::int64_t step) {
  using Stored = typename E::Stored;
  constexpr std::int64_t size = sizeof(Stored);
  if (step == size) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = E::decode(read<Stored>(from + i * size));
  } else {
    for (std::int64_t i = 0; i < count; ++i, from += step) to[i] = E::decode(read<Stored>(from));
  }
}

// One row where the rows follow one another like columns.
inline Block collapse(Block block, BlockSteps steps) {
  if (steps.row != steps.column * block.columns) return block;
  return {block.columns * block.rows, 1};
}

template <typename E>
void load(void* out, const std::byte* from, Block block, BlockSteps steps) {
  auto* to = static_cast<typename E::Lane*>(out);
  block = collapse(block, steps);
  if (steps.row != 0) {
    for (std::int64_t row = 0; row < block.rows; ++row, to += block.columns, from += steps.row)
      load_row<E>(to, from, block.columns, steps.column);
    return;
  }
  load_row<E>(to, from, block.columns, steps.column);
  const std::int64_t count = block.columns * block.rows;
  for (std::int64_t done = block.columns; done < count; done *= 2)
    std::copy_n(to, std::min(done, count - done), to + done);
}

template <typename E>
void store_row(std::byte* __restrict to, const typename E::Lane* __restrict from, std::int64_t count,
               std::int64_t step) {
  using Stored = typename E::Stored;
  constexpr std::int64_t size = sizeof(Stored);
  if (step == size) {
    for (std::int64_t i = 0; i < count; ++i) write<Stored>(to + i * size, E::encode(from[i]));
  } else {
    for (std::int64_t i = 0; i < count; ++i, to += step) write<Stored>(to, E::encode(from[i]));
  }
}

template <typename E>
void store(std::byte* to, const void* in, Block block, BlockSteps steps) {
  const auto* from = static_cast<const typename E::Lane*>(in);
  block = collapse(block, steps);
  for (std::int64_t row = 0; row < block.rows; ++row, from += block.columns, to += steps.row)
    store_row<E>(to, from, block.columns, steps.column);
}

template <typename E>
void narrow(void* out, const void* in, std::int64_t count) {
  auto* to = static_cast<typename E::Lane*>(out);
  const auto* from = static_cast<const typename E::Lane*>(in);
  for (std::int64_t i = 0; i < count; ++i) to[i] = E::narrow(from[i]);
}

// Integer sums wrap once at the end: the width divides the lane's. Floats round after every addition.
template <typename Op, typename E>
void fold(void* accumulators, const void* in, Block block) {
  using Lane = typename E::Lane;
  auto* to = static_cast<Lane*>(accumulators);
  const auto* from = static_cast<const Lane*>(in);
  for (std::int64_t row = 0; row < block.rows; ++row, from += block.columns) {
    Lane result = to[row];
    for (std::int64_t i = 0; i < block.columns; ++i) {
      result = Op::apply(result, from[i]);
      if constexpr (std::is_same_v<Lane, float>) result = E::narrow(result);
    }
    to[row] = E::narrow(result);
  }
}

}  // namespace
}  // namespace accord::ACCORD_LANES

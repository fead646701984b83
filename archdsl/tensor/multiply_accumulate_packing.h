// No include guard: included once per instruction set (see lane_table.h).
//
// Both factors of a product are packed into panels of 32-bit cells: a float, or two consecutive k as a pair of 16-bit
// integers, which one instruction multiplies and adds.

namespace accord::ACCORD_LANES {
namespace {

template <typename T, int count>
struct Several {
  typedef T Type __attribute__((vector_size(count * sizeof(T))));
};

// Explicit vectors: the compiler's own choice is far wider than the rows of small tiles.
template <typename E, typename To, int count>
typename Several<To, count>::Type load_widened(const std::byte* at) {
  typename Several<typename E::Stored, count>::Type stored;
  __builtin_memcpy(&stored, at, sizeof stored);
  // Doubling the width is one instruction; the compiler takes elements apart for more.
  const auto halfway = __builtin_convertvector(stored, typename Several<std::int16_t, count>::Type);
  auto wide = __builtin_convertvector(halfway, typename Several<To, count>::Type);
  if constexpr (std::is_base_of_v<Nibble, E>) {
    constexpr int unused = sizeof(To) * 8 - 4;
    wide = (wide << unused) >> unused;
  }
  return wide;
}

struct IntegerProduct {
  using Cell = std::int32_t;
  static constexpr std::int64_t per_cell = 2;

  template <typename E>
  static std::uint32_t half(const std::byte* at) {
    return static_cast<std::uint16_t>(E::decode(read<typename E::Stored>(at)));
  }
  template <typename E>
  static Cell pack(const std::byte* at, std::int64_t step, std::int64_t left) {
    return static_cast<Cell>(half<E>(at) | (left > 1 ? half<E>(at + step) << 16 : 0));
  }

  // `cells` cells from elements that follow one another along k.
  template <typename E>
  static void pack_contiguous(Cell* __restrict to, const std::byte* __restrict from, std::int64_t cells) {
    constexpr int chunk = ACCORD_VECTOR_BYTES < 32 ? ACCORD_VECTOR_BYTES / 4 : 8;
    std::int64_t p = 0;
    for (; p + chunk <= cells; p += chunk) {
      const auto halves = load_widened<E, std::int16_t, 2 * chunk>(
          from + p * 2 * static_cast<std::int64_t>(sizeof(typename E::Stored)));
      __builtin_memcpy(to + p, &halves, sizeof halves);
    }
    for (; p < cells; ++p) {
      constexpr std::int64_t size = sizeof(typename E::Stored);
      to[p] = pack<E>(from + p * 2 * size, size, 2);
    }
  }

  // One cell for each of `count` elements that follow one another, and of those `step` further.
  template <typename E>
  static void pack_pairs(Cell* to, const std::byte* from, std::int64_t step, std::int64_t count, std::int64_t left) {
    std::int64_t o = 0;
    if (left > 1) {
      o = pack_chunks<E, ACCORD_VECTOR_BYTES / 4>(to, from, step, 0, count);
      o = pack_chunks<E, 4>(to, from, step, o, count);
    }
    for (; o < count; ++o)
      to[o] = pack<E>(from + o * static_cast<std::int64_t>(sizeof(typename E::Stored)), step, left);
  }

 private:
  template <typename E, int chunk>
  static std::int64_t pack_chunks(Cell* __restrict to, const std::byte* __restrict from, std::int64_t step,
                                  std::int64_t o, std::int64_t count) {
    using Cells = typename Several<std::uint32_t, chunk>::Type;
    for (; o + chunk <= count; o += chunk) {
      const std::byte* at = from + o * static_cast<std::int64_t>(sizeof(typename E::Stored));
      const auto low = (Cells)load_widened<E, std::int32_t, chunk>(at);
      const auto high = (Cells)load_widened<E, std::int32_t, chunk>(at + step);
      const Cells cells = (low & 0xFFFFu) | (high << 16);
      __builtin_memcpy(to + o, &cells, sizeof cells);
    }
    return o;
  }
};

struct FloatProduct {
  using Cell = float;
  static constexpr std::int64_t per_cell = 1;

  template <typename E>
  static Cell pack(const std::byte* at, std::int64_t, std::int64_t) {
    return E::decode(read<typename E::Stored>(at));
  }
  template <typename E>
  static void pack_contiguous(Cell* __restrict to, const std::byte* __restrict from, std::int64_t cells) {
    constexpr std::int64_t size = sizeof(typename E::Stored);
    for (std::int64_t p = 0; p < cells; ++p) to[p] = pack<E>(from + p * size, size, 1);
  }
  template <typename E>
  static void pack_pairs(Cell* __restrict to, const std::byte* __restrict from, std::int64_t, std::int64_t count,
                         std::int64_t) {
    pack_contiguous<E>(to, from, count);
  }
};

/// Cells that hold k elements.
template <typename P>
constexpr std::int64_t depth_of(std::int64_t k) {
  return (k + P::per_cell - 1) / P::per_cell;
}

/// Where a factor lies: its own dimension (rows of a, columns of b) and k.
struct Factor {
  const std::byte* base;
  std::int64_t outer_step;
  std::int64_t k_step;
};

template <typename E>
constexpr std::int64_t stored_bytes = sizeof(typename E::Stored);

// As [outer][cell of k], `depth` cells each.
template <typename P, typename E>
void pack_along_k(typename P::Cell* panel, Factor factor, std::int64_t outer, std::int64_t k) {
  constexpr std::int64_t taken = P::per_cell;
  const std::int64_t whole = k / taken;
  for (std::int64_t o = 0; o < outer; ++o) {
    const std::byte* __restrict from = factor.base + o * factor.outer_step;
    auto* __restrict to = panel + o * depth_of<P>(k);
    if (factor.k_step == stored_bytes<E>) {
      P::template pack_contiguous<E>(to, from, whole);
    } else {
      const std::int64_t step = factor.k_step;
      for (std::int64_t p = 0; p < whole; ++p) to[p] = P::template pack<E>(from + p * taken * step, step, taken);
    }
    if (whole * taken < k) to[whole] = P::template pack<E>(from + whole * taken * factor.k_step, factor.k_step, 1);
  }
}

// As [cell of k][outer], `width` cells each; those beyond `outer` are zero.
template <typename P, typename E>
void pack_across_k(typename P::Cell* panel, Factor factor, std::int64_t outer, std::int64_t k, std::int64_t width) {
  for (std::int64_t p = 0; p < depth_of<P>(k); ++p) {
    const std::byte* __restrict from = factor.base + p * P::per_cell * factor.k_step;
    auto* __restrict to = panel + p * width;
    const std::int64_t left = k - p * P::per_cell;
    if (factor.outer_step == stored_bytes<E>) {
      P::template pack_pairs<E>(to, from, factor.k_step, outer, left);
    } else {
      for (std::int64_t o = 0; o < outer; ++o)
        to[o] = P::template pack<E>(from + o * factor.outer_step, factor.k_step, left);
    }
    for (std::int64_t o = outer; o < width; ++o) to[o] = 0;
  }
}

// From [outer][depth] to [depth][width].
template <typename Cell>
void transpose(const Cell* from, Cell* to, std::int64_t outer, std::int64_t depth, std::int64_t width) {
  typedef Cell Four __attribute__((vector_size(16)));
  std::int64_t o = 0;
  for (; o + 4 <= outer; o += 4) {
    std::int64_t p = 0;
    for (; p + 4 <= depth; p += 4) {
      Four row[4];
      for (int r = 0; r < 4; ++r) __builtin_memcpy(&row[r], from + (o + r) * depth + p, 16);
      const Four low02 = __builtin_shufflevector(row[0], row[2], 0, 4, 1, 5);
      const Four low13 = __builtin_shufflevector(row[1], row[3], 0, 4, 1, 5);
      const Four high02 = __builtin_shufflevector(row[0], row[2], 2, 6, 3, 7);
      const Four high13 = __builtin_shufflevector(row[1], row[3], 2, 6, 3, 7);
      const Four column[4] = {
          __builtin_shufflevector(low02, low13, 0, 4, 1, 5), __builtin_shufflevector(low02, low13, 2, 6, 3, 7),
          __builtin_shufflevector(high02, high13, 0, 4, 1, 5), __builtin_shufflevector(high02, high13, 2, 6, 3, 7)};
      for (int c = 0; c < 4; ++c) __builtin_memcpy(to + (p + c) * width + o, &column[c], 16);
    }
    for (; p < depth; ++p)
      for (int r = 0; r < 4; ++r) to[p * width + o + r] = from[(o + r) * depth + p];
  }
  for (; o < width; ++o)
    for (std::int64_t p = 0; p < depth; ++p) to[p * width + o] = o < outer ? from[o * depth + p] : Cell{0};
}

/// A panel's distances between its own dimension's cells and between those of k.
struct PanelSteps {
  std::int64_t outer, k;
};

// In the order in which the factor lies in memory.
template <typename P, typename E>
PanelSteps pack_rows(typename P::Cell* panel, Factor a, std::int64_t rows, std::int64_t k) {
  if (a.outer_step == stored_bytes<E> && a.k_step != stored_bytes<E>) {
    pack_across_k<P, E>(panel, a, rows, k, rows);
    return {1, rows};
  }
  pack_along_k<P, E>(panel, a, rows, k);
  return {depth_of<P>(k), 1};
}

template <typename P, typename E>
void pack_columns(typename P::Cell* panel, Factor b, std::int64_t columns, std::int64_t k, std::int64_t width,
                  typename P::Cell* scratch) {
  if (b.k_step != stored_bytes<E> || columns < 4) return pack_across_k<P, E>(panel, b, columns, k, width);
  pack_along_k<P, E>(scratch, b, columns, k);
  transpose(scratch, panel, columns, depth_of<P>(k), width);
}

template <typename P>
struct Packers {
  using Cell = typename P::Cell;
  PanelSteps (*rows[LaneTable::element_types])(Cell*, Factor, std::int64_t, std::int64_t) = {};
  void (*columns[LaneTable::element_types])(Cell*, Factor, std::int64_t, std::int64_t, std::int64_t, Cell*) = {};
};

template <typename P, ElementType... type>
constexpr Packers<P> make_packers() {
  Packers<P> result;
  ((result.rows[static_cast<std::size_t>(type)] = pack_rows<P, ElementOf<type>>), ...);
  ((result.columns[static_cast<std::size_t>(type)] = pack_columns<P, ElementOf<type>>), ...);
  return result;
}

template <typename P>
constexpr Packers<P> packers = {};
template <>
constexpr Packers<IntegerProduct> packers<IntegerProduct> =
    make_packers<IntegerProduct, ElementType::i4, ElementType::i8, ElementType::u8, ElementType::i16>();
template <>
constexpr Packers<FloatProduct> packers<FloatProduct> =
    make_packers<FloatProduct, ElementType::fp8e4m3, ElementType::fp8e5m2, ElementType::fp16, ElementType::bf16,
                 ElementType::fp32>();

}  // namespace
}  // namespace accord::ACCORD_LANES

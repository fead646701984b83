// No include guard: included once per instruction set, after lane_elements.h (see lane_table.h).
//
// Both factors are packed into panels of 32-bit cells: a float, or two consecutive k as a pair of 16-bit integers,
// which one instruction multiplies and adds. The panels are then multiplied in register tiles.

namespace accord::ACCORD_LANES {
namespace {

template <typename T>
struct Vector {
  static constexpr std::int64_t lanes = ACCORD_VECTOR_BYTES / 4;
  typedef T Type __attribute__((vector_size(ACCORD_VECTOR_BYTES)));
};
using Integers = Vector<std::int32_t>::Type;
using Floats = Vector<float>::Type;

using Unsigneds = Vector<std::uint32_t>::Type;

// Sums of products of the pairs; additions wrap around.
inline Integers multiply_pairs(Integers a, Integers b) {
#if ACCORD_VECTOR_BYTES == 64
  return (Integers)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif ACCORD_VECTOR_BYTES == 32
  return (Integers)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (Integers)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  const auto low = [](Integers pair) { return (Unsigneds)((Integers)((Unsigneds)pair << 16) >> 16); };
  const auto high = [](Integers pair) { return (Unsigneds)(pair >> 16); };
  return (Integers)(low(a) * low(b) + high(a) * high(b));
#endif
}

inline Integers multiply_add(Integers sum, Integers a, Integers b) {
  return (Integers)((Unsigneds)sum + (Unsigneds)multiply_pairs(a, b));
}

inline Floats multiply_add(Floats sum, Floats a, Floats b) { return sum + a * b; }

struct IntegerProduct {
  using Cell = std::int32_t;
  static constexpr std::int64_t per_cell = 2;

  template <typename E>
  static Cell pack(const std::byte* at, std::int64_t step, std::int64_t left) {
    const auto low = static_cast<std::uint16_t>(E::decode(read<typename E::Stored>(at)));
    const auto high = left > 1 ? static_cast<std::uint16_t>(E::decode(read<typename E::Stored>(at + step))) : 0u;
    return static_cast<Cell>(low | static_cast<std::uint32_t>(high) << 16);
  }
};

struct FloatProduct {
  using Cell = float;
  static constexpr std::int64_t per_cell = 1;

  template <typename E>
  static Cell pack(const std::byte* at, std::int64_t, std::int64_t) {
    return E::decode(read<typename E::Stored>(at));
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
      constexpr std::int64_t step = stored_bytes<E>;
      for (std::int64_t p = 0; p < whole; ++p) to[p] = P::template pack<E>(from + p * taken * step, step, taken);
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
    if (factor.outer_step == stored_bytes<E> && left >= P::per_cell) {
      for (std::int64_t o = 0; o < outer; ++o)
        to[o] = P::template pack<E>(from + o * stored_bytes<E>, factor.k_step, P::per_cell);
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
  typedef std::int32_t Order __attribute__((vector_size(16)));
  std::int64_t o = 0;
  for (; o + 4 <= outer; o += 4) {
    std::int64_t p = 0;
    for (; p + 4 <= depth; p += 4) {
      Four row[4];
      for (int r = 0; r < 4; ++r) __builtin_memcpy(&row[r], from + (o + r) * depth + p, 16);
      const Four low02 = __builtin_shuffle(row[0], row[2], Order{0, 4, 1, 5});
      const Four low13 = __builtin_shuffle(row[1], row[3], Order{0, 4, 1, 5});
      const Four high02 = __builtin_shuffle(row[0], row[2], Order{2, 6, 3, 7});
      const Four high13 = __builtin_shuffle(row[1], row[3], Order{2, 6, 3, 7});
      const Four column[4] = {__builtin_shuffle(low02, low13, Order{0, 4, 1, 5}),
                              __builtin_shuffle(low02, low13, Order{2, 6, 3, 7}),
                              __builtin_shuffle(high02, high13, Order{0, 4, 1, 5}),
                              __builtin_shuffle(high02, high13, Order{2, 6, 3, 7})};
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

template <typename Cell>
using VectorOf = typename Vector<Cell>::Type;

template <typename Cell>
VectorOf<Cell> load_vector(const std::byte* at, std::int64_t step, std::int64_t count) {
  VectorOf<Cell> result = {};
  if (step == 4 && count == Vector<Cell>::lanes) {
    __builtin_memcpy(&result, at, sizeof result);
  } else {
    Cell lanes[Vector<Cell>::lanes] = {};
    for (std::int64_t i = 0; i < count; ++i) lanes[i] = read<Cell>(at + i * step);
    __builtin_memcpy(&result, lanes, sizeof result);
  }
  return result;
}

template <typename Cell>
void store_vector(std::byte* at, std::int64_t step, std::int64_t count, VectorOf<Cell> value) {
  if (step == 4 && count == Vector<Cell>::lanes) {
    __builtin_memcpy(at, &value, sizeof value);
  } else {
    Cell lanes[Vector<Cell>::lanes];
    __builtin_memcpy(lanes, &value, sizeof value);
    for (std::int64_t i = 0; i < count; ++i) write<Cell>(at + i * step, lanes[i]);
  }
}

/// A tile of c and the panels it sums over.
template <typename Cell>
struct Tile {
  const Cell* a;
  const Cell* b;
  std::byte* c;
  PanelSteps a_steps;
  std::int64_t depth, width, columns, c_i, c_j;
};

template <typename Cell, int rows, int vectors>
void multiply_tile(const Tile<Cell>& tile) {
  using V = VectorOf<Cell>;
  constexpr std::int64_t lanes = Vector<Cell>::lanes;
  V sum[rows][vectors];
  const auto valid = [&](int v) { return std::min(lanes, tile.columns - v * lanes); };
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      sum[r][v] = load_vector<Cell>(tile.c + r * tile.c_i + v * lanes * tile.c_j, tile.c_j, valid(v));
  for (std::int64_t p = 0; p < tile.depth; ++p) {
    V b[vectors];
    __builtin_memcpy(b, tile.b + p * tile.width, sizeof b);
    for (int r = 0; r < rows; ++r) {
      const V a = tile.a[r * tile.a_steps.outer + p * tile.a_steps.k] - V{};
      for (int v = 0; v < vectors; ++v) sum[r][v] = multiply_add(sum[r][v], a, b[v]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      store_vector<Cell>(tile.c + r * tile.c_i + v * lanes * tile.c_j, tile.c_j, valid(v), sum[r][v]);
}

template <typename Cell, int vectors>
void multiply_column(Tile<Cell> tile, std::int64_t rows) {
  constexpr int tile_rows = 4;
  for (; rows >= tile_rows; rows -= tile_rows) {
    multiply_tile<Cell, tile_rows, vectors>(tile);
    tile.a += tile_rows * tile.a_steps.outer;
    tile.c += tile_rows * tile.c_i;
  }
  for (; rows > 0; --rows) {
    multiply_tile<Cell, 1, vectors>(tile);
    tile.a += tile.a_steps.outer;
    tile.c += tile.c_i;
  }
}

template <typename Cell>
void multiply_panels(Tile<Cell> tile, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t lanes = Vector<Cell>::lanes;
  for (std::int64_t j = 0; j < columns;) {
    tile.columns = columns - j;
    const std::int64_t taken = tile.columns > lanes ? 2 * lanes : lanes;
    if (tile.columns > lanes)
      multiply_column<Cell, 2>(tile, rows);
    else
      multiply_column<Cell, 1>(tile, rows);
    j += taken;
    tile.b += taken;
    tile.c += taken * tile.c_j;
  }
}

template <typename P>
void multiply(const MatrixProduct& m) {
  using Cell = typename P::Cell;
  constexpr std::int64_t lanes = Vector<Cell>::lanes;
  constexpr std::int64_t block_k = block_depth * P::per_cell;
  auto* a_panel = reinterpret_cast<Cell*>(m.scratch);
  Cell* b_panel = a_panel + block_rows * block_depth;
  const auto pack_a = packers<P>.rows[static_cast<std::size_t>(m.a_type)];
  const auto pack_b = packers<P>.columns[static_cast<std::size_t>(m.b_type)];
  for (std::int64_t j = 0; j < m.j; j += block_columns) {
    const std::int64_t columns = std::min(block_columns, m.j - j);
    const std::int64_t width = (columns + lanes - 1) / lanes * lanes;
    for (std::int64_t k = 0; k < m.k; k += block_k) {
      const std::int64_t depth_k = std::min(block_k, m.k - k);
      pack_b(b_panel, {m.b + k * m.b_k + j * m.b_j, m.b_j, m.b_k}, columns, depth_k, width, a_panel);
      for (std::int64_t i = 0; i < m.i; i += block_rows) {
        const std::int64_t rows = std::min(block_rows, m.i - i);
        const PanelSteps a_steps = pack_a(a_panel, {m.a + k * m.a_k + i * m.a_i, m.a_i, m.a_k}, rows, depth_k);
        multiply_panels<Cell>({a_panel, b_panel, m.c + i * m.c_i + j * m.c_j, a_steps, depth_of<P>(depth_k), width,
                               columns, m.c_i, m.c_j},
                              rows, columns);
      }
    }
  }
}

void multiply_accumulate_integer(const MatrixProduct& product) { multiply<IntegerProduct>(product); }
void multiply_accumulate_float(const MatrixProduct& product) { multiply<FloatProduct>(product); }

}  // namespace
}  // namespace accord::ACCORD_LANES

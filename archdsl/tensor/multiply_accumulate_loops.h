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

inline Integers multiply_add(Integers sum, Integers a, Integers b) {
#if ACCORD_VECTOR_BYTES == 64
  return sum + (Integers)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif ACCORD_VECTOR_BYTES == 32
  return sum + (Integers)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return sum + (Integers)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  typedef std::uint32_t Unsigneds __attribute__((vector_size(ACCORD_VECTOR_BYTES)));
  const auto low = [](Integers pair) { return (Unsigneds)((Integers)((Unsigneds)pair << 16) >> 16); };
  const auto high = [](Integers pair) { return (Unsigneds)(pair >> 16); };
  return (Integers)((Unsigneds)sum + low(a) * low(b) + high(a) * high(b));
#endif
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

/// Where a factor lies: its own dimension (rows of a, columns of b) and k.
struct Factor {
  const std::byte* base;
  std::int64_t outer_step;
  std::int64_t k_step;
};

// a as [row][cell of k], row length `depth`.
template <typename P, typename E>
void pack_rows(typename P::Cell* panel, Factor a, std::int64_t rows, std::int64_t k, std::int64_t depth) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::byte* __restrict from = a.base + row * a.outer_step;
    auto* __restrict to = panel + row * depth;
    const std::int64_t whole = k / P::per_cell;
    if (a.k_step == static_cast<std::int64_t>(sizeof(typename E::Stored))) {
      constexpr std::int64_t size = sizeof(typename E::Stored);
      for (std::int64_t p = 0; p < whole; ++p)
        to[p] = P::template pack<E>(from + p * P::per_cell * size, size, P::per_cell);
    } else {
      for (std::int64_t p = 0; p < whole; ++p)
        to[p] = P::template pack<E>(from + p * P::per_cell * a.k_step, a.k_step, P::per_cell);
    }
    if (whole < depth) to[whole] = P::template pack<E>(from + whole * P::per_cell * a.k_step, a.k_step, 1);
  }
}

// b as [cell of k][column], row length `width`; columns beyond are zero.
template <typename P, typename E>
void pack_columns(typename P::Cell* panel, Factor b, std::int64_t columns, std::int64_t k, std::int64_t width) {
  constexpr std::int64_t size = sizeof(typename E::Stored);
  for (std::int64_t p = 0; p * P::per_cell < k; ++p) {
    const std::byte* __restrict from = b.base + p * P::per_cell * b.k_step;
    auto* __restrict to = panel + p * width;
    const std::int64_t left = k - p * P::per_cell;
    if (b.outer_step == size && left >= P::per_cell) {
      for (std::int64_t j = 0; j < columns; ++j)
        to[j] = P::template pack<E>(from + j * size, b.k_step, P::per_cell);
    } else {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = P::template pack<E>(from + j * b.outer_step, b.k_step, left);
    }
    for (std::int64_t j = columns; j < width; ++j) to[j] = 0;
  }
}

template <typename P>
struct Packers {
  using Pack = void (*)(typename P::Cell*, Factor, std::int64_t, std::int64_t, std::int64_t);
  Pack rows[LaneTable::element_types] = {};
  Pack columns[LaneTable::element_types] = {};
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
VectorOf<Cell> load_row(const std::byte* at, std::int64_t step, std::int64_t count) {
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
void store_row(std::byte* at, std::int64_t step, std::int64_t count, VectorOf<Cell> value) {
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
      sum[r][v] = load_row<Cell>(tile.c + r * tile.c_i + v * lanes * tile.c_j, tile.c_j, valid(v));
  for (std::int64_t p = 0; p < tile.depth; ++p) {
    V b[vectors];
    __builtin_memcpy(b, tile.b + p * tile.width, sizeof b);
    for (int r = 0; r < rows; ++r) {
      const V a = tile.a[r * tile.depth + p] - V{};
      for (int v = 0; v < vectors; ++v) sum[r][v] = multiply_add(sum[r][v], a, b[v]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      store_row<Cell>(tile.c + r * tile.c_i + v * lanes * tile.c_j, tile.c_j, valid(v), sum[r][v]);
}

template <typename Cell, int vectors>
void multiply_column(Tile<Cell> tile, std::int64_t rows) {
  constexpr int tile_rows = 4;
  for (; rows >= tile_rows; rows -= tile_rows) {
    multiply_tile<Cell, tile_rows, vectors>(tile);
    tile.a += tile_rows * tile.depth;
    tile.c += tile_rows * tile.c_i;
  }
  for (; rows > 0; --rows) {
    multiply_tile<Cell, 1, vectors>(tile);
    tile.a += tile.depth;
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
      const std::int64_t depth = (depth_k + P::per_cell - 1) / P::per_cell;
      pack_b(b_panel, {m.b + k * m.b_k + j * m.b_j, m.b_j, m.b_k}, columns, depth_k, width);
      for (std::int64_t i = 0; i < m.i; i += block_rows) {
        const std::int64_t rows = std::min(block_rows, m.i - i);
        pack_a(a_panel, {m.a + k * m.a_k + i * m.a_i, m.a_i, m.a_k}, rows, depth_k, depth);
        multiply_panels<Cell>({a_panel, b_panel, m.c + i * m.c_i + j * m.c_j, depth, width, columns, m.c_i, m.c_j},
                              rows, columns);
      }
    }
  }
}

void multiply_accumulate_integer(const MatrixProduct& product) { multiply<IntegerProduct>(product); }
void multiply_accumulate_float(const MatrixProduct& product) { multiply<FloatProduct>(product); }

}  // namespace
}  // namespace accord::ACCORD_LANES

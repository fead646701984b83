// No include guard: included once per instruction set (see lane_table.h).
//
// Packed panels multiplied in tiles of registers.

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

// Rows of a tile whose sums, two vectors each, fit in the registers beside the two of b, one of a and a product.
constexpr int tile_rows = ACCORD_VECTOR_BYTES == 64 ? 8 : ACCORD_VECTOR_BYTES == 32 ? 6 : 4;

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

template <typename Cell>
using VectorOf = typename Vector<Cell>::Type;

// Fewer than a whole vector of cells.
template <typename Cell>
void copy_cells(Cell* lanes, const std::byte* at, std::int64_t step, std::int64_t count) {
  std::int64_t i = 0;
  for (; step == 4 && i + 4 <= count; i += 4) __builtin_memcpy(lanes + i, at + i * 4, 16);
  for (; i < count; ++i) lanes[i] = read<Cell>(at + i * step);
}
template <typename Cell>
void copy_cells(std::byte* at, const Cell* lanes, std::int64_t step, std::int64_t count) {
  std::int64_t i = 0;
  for (; step == 4 && i + 4 <= count; i += 4) __builtin_memcpy(at + i * 4, lanes + i, 16);
  for (; i < count; ++i) write<Cell>(at + i * step, lanes[i]);
}

template <typename Cell>
VectorOf<Cell> load_vector(const void* at) {
  VectorOf<Cell> result;
  __builtin_memcpy(&result, at, sizeof result);
  return result;
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

/// Adds to `rows` rows of whole vectors, `step` bytes apart. Nothing here calls a function: sums that live across a call
/// are kept in memory.
template <typename Cell, int rows, int vectors>
[[gnu::noinline]] void accumulate(const Tile<Cell>& tile, std::byte* c, std::int64_t step) {
  using V = VectorOf<Cell>;
  constexpr std::int64_t lanes = Vector<Cell>::lanes;
  V sum[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[r][v] = load_vector<Cell>(c + r * step + v * static_cast<int>(sizeof(V)));
  const Cell* a = tile.a;
  const Cell* b = tile.b;
  for (std::int64_t p = 0; p < tile.depth; ++p) {
    V weights[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) weights[v] = load_vector<Cell>(b + v * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const V value = a[r * tile.a_steps.outer] - V{};
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[r][v] = multiply_add(sum[r][v], value, weights[v]);
    }
    a += tile.a_steps.k;
    b += tile.width;
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      __builtin_memcpy(c + r * step + v * static_cast<int>(sizeof(V)), &sum[r][v], sizeof(V));
}

template <typename Cell, int rows, int vectors>
void multiply_tile(const Tile<Cell>& tile) {
  constexpr std::int64_t width = vectors * Vector<Cell>::lanes;
  if (tile.c_j == 4 && tile.columns >= width) {
    accumulate<Cell, rows, vectors>(tile, tile.c, tile.c_i);
    return;
  }
  const std::int64_t columns = std::min(width, tile.columns);
  Cell sums[rows][width] = {};
  for (int r = 0; r < rows; ++r) copy_cells(sums[r], tile.c + r * tile.c_i, tile.c_j, columns);
  accumulate<Cell, rows, vectors>(tile, reinterpret_cast<std::byte*>(sums), sizeof sums[0]);
  for (int r = 0; r < rows; ++r) copy_cells(tile.c + r * tile.c_i, sums[r], tile.c_j, columns);
}

/// As many tiles of `tile_rows` as there are rows for; the rest in tiles of fewer.
template <typename Cell, int vectors, int tile_rows>
void multiply_column(Tile<Cell> tile, std::int64_t rows) {
  for (; rows >= tile_rows; rows -= tile_rows) {
    multiply_tile<Cell, tile_rows, vectors>(tile);
    tile.a += tile_rows * tile.a_steps.outer;
    tile.c += tile_rows * tile.c_i;
  }
  constexpr int fewer = tile_rows > 4 ? 4 : tile_rows / 2;
  if constexpr (fewer > 0) {
    if (rows > 0) multiply_column<Cell, vectors, fewer>(tile, rows);
  }
}

template <typename Cell>
void multiply_panels(Tile<Cell> tile, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t lanes = Vector<Cell>::lanes;
  for (std::int64_t j = 0; j < columns;) {
    tile.columns = columns - j;
    const std::int64_t taken = tile.columns > lanes ? 2 * lanes : lanes;
    if (tile.columns > lanes)
      multiply_column<Cell, 2, tile_rows>(tile, rows);
    else
      multiply_column<Cell, 1, tile_rows>(tile, rows);
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

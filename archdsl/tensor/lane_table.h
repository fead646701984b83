#pragma once

#include <cstddef>
#include <cstdint>

#include "archdsl/tensor/expression.h"
#include "archdsl/tensor/multiply_accumulate.h"
#include "archdsl/tensor/statement.h"

namespace accord {

/// How a block of values is held while a kernel computes: integers up to 32 bits, i64, all floats.
enum class LaneType : std::uint8_t { i32, i64, f32 };

// Rows of tables.
constexpr std::size_t at(ExprOp op) { return static_cast<std::size_t>(op); }
constexpr std::size_t at(ElementType type) { return static_cast<std::size_t>(type); }
constexpr std::size_t at(LaneType type) { return static_cast<std::size_t>(type); }

constexpr LaneType lane_type(ElementType type) {
  if (type >= ElementType::fp8e4m3) return LaneType::f32;
  return type == ElementType::i64 ? LaneType::i64 : LaneType::i32;
}

/// A rectangle of elements in memory, held as rows * columns lanes one after another.
struct Block {
  std::int64_t columns = 1;
  std::int64_t rows = 1;
};
struct BlockSteps {
  std::int64_t column = 0;  ///< bytes
  std::int64_t row = 0;
};

/// Loops over lanes, one function per operation and type, compiled for several instruction sets.
/// `out` may be equal to an input. A scalar argument is a single lane.
struct LaneTable {
  static constexpr int lane_types = 3;
  static constexpr int element_types = 11;
  static constexpr int operations = expression_operations;
  enum Mode { vector_vector, vector_scalar, scalar_vector, modes };

  using Unary = void (*)(void* out, const void* in, std::int64_t count);
  using Binary = void (*)(void* out, const void* a, const void* b, std::int64_t count);
  using Select = void (*)(void* out, const void* condition, const void* yes, const void* no, std::int64_t count);
  using Load = void (*)(void* out, const std::byte* from, Block block, BlockSteps steps);
  using Store = void (*)(std::byte* to, const void* in, Block block, BlockSteps steps);
  using Fold = void (*)(void* accumulators, const void* in, Block block);

  Unary unary[operations][lane_types] = {};
  Binary binary[operations][lane_types][modes] = {};
  Select select[lane_types][lane_types] = {};     ///< by the type of the condition and of the values
  Unary convert[lane_types][element_types] = {};  ///< the cast to an element type
  Unary narrow[element_types] = {};               ///< wrap-around or rounding after an operation; may be null
  Unary fill[lane_types] = {};                    ///< repeats the first lane
  Load load[element_types] = {};
  Store store[element_types] = {};   ///< of lanes that hold values of the element type
  Fold fold[4][element_types] = {};  ///< by Reduction: each row into its lane, in order
  MultiplyAccumulate multiply_accumulate_integer = nullptr;
  MultiplyAccumulate multiply_accumulate_float = nullptr;
};

/// The table for this processor.
const LaneTable& lane_table();

/// Adds the kernels' loops for one instruction set.
namespace lanes_baseline {
LaneTable make_table();
}
namespace lanes_avx2 {
LaneTable make_table();
}
namespace lanes_avx512 {
LaneTable make_table();
}

}  // namespace accord

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/geometry.h"

namespace accord {

/// How a step's instructions cover a box: each capability dim counts the innermost iterators of its chain in chunks of
/// at most `maximum`; the other iterators are loops around.
struct StepShape {
  struct Dim {
    std::vector<int> counted;  ///< iterators, outermost first
    std::int64_t flat = 1;     ///< their extents multiplied
    std::int64_t maximum = 1;
    std::int64_t multiple = 1;
  };
  std::vector<Dim> dims;
  std::vector<int> loops;  ///< iterators with extent above 1 that no dim counts
  std::string error;
};

/// The tile that a use is addressed in: its layout (null: off-chip memory).
struct UseView {
  int use = -1;
  const Layout* layout = nullptr;
  const HomeStrides* strides = nullptr;
};

/// Byte step of the iterator in the view.
std::int64_t view_step(const Mapping& mapping, const UseView& view, int iterator);

/// What an instruction must give for a free step, an index position of the use's operand: bytes from one index to the
/// next. Nothing where no dim moves along it.
struct FreeStep {
  std::optional<std::int64_t> bytes;
  bool agrees = true;  ///< false: the dims that share the position want different ones
};
FreeStep free_step(const Mapping& mapping, const Capability& capability, const StepShape& shape, const UseView& view,
                   std::size_t position, const Extents& box);

/// Finds how far each chain can be counted in one go in every operand.
StepShape shape_step(const Machine& machine, const Mapping& mapping, int step, const std::vector<UseView>& views,
                     const Extents& box);

}  // namespace accord

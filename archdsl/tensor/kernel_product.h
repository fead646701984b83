#pragma once

#include <optional>

#include "archdsl/tensor/kernel_scratch.h"
#include "archdsl/tensor/statement.h"

namespace accord {

/// A statement of the form `c += T(a) * T(b)` for which there are packed loops (see MatrixProduct).
struct ProductForm {
  std::size_t a = 0;  ///< slots
  std::size_t b = 1;
  ElementType a_type{}, b_type{};
  bool is_float = false;
};

std::optional<ProductForm> match_product(const TensorProgram& program, const Statement& statement);

/// Runs the scratch's loops as matrix products; false, with nothing done, where that is impossible or slower than
/// blocks.
bool run_product(const ProductForm& form, KernelScratch& scratch);

}  // namespace accord

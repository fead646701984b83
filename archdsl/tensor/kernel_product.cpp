#include "archdsl/tensor/kernel_product.h"

#include <algorithm>
#include <utility>

#include "archdsl/tensor/kernel_outer.h"

namespace accord {
namespace {

bool is_narrow_integer(ElementType type) { return !is_float(type) && bits(type) <= 16; }

// The access under the conversion to the product's type; null where it is not that.
const Expr* factor(const Expr& expr, ElementType type) {
  const Expr* access = expr.op == ExprOp::cast && expr.type == type ? expr.args[0].get() : &expr;
  if (access->op != ExprOp::access || expr.type != type) return nullptr;
  const bool fits = type == ElementType::fp32 ? is_float(access->type) : is_narrow_integer(access->type);
  return fits ? access : nullptr;
}

constexpr int none = -1;

struct Roles {
  int i = none, j = none, k = none;
};

class RoleChooser {
 public:
  RoleChooser(const ProductForm& form, const LoopNest& nest) : form_(form), nest_(nest) {}

  Roles choose() const {
    Roles roles;
    for (std::size_t loop = 0; loop < nest_.loops.size(); ++loop) {
      const bool moves_a = nest_.step(loop, form_.a) != 0;
      const bool moves_b = nest_.step(loop, form_.b) != 0;
      if (nest_.target_step(loop) == 0)
        take_reduction(roles.k, loop);
      else if (moves_a != moves_b)
        take_larger(moves_a ? roles.i : roles.j, loop);
    }
    return roles;
  }

  std::int64_t extent(int loop) const { return loop == none ? 1 : nest_.loops[static_cast<std::size_t>(loop)].extent; }
  std::int64_t step(int loop, std::size_t slot) const {
    return loop == none ? 0 : nest_.step(static_cast<std::size_t>(loop), slot);
  }

 private:
  // Sums of floats keep their order only if the innermost reduction is taken.
  void take_reduction(int& role, std::size_t loop) const {
    if (form_.is_float)
      role = static_cast<int>(loop);
    else
      take_larger(role, loop);
  }

  void take_larger(int& role, std::size_t loop) const {
    if (nest_.loops[loop].extent >= extent(role)) role = static_cast<int>(loop);
  }

  const ProductForm& form_;
  const LoopNest& nest_;
};

// Lanes go along j: it should be contiguous in c, or else long.
bool should_swap(const RoleChooser& chooser, const Roles& roles, std::size_t target) {
  const bool i_contiguous = chooser.step(roles.i, target) == 4;
  const bool j_contiguous = chooser.step(roles.j, target) == 4;
  if (roles.j == none || roles.i == none) return roles.j == none;
  if (i_contiguous != j_contiguous) return i_contiguous && chooser.extent(roles.i) >= 4;
  return chooser.extent(roles.i) > chooser.extent(roles.j);
}

// Small products inside many outer points pay more for packing than blocks of lanes cost.
bool is_worthwhile(const RoleChooser& chooser, const Roles& roles, const LoopNest& nest) {
  const std::int64_t j = chooser.extent(roles.j);
  const std::int64_t size = chooser.extent(roles.i) * j * chooser.extent(roles.k);
  const std::size_t inner = std::size_t{roles.i != none} + std::size_t{roles.k != none} + 1;
  return j >= 4 && size >= (nest.loops.size() == inner ? 32 : 256);
}

}  // namespace

std::optional<ProductForm> match_product(const TensorProgram& program, const Statement& statement) {
  const Expr& value = *statement.value;
  const ElementType type = program.operands[static_cast<std::size_t>(statement.target.operand)].type;
  const bool fits = type == ElementType::i32 || type == ElementType::fp32;
  if (!fits || statement.reduction != Reduction::add || value.op != ExprOp::mul || value.type != type) return {};
  const Expr* a = factor(*value.args[0], type);
  const Expr* b = factor(*value.args[1], type);
  if (!a || !b || a->access == b->access) return {};
  for (const Access& access : statement.accesses)
    if (access.operand == statement.target.operand) return {};
  return ProductForm{static_cast<std::size_t>(a->access), static_cast<std::size_t>(b->access), a->type, b->type,
                     is_float(type)};
}

bool run_product(const ProductForm& form, KernelScratch& scratch) {
  const LoopNest& nest = scratch.nest;
  const RoleChooser chooser(form, nest);
  Roles roles = chooser.choose();
  const std::size_t c = nest.slots - 1;
  std::size_t a = form.a;
  std::size_t b = form.b;
  MatrixProduct product;
  product.a_type = form.a_type;
  product.b_type = form.b_type;
  if (should_swap(chooser, roles, c)) {
    std::swap(roles.i, roles.j);
    std::swap(a, b);
    std::swap(product.a_type, product.b_type);
  }
  if (roles.j == none || !is_worthwhile(chooser, roles, nest) || !nest.is_injective()) return false;
  product.i = chooser.extent(roles.i);
  product.j = chooser.extent(roles.j);
  product.k = chooser.extent(roles.k);
  product.a_i = chooser.step(roles.i, a);
  product.a_k = chooser.step(roles.k, a);
  product.b_k = chooser.step(roles.k, b);
  product.b_j = chooser.step(roles.j, b);
  product.c_i = chooser.step(roles.i, c);
  product.c_j = chooser.step(roles.j, c);
  constexpr std::size_t lines = scratch_cells * sizeof(std::int32_t) / sizeof(KernelScratch::Line);
  if (scratch.panels.empty()) scratch.panels.resize(lines);
  product.scratch = reinterpret_cast<std::int32_t*>(scratch.panels.data());
  const LaneTable& table = lane_table();
  const MultiplyAccumulate multiply =
      form.is_float ? table.multiply_accumulate_float : table.multiply_accumulate_integer;
  scratch.outer.clear();
  for (int loop = 0; loop < static_cast<int>(nest.loops.size()); ++loop)
    if (loop != roles.i && loop != roles.j && loop != roles.k) scratch.outer.push_back(static_cast<std::size_t>(loop));
  for_each_outer(nest, scratch.outer, scratch.counters, scratch.pointers, [&] {
    product.a = scratch.pointers[a];
    product.b = scratch.pointers[b];
    product.c = scratch.pointers[c];
    multiply(product);
  });
  return true;
}

}  // namespace accord

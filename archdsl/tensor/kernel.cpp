#include "archdsl/tensor/kernel.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "archdsl/tensor/kernel_blocks.h"
#include "archdsl/tensor/kernel_product.h"

namespace accord {

struct Kernel::Impl {
  CompiledStatement statement;
  std::optional<ProductForm> product;
};

namespace {

KernelScratch& scratch() {
  thread_local KernelScratch instance;
  return instance;
}

// A strided operand has one address and one set of steps, so it can be walked in one way only.
void check_accesses(const Statement& statement) {
  const auto differ = [](const Access& a, const Access& b) { return a.operand == b.operand && a != b; };
  for (std::size_t i = 0; i < statement.accesses.size(); ++i) {
    bool twice = differ(statement.accesses[i], statement.target);
    for (std::size_t j = 0; j < i; ++j) twice |= differ(statement.accesses[i], statement.accesses[j]);
    if (twice) throw std::invalid_argument("a kernel cannot access one operand in two ways");
  }
}

CompiledStatement compile(const TensorProgram& program, const Statement& statement) {
  CompiledStatement result;
  result.tape = make_tape(program, statement);
  result.reduction = statement.reduction;
  const auto add_slot = [&](const Access& access) {
    result.operands.push_back(access.operand);
    result.sizes.push_back(bytes(program.operands[static_cast<std::size_t>(access.operand)].type));
    return program.operands[static_cast<std::size_t>(access.operand)].type;
  };
  for (const Access& access : statement.accesses) {
    add_slot(access);
    result.rules.reads_target |= access.operand == statement.target.operand;
  }
  result.target = add_slot(statement.target);
  result.rules.ordered = is_float(result.target) || result.reduction == Reduction::assign || result.rules.reads_target;
  result.iterators = iterators_of(statement);
  return result;
}

// False where there is nothing to do.
bool collect_loops(const CompiledStatement& statement, std::span<const std::int64_t> extents,
                   std::span<const StridedOperand> operands, KernelScratch& memory) {
  const std::size_t slots = statement.operands.size();
  memory.nest.clear(slots);
  for (const int iterator : statement.iterators) {
    const auto i = static_cast<std::size_t>(iterator);
    if (extents[i] <= 0) return false;
    if (extents[i] == 1) continue;
    const std::span<std::int64_t> steps = memory.nest.add(extents[i]);
    for (std::size_t slot = 0; slot < slots; ++slot)
      steps[slot] = operands[static_cast<std::size_t>(statement.operands[slot])].step[i];
  }
  memory.nest.merge();
  memory.pointers.resize(slots);
  for (std::size_t slot = 0; slot < slots; ++slot)
    memory.pointers[slot] = operands[static_cast<std::size_t>(statement.operands[slot])].base;
  return true;
}

}  // namespace

Kernel::Kernel(const TensorProgram& program, std::size_t statement) : impl_(std::make_unique<Impl>()) {
  assert(statement < program.statements.size());
  const Statement& source = program.statements[statement];
  check_accesses(source);
  impl_->statement = compile(program, source);
  impl_->product = match_product(program, source);
}

Kernel::~Kernel() = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;

void Kernel::run(std::span<const std::int64_t> extents, std::span<const StridedOperand> operands) const {
  KernelScratch& memory = scratch();
  if (!collect_loops(impl_->statement, extents, operands, memory)) return;
  if (impl_->product && run_product(*impl_->product, memory)) return;
  BlockRunner(impl_->statement, memory).run();
}

}  // namespace accord

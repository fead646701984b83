#include "simulator/kernels/prepared_program.h"

#include <algorithm>
#include <cassert>

namespace accord::sim {

namespace {

const Expr& strip_casts(const Expr& expr) { return expr.op == ExprOp::cast ? strip_casts(*expr.args[0]) : expr; }

bool multiplies(const Statement& statement) {
  return statement.reduction == Reduction::add && strip_casts(*statement.value).op == ExprOp::mul;
}

// Wraps, as addresses do; what leaves a memory is found later.
std::int64_t multiply_add(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) +
                                   static_cast<std::uint64_t>(c));
}

struct Separator {
  const TensorProgram& original;
  PreparedProgram& out;
  std::vector<bool> assigned;  // by original operand: an earlier statement gave it a value

  int operand_for(const Access& access) {
    // What another statement looks up need not be the same.
    const auto same = [&](const AccessUse& use) { return access.lookups.empty() && use.access == access; };
    const auto found = std::ranges::find_if(out.uses, same);
    if (found != out.uses.end()) return static_cast<int>(found - out.uses.begin());
    out.program.operands.push_back(original.operands[static_cast<std::size_t>(access.operand)]);
    out.uses.push_back({access.operand, access});
    return static_cast<int>(out.uses.size()) - 1;
  }

  void separate(Statement statement) {
    const bool accumulates = statement.reduction != Reduction::assign;
    for (Access& access : statement.accesses) {
      const bool fresh = !assigned[static_cast<std::size_t>(access.operand)];
      access.operand = operand_for(access);
      AccessUse& use = out.uses[static_cast<std::size_t>(access.operand)];
      if (fresh) use.reads = true;
      use.in_place = false;
    }
    const auto target = static_cast<std::size_t>(statement.target.operand);
    statement.target.operand = operand_for(statement.target);
    AccessUse& use = out.uses[static_cast<std::size_t>(statement.target.operand)];
    if (accumulates && !assigned[target]) {
      use.in_place = !use.reads;
      use.reads = true;
    }
    use.writes = true;
    assigned[target] = true;
    out.program.statements.push_back(std::move(statement));
  }
};

}  // namespace

PreparedProgram::PreparedProgram(const TensorProgram& original) {
  program.iterators = original.iterators;
  Separator separator{original, *this, std::vector<bool>(original.operands.size(), false)};
  for (const Statement& statement : original.statements) separator.separate(statement);
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    kernels.emplace_back(program, s);
    iterators.push_back(iterators_of(program.statements[s]));
    is_mac.push_back(multiplies(program.statements[s]));
  }
}

Placement place(const Access& access, const std::vector<std::int64_t>& index_steps, std::size_t iterators) {
  assert(index_steps.size() == access.indices.size());
  Placement result{0, std::vector<std::int64_t>(iterators, 0)};
  for (std::size_t p = 0; p < access.indices.size(); ++p) {
    result.offset = multiply_add(access.indices[p].offset, index_steps[p], result.offset);
    for (const auto& [iterator, coefficient] : access.indices[p].terms) {
      std::int64_t& step = result.step[static_cast<std::size_t>(iterator)];
      step = multiply_add(coefficient, index_steps[p], step);
    }
  }
  return result;
}

}  // namespace accord::sim

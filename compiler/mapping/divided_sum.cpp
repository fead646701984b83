#include "compiler/mapping/divided_sum.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/beyond.h"
#include "compiler/mapping/expressions.h"
#include "compiler/mapping/plan.h"
#include "compiler/mapping/unused_operands.h"

namespace accord {
namespace {

/// Adds s to the index of what counts k.
void count_parts(Access& access, int k, int s, std::int64_t steps) {
  for (auto& index : access.indices) {
    const auto term = std::ranges::find(index.terms, k, [](const auto& entry) { return entry.first; });
    if (term == index.terms.end()) continue;
    const std::int64_t coefficient = term->second;
    if (steps == 1) index.terms.erase(term);
    index.terms.emplace_back(s, coefficient * steps);
  }
}

class SumDivider {
 public:
  SumDivider(const Work& work, int statement, int iterator, std::int64_t parts)
      : work_(work),
        main_(work.program.statements[static_cast<std::size_t>(statement)]),
        number_(statement),
        k_(iterator) {
    const std::int64_t extent = work.program.iterators[iterator].extent;
    assert(extent % parts == 0 || adds_nothing_beyond(work, statement, iterator));
    made_.steps = ceil_div(extent, parts);
    made_.parts = ceil_div(extent, made_.steps);
    const int target = main_.target.operand;
    made_.sums.type = work.program.operands[target].type;
    made_.sums.shape = work.operands[target].shape;
    made_.sums.shape.insert(made_.sums.shape.begin(), made_.parts);
  }

  DividedSum run() {
    made_.partial = partial();
    made_.adding = adding();
    made_.written = made_.partial.program.statements.back().target.operand;
    made_.read = operand_without_tensor(made_.adding);
    return std::move(made_);
  }

 private:
  /// s, and p indexed by it and as the target is.
  Access add_parts(Work& work) const {
    auto& program = work.program;
    const int part = add_iterator(program, "part", made_.parts);
    Access access = main_.target;
    access.operand = static_cast<int>(program.operands.size());
    access.indices.insert(access.indices.begin(), AffineIndex{{{part, 1}}, 0});
    program.operands.push_back({"sums", made_.sums.type, static_cast<int>(access.indices.size())});
    work.operands.push_back({no_tensor, made_.sums.shape, 0, false});
    return access;
  }

  Work partial() const {
    Work work = work_;
    const Access sums = add_parts(work);
    const int s = static_cast<int>(work.program.iterators.size()) - 1;
    work.program.iterators[k_].extent = made_.steps;
    Statement start, sum = main_;
    start.target = sum.target = sums;
    start.value = expression(ExprOp::constant, made_.sums.type);
    for (auto& access : sum.accesses) count_parts(access, k_, s, made_.steps);
    work.program.statements = {std::move(start), std::move(sum)};
    work.operator_of = {0, 0};
    work.operators.resize(1);
    drop_unused(work);
    return work;
  }

  Work adding() const {
    Work work = work_;
    Statement& sum = work.program.statements[static_cast<std::size_t>(number_)];
    sum.accesses = {add_parts(work)};
    sum.value = read_of(made_.sums.type, 0);
    drop_unused(work);
    return work;
  }

  int operand_without_tensor(const Work& work) const {
    return work.program.statements[static_cast<std::size_t>(number_)].accesses[0].operand;
  }

  const Work& work_;
  const Statement& main_;
  const int number_;
  const int k_;
  DividedSum made_;
};

bool is_written(const Work& work, int operand) {
  return std::ranges::any_of(work.program.statements, [&](const auto& s) { return s.target.operand == operand; });
}

using Terms = decltype(AffineIndex::terms);

/// Of what the statement reads, each cast or not: 0 where one of them is.
bool is_product(const Expr& value) {
  switch (value.op) {
    case ExprOp::access: return true;
    case ExprOp::cast:
    case ExprOp::neg: return is_product(*value.args[0]);
    case ExprOp::mul: return std::ranges::all_of(value.args, [](const ExprPtr& arg) { return is_product(*arg); });
    default: return false;
  }
}

}  // namespace

std::optional<SumCut> cut_of(const Work& work, int statement, int iterator) {
  const Statement& sum = work.program.statements[static_cast<std::size_t>(statement)];
  if (!is_product(*sum.value)) return {};
  for (const auto& access : sum.accesses) {
    if (std::ranges::count(sum.accesses, access.operand, &Access::operand) != 1) continue;
    std::optional<SumCut> cut;
    int counted = 0;
    for (std::size_t i = 0; i < access.indices.size(); ++i) {
      const auto& terms = access.indices[i].terms;
      counted += std::ranges::any_of(terms, [&](const auto& term) { return term.first == iterator; }) ? 1 : 0;
      if (terms == Terms{{iterator, 1}}) cut = SumCut{access.operand, i, access.indices[i].offset};
    }
    if (cut && counted == 1) return cut;
  }
  return {};
}

std::vector<int> summed_iterators(const Work& work, int statement) {
  const Statement& main = work.program.statements[static_cast<std::size_t>(statement)];
  if (main.reduction != Reduction::add || looks_up(main)) return {};
  const auto own = [&](const Access& access) { return is_written(work, access.operand); };
  if (std::ranges::any_of(main.accesses, own)) return {};
  const auto& iterators = work.program.iterators;
  std::vector<int> found;
  for (const int it : iterators_of(main)) {
    if (iterators[it].extent > 1 && !depends(main.target, it)) found.push_back(it);
  }
  std::ranges::stable_sort(found, [&](int a, int b) { return iterators[a].extent > iterators[b].extent; });
  return found;
}

DividedSum divide_sum(const Work& work, int statement, int iterator, std::int64_t parts) {
  return SumDivider(work, statement, iterator, parts).run();
}

}  // namespace accord

#include "compiler/mapping/element_forms.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/mapping/expressions.h"
#include "compiler/mapping/unused_operands.h"

namespace accord {
namespace {

/// Of tensors as they are, in the type of the result.
bool begins_with_sum(const Work& work) {
  const Statement& first = work.program.statements.front();
  if (first.reduction != Reduction::assign || first.value->op != ExprOp::add || looks_up(first)) return false;
  const ElementType type = work.program.operands[first.target.operand].type;
  return first.value->type == type && std::ranges::all_of(first.value->args, [](const ExprPtr& arg) {
           return arg->op == ExprOp::access || (arg->op == ExprOp::cast && arg->args[0]->op == ExprOp::access);
         });
}

int accesses_of(const Statement& statement, int operand) {
  return static_cast<int>(std::ranges::count(statement.accesses, operand, &Access::operand));
}

/// The only statement behind the first that touches its result, which it reads element by element; 0: there is none.
std::size_t only_reader(const Work& work) {
  const auto& statements = work.program.statements;
  const Access& sum = statements.front().target;
  std::size_t reader = 0;
  for (std::size_t s = 1; s < statements.size(); ++s) {
    const int reads = accesses_of(statements[s], sum.operand);
    if (statements[s].target.operand == sum.operand) return 0;
    if (reads == 0) continue;
    if (looks_up(statements[s]) || reader != 0 || reads != 1 || std::ranges::count(statements[s].accesses, sum) != 1)
      return 0;
    reader = s;
  }
  return reader;
}

/// The expression with its accesses at these places of a statement's list.
ExprPtr renumbered(const ExprPtr& expr, const std::vector<int>& places) {
  Expr copy = *expr;
  if (copy.op == ExprOp::access) copy.access = places[static_cast<std::size_t>(copy.access)];
  for (ExprPtr& arg : copy.args) arg = renumbered(arg, places);
  return std::make_shared<const Expr>(std::move(copy));
}

int place_of(std::vector<Access>& accesses, const Access& access) {
  const auto known = std::ranges::find(accesses, access);
  const int place = static_cast<int>(known - accesses.begin());
  if (known == accesses.end()) accesses.push_back(access);
  return place;
}

/// The statement with what the access holds computed in its place.
void compute_there(Statement& reader, const Statement& computed) {
  const int read = place_of(reader.accesses, computed.target);
  std::vector<int> places;
  for (const Access& access : computed.accesses) places.push_back(place_of(reader.accesses, access));
  reader.value = with_access_as(reader.value, read, renumbered(computed.value, places));
  reader.accesses.erase(reader.accesses.begin() + read);
  places.resize(reader.accesses.size() + 1);
  for (int place = 0; place < static_cast<int>(places.size()); ++place) places[place] = place - (place > read ? 1 : 0);
  reader.value = renumbered(reader.value, places);
}

std::optional<Work> read_where_used(const Work& work) {
  const std::size_t at = only_reader(work);
  if (at == 0) return {};
  Work result = work;
  auto& statements = result.program.statements;
  compute_there(statements[at], statements.front());
  statements.erase(statements.begin());
  result.operator_of.erase(result.operator_of.begin());
  drop_unused(result);
  return result;
}

/// The access that one side of the sum reads, through a cast or not.
int read_by(const Statement& sum, std::size_t side) {
  const Expr& read = *sum.value->args[side];
  return (read.op == ExprOp::cast ? *read.args[0] : read).access;
}

/// The target with one side of the sum.
Statement part_of(const Statement& sum, std::size_t side, Reduction reduction) {
  const int access = read_by(sum, side);
  const Expr& value = *sum.value->args[side];
  const ElementType type = (value.op == ExprOp::cast ? *value.args[0] : value).type;
  return {sum.target,
          reduction,
          with_access_as(sum.value->args[side], access, read_of(type, 0)),
          {sum.accesses[static_cast<std::size_t>(access)]}};
}

/// Begun with the side that is constant.
std::optional<Work> added_in_place(const Work& work) {
  const Statement sum = work.program.statements.front();
  for (const std::size_t side : {0, 1}) {
    if (!work.operands[sum.accesses[read_by(sum, side)].operand].constant) continue;
    Work result = work;
    auto& statements = result.program.statements;
    statements.front() = part_of(sum, side, Reduction::assign);
    statements.insert(statements.begin() + 1, part_of(sum, 1 - side, Reduction::add));
    result.operator_of.insert(result.operator_of.begin(), result.operator_of.front());
    return result;
  }
  return {};
}

}  // namespace

std::vector<Work> element_forms(const Work& work) {
  if (!begins_with_sum(work)) return {};
  std::vector<Work> forms;
  if (auto form = read_where_used(work)) forms.push_back(std::move(*form));
  if (auto form = added_in_place(work)) forms.push_back(std::move(*form));
  return forms;
}

}  // namespace accord

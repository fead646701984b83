#include "compiler/mapping/late_start.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "archdsl/tensor/typing.h"
#include "compiler/mapping/expressions.h"

namespace accord {
namespace {

/// What sums begin with, the sums, and what follows.
class LateStart {
 public:
  explicit LateStart(const Work& work)
      : work_(work),
        start_(work.program.statements[0].accesses[0]),
        sums_(work.program.statements[0].target),
        type_(work.program.operands[sums_.operand].type) {}

  Work read_with_it() const {
    Work work = begun_with_zero();
    auto& statements = work.program.statements;
    for (std::size_t s = 2; s < statements.size(); ++s) {
      add_where_read(statements[s]);
      if (statements[s].target == sums_ && statements[s].reduction == Reduction::assign) break;  // it has it now
    }
    return work;
  }

  Work added_apart() const {
    Work work = begun_with_zero();
    Statement adding;
    adding.target = adding.accesses.emplace_back(sums_);
    adding.reduction = Reduction::assign;
    adding.accesses.push_back(start_);
    adding.value = with_start(read_of(type_, 0), 1);
    if (work.program.statements.size() == 2) keep_apart(work, adding);
    insert(work, std::move(adding));
    return work;
  }

  Work added_in_place() const {
    Work work = begun_with_zero();
    Statement adding;
    adding.target = sums_;
    adding.reduction = Reduction::add;
    adding.accesses.push_back(start_);
    adding.value = start_value(0);
    insert(work, std::move(adding));
    return work;
  }

 private:
  Work begun_with_zero() const {
    Work work = work_;
    Statement& start = work.program.statements[0];
    start.accesses.clear();
    start.value = expression(ExprOp::constant, type_);
    return work;
  }

  /// In the sums' type.
  ExprPtr start_value(int access) const {
    return make_cast(read_of(work_.program.operands[start_.operand].type, access), type_);
  }

  ExprPtr with_start(ExprPtr sum, int access) const {
    return expression(ExprOp::add, type_, {std::move(sum), start_value(access)});
  }

  /// Behind the sums.
  static void insert(Work& work, Statement adding) {
    work.program.statements.insert(work.program.statements.begin() + 2, std::move(adding));
    work.operator_of.insert(work.operator_of.begin() + 2, work.operator_of[1]);
  }

  void add_where_read(Statement& statement) const {
    const auto at = std::ranges::find(statement.accesses, sums_);
    if (at == statement.accesses.end()) return;
    const int sum = static_cast<int>(at - statement.accesses.begin());
    const int start = static_cast<int>(statement.accesses.size());
    statement.accesses.push_back(start_);
    statement.value = with_access_as(statement.value, sum, with_start(read_of(type_, sum), start));
  }

  /// Sums that are the work's result become an intermediate one.
  void keep_apart(Work& work, Statement& adding) const {
    auto& program = work.program;
    const int sums = static_cast<int>(program.operands.size());
    program.operands.push_back({"sums", type_, static_cast<int>(sums_.indices.size())});
    work.operands.push_back({no_tensor, work.operands[sums_.operand].shape, 0, false});
    for (std::size_t s = 0; s < 2; ++s) program.statements[s].target.operand = sums;
    adding.accesses[0].operand = sums;
  }

  const Work& work_;
  const Access& start_;
  const Access& sums_;
  const ElementType type_;
};

/// Whether the work is a sum that begins with what a tensor holds, and those that follow read it where it lies.
bool can_start_late(const Work& work) {
  const auto& statements = work.program.statements;
  if (statements.size() < 2 || statements[0].reduction != Reduction::assign) return false;
  if (statements[1].reduction != Reduction::add || statements[0].target != statements[1].target) return false;
  if (statements[0].value->op != ExprOp::access || looks_up(statements[0])) return false;
  const Access& sums = statements[0].target;
  return std::all_of(statements.begin() + 2, statements.end(), [&](const Statement& statement) {
    return std::ranges::all_of(statement.accesses,
                               [&](const Access& access) { return access.operand != sums.operand || access == sums; });
  });
}

}  // namespace

std::vector<Work> with_late_start(const Work& work) {
  if (!can_start_late(work)) return {};
  const LateStart late(work);
  if (work.program.statements.size() == 2) return {late.added_in_place(), late.added_apart()};
  return {late.read_with_it(), late.added_in_place(), late.added_apart()};
}

}  // namespace accord

#include "compiler/mapping/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parse.h"
#include "compiler/mapping/opening.h"

namespace accord {
namespace {

constexpr std::size_t most_matches = 4;  ///< of one capability

using Bindings = std::vector<std::optional<OperandMatch>>;

/// Casts to the type that is there already mean nothing.
const Expr& strip(const Expr& expr) {
  const Expr* e = &expr;
  while (e->op == ExprOp::cast && e->args[0]->op != ExprOp::constant && e->type == e->args[0]->type) {
    e = e->args[0].get();
  }
  return *e;
}

/// Storing converts to the target's type, whether the statement says so or not.
const Expr& before_storing(const TensorProgram& program, const Statement& statement) {
  const Expr* e = &strip(*statement.value);
  while (e->op == ExprOp::cast && e->type == program.operands[statement.target.operand].type) e = &strip(*e->args[0]);
  return *e;
}

bool commutes(ExprOp op) { return op == ExprOp::add || op == ExprOp::mul || op == ExprOp::min || op == ExprOp::max; }

/// The value of one argument under which the operator returns the other.
std::optional<double> identity_of(ExprOp op) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ExprOp::add: return 0;
    case ExprOp::mul: return 1;
    case ExprOp::min: return infinity;
    case ExprOp::max: return -infinity;
    default: return std::nullopt;
  }
}

/// Backtracking unification of a capability's expression (pattern) with the work's (subject).
class Unifier {
 public:
  Unifier(const Capability& capability, const Statement& pattern, const Work& work, const Statement& subject)
      : capability_(capability), pattern_(pattern), work_(work), subject_(subject) {}

  using Continue = std::function<bool(const Bindings&)>;

  bool unify(const Expr& p_in, const Expr& s_in, const Bindings& bindings, const Continue& then) const {
    const Expr& p = strip(p_in);
    const Expr& s = strip(s_in);
    if (p.op == ExprOp::access) return unify_access(pattern_.accesses[p.access].operand, s, bindings, then);
    if (p.op == ExprOp::constant) return unify_constant(p, s, bindings, then);
    // A number is what its conversion is: the operand carries it in its own type.
    if (p.op == ExprOp::cast && constant_of(s)) return unify(*p.args[0], s, bindings, then);
    if (p.op == s.op && (p.op != ExprOp::cast || p.type == s.type) && p.args.size() == s.args.size()) {
      if (unify_arguments(p, s, bindings, then)) return true;
    }
    return unify_identity(p, s, bindings, then);
  }

  /// A constant that the work converts is stored converted.
  std::optional<Bindings> bind_converted(int operand, const Access& access, ElementType type,
                                         const Bindings& bindings) const {
    if (!work_.operands[access.operand].constant) return std::nullopt;
    return bind(operand, access, type, bindings);
  }

  /// Binds a capability operand to an access of the work.
  std::optional<Bindings> bind(int operand, const Access& access, const Bindings& bindings) const {
    return bind(operand, access, work_.program.operands[access.operand].type, bindings);
  }

  std::optional<Bindings> bind(int operand, const Access& access, ElementType type, const Bindings& bindings) const {
    if (capability_.operands[operand].memory < 0) return bind_scalar(operand, access, type, bindings);
    OperandMatch match{OperandMatch::Kind::access, access, 0};
    if (bindings[operand]) {
      const bool same = bindings[operand]->kind == match.kind && bindings[operand]->access == access;
      return same ? std::optional(bindings) : std::nullopt;
    }
    if (capability_.program.operands[operand].type != type) return std::nullopt;
    Bindings extended = bindings;
    extended[operand] = std::move(match);
    return extended;
  }

 private:
  /// An argument of the instruction takes a number that is known when the instruction is made.
  std::optional<Bindings> bind_scalar(int operand, const Access& access, ElementType type,
                                      const Bindings& bindings) const {
    const std::optional<double>& value = work_.operands[access.operand].number;
    if (!value || capability_.program.operands[operand].type != type) return std::nullopt;
    return bind_constant(operand, *value, bindings);
  }

  std::optional<Bindings> bind_constant(int operand, double value, const Bindings& bindings) const {
    if (bindings[operand]) {
      const bool same = bindings[operand]->kind == OperandMatch::Kind::constant && bindings[operand]->constant == value;
      return same ? std::optional(bindings) : std::nullopt;
    }
    if (!can_carry(operand, value)) return std::nullopt;
    Bindings extended = bindings;
    extended[operand] = OperandMatch{OperandMatch::Kind::constant, {}, value};
    return extended;
  }

  /// Whether the operand's type has the number, up to rounding to what tensors have. A limit beyond the type may be the
  /// type's own where results have no more range.
  bool can_carry(int operand, double value) const {
    const ElementType type = capability_.program.operands[operand].type;
    const ElementType result = capability_.program.operands[pattern_.target.operand].type;
    if (std::isinf(value) && lowest(type) <= lowest(result) && highest(type) >= highest(result)) return true;
    if (is_float(type)) return bytes(type) > 1 || round_to(type, value) == value;
    return value == std::trunc(value) && value >= lowest(type) && value <= highest(type);
  }

  bool unify_access(int operand, const Expr& s, const Bindings& bindings, const Continue& then) const {
    std::optional<Bindings> extended;
    if (s.op == ExprOp::access) {
      extended = bind(operand, subject_.accesses[s.access], bindings);
    } else if (s.op == ExprOp::cast && s.args[0]->op == ExprOp::access) {
      extended = bind_converted(operand, subject_.accesses[s.args[0]->access], s.type, bindings);
    } else if (const auto value = constant_of(s)) {
      extended = bind_constant(operand, *value, bindings);
    }
    return extended && then(*extended);
  }

  bool unify_constant(const Expr& p, const Expr& s, const Bindings& bindings, const Continue& then) const {
    const auto value = constant_of(s);
    return value && *value == p.value && then(bindings);
  }

  bool unify_arguments(const Expr& p, const Expr& s, const Bindings& bindings, const Continue& then) const {
    auto in_order = [&](bool swapped) {
      std::function<bool(std::size_t, const Bindings&)> step = [&](std::size_t i, const Bindings& b) {
        if (i == p.args.size()) return then(b);
        const std::size_t j = swapped ? 1 - i : i;
        return unify(*p.args[i], *s.args[j], b, [&](const Bindings& next) { return step(i + 1, next); });
      };
      return step(0, bindings);
    };
    return in_order(false) || (commutes(p.op) && in_order(true));
  }

  /// p = op(A, parameter): A alone where the parameter can take op's identity.
  bool unify_identity(const Expr& p, const Expr& s, const Bindings& bindings, const Continue& then) const {
    const auto identity = identity_of(p.op);
    if (!identity) return false;
    for (int side = 0; side < 2; ++side) {
      const Expr* parameter = p.args[1 - side].get();
      while (parameter->op == ExprOp::cast) parameter = parameter->args[0].get();
      if (parameter->op != ExprOp::access) continue;
      const auto extended = bind_constant(pattern_.accesses[parameter->access].operand, *identity, bindings);
      if (extended && unify(*p.args[side], s, *extended, then)) return true;
    }
    return false;
  }

  const Capability& capability_;
  const Statement& pattern_;
  const Work& work_;
  const Statement& subject_;
};

/// The capability's last statement does the work; one before it may set the target.
bool read_shape(const Capability& capability, Match& match) {
  const auto& statements = capability.program.statements;
  if (statements.size() == 1) return true;
  const auto value = initial_value(capability);
  if (!value) return false;
  match.initialises = true;
  match.initial = *value;
  return true;
}

/// Whether it is a first statement that sets what the second one adds to, to other than a number.
bool sets_target_first(const Capability& capability) {
  const auto& statements = capability.program.statements;
  return statements.size() == 2 && statements[0].reduction == Reduction::assign &&
         statements[0].target == statements[1].target;
}

/// Whether a dim counts along two indices of the operand at once.
bool is_diagonal(const Access& access) {
  std::set<int> counted;
  for (const AffineIndex& index : access.indices) {
    for (const auto& [dim, coefficient] : index.terms) {
      if (!counted.insert(dim).second) return true;
    }
  }
  return false;
}

/// Why no mapping leads to the pattern's operands; empty: one may. Each must be read at one place, which counts from
/// the instruction's address on, in every dim along one of its indices.
std::string misplaced(const Capability& capability, const Statement& pattern) {
  std::vector<Access> accesses = pattern.accesses;
  accesses.push_back(pattern.target);
  std::vector<const Access*> first(capability.operands.size(), nullptr);
  for (const Access& access : accesses) {
    const std::string& name = capability.program.operands[access.operand].name;
    const Access*& known = first[access.operand];
    if (known != nullptr && *known != access) return fmt::format("reads `{}` at two places", name);
    known = &access;
    if (capability.operands[access.operand].memory < 0) continue;
    if (std::ranges::any_of(access.indices, [](const AffineIndex& index) { return index.offset != 0; }))
      return fmt::format("counts an index of `{}` from a constant", name);
    if (is_diagonal(access)) return fmt::format("counts two indices of `{}` by one dim", name);
  }
  return "";
}

/// Every way to match: factors may change places, and any of them may take the identity.
std::vector<Match> match_capability(const Capability& capability, const Work& work, const Statement& subject,
                                    Match match, std::string& reason) {
  if (looks_up(subject)) {
    reason = "has no index that a tensor holds";
    return {};
  }
  if (!read_shape(capability, match)) {
    const bool begins = sets_target_first(capability);
    reason = begins ? "begins with what an operand holds, where only a number is made use of"
                    : "is a sequence of statements";
    return {};
  }
  const Statement& pattern = capability.program.statements.back();
  reason = misplaced(capability, pattern);
  if (!reason.empty()) return {};
  if (pattern.reduction != subject.reduction) {
    reason = fmt::format("has {}, not {}", to_string(pattern.reduction), to_string(subject.reduction));
    return {};
  }
  Unifier unifier(capability, pattern, work, subject);
  const Bindings none(capability.operands.size());
  const auto start = unifier.bind(pattern.target.operand, subject.target, none);
  if (!start) {
    reason = fmt::format("writes {}, not {}", name(capability.program.operands[pattern.target.operand].type),
                         name(work.program.operands[subject.target.operand].type));
    return {};
  }
  std::vector<Match> found;
  const auto add = [&](const Bindings& bindings) {
    match.operands.clear();
    for (const auto& binding : bindings) match.operands.push_back(binding.value_or(OperandMatch{}));
    const auto same = [&](const Match& other) { return other.operands == match.operands; };
    if (std::ranges::any_of(found, same)) return false;
    match.way = static_cast<int>(std::ssize(found));
    found.push_back(match);
    return found.size() == most_matches;
  };
  unifier.unify(*pattern.value, *subject.value, *start, add);
  if (found.empty()) {
    unifier.unify(before_storing(capability.program, pattern), before_storing(work.program, subject), *start, add);
  }
  if (found.empty()) reason = "computes another expression or in other types";
  return found;
}

}  // namespace

std::optional<double> constant_of(const Expr& expr) {
  if (expr.op == ExprOp::constant) return expr.value;
  if (expr.op == ExprOp::cast || expr.op == ExprOp::neg) {
    if (const auto value = constant_of(*expr.args[0])) return expr.op == ExprOp::neg ? -*value : *value;
  }
  return std::nullopt;
}

std::vector<Match> match_statement(const Architecture& architecture, const Work& work, int statement,
                                   std::vector<Rejection>* rejections) {
  std::vector<Match> matches;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    for (std::size_t c = 0; c < unit.capabilities.size(); ++c) {
      Match match;
      match.unit = static_cast<int>(u);
      match.capability = static_cast<int>(c);
      std::string reason;
      auto found = match_capability(unit.capabilities[c], work, work.program.statements[statement], match, reason);
      std::ranges::move(found, std::back_inserter(matches));
      if (found.empty() && rejections != nullptr) {
        rejections->push_back({match.unit, match.capability, unit.name + "." + unit.capabilities[c].name, reason});
      }
    }
  }
  return matches;
}

}  // namespace accord

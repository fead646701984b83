#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/codelets/work.h"

namespace accord {

/// What a capability's operand stands for in a statement of the work.
struct OperandMatch {
  enum class Kind {
    access,    ///< an operand of the work, through `access`
    constant,  ///< a number: a scalar argument, or a vector filled with it (the identity of an unused part)
  };
  Kind kind = Kind::constant;
  Access access;  ///< `access.operand` indexes WorkOperands
  double constant = 0;

  bool operator==(const OperandMatch&) const = default;
};

/// One statement of the work done by one capability: the expressions agree under `operands`.
struct Match {
  int unit = -1;
  int capability = -1;
  int way = 0;                         ///< of the capability's matches, in an order that units that are alike share
  bool initialises = false;            ///< the capability sets its target before it reduces
  double initial = 0;                  ///< to this
  std::vector<OperandMatch> operands;  ///< per operand of the capability
  bool operator==(const Match&) const = default;
};

/// A capability that cannot do the statement, and why.
struct Rejection {
  int unit = -1;
  int index = -1;          ///< of the capability
  std::string capability;  ///< unit.capability
  std::string reason;
};

/// The number that the expression is, through casts and negation; nothing where it reads an operand.
std::optional<double> constant_of(const Expr& expr);

/// All capabilities whose expression, reduction and types agree with the statement: equal trees up to commutativity,
/// casts that change nothing, and parts whose parameter takes its identity (x * 1, x + 0, min(x, inf), max(x, -inf)).
/// (Instruction selection by tree matching on tensor statements: Sotoudeh et al., "ISA Mapper", 2018.)
std::vector<Match> match_statement(const Architecture& architecture, const Work& work, int statement,
                                   std::vector<Rejection>* rejections = nullptr);

}  // namespace accord

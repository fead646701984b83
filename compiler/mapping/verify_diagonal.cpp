#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/mapping/diagonal.h"
#include "compiler/mapping/plan.h"

namespace accord {
namespace {

using Terms = std::map<int, std::int64_t>;

/// Compares the form's statements with the work's, whose iterator is lanes * block + lane.
class FormCheck {
 public:
  FormCheck(const Work& work, const DiagonalForm& form) : work_(work), form_(form) {}

  std::string run() const {
    std::string wrong = iterators();
    const auto& statements = form_.work.program.statements;
    if (statements.size() != work_.program.statements.size()) return "a rewritten statement is missing";
    for (std::size_t s = 0; s < statements.size() && wrong.empty(); ++s) wrong = compare(s);
    return wrong;
  }

 private:
  std::string iterators() const {
    const auto& own = work_.program.iterators;
    const auto& its = form_.work.program.iterators;
    if (its.size() != own.size() + 2) return "a rewritten work has other loops";
    for (std::size_t it = 0; it < own.size(); ++it) {
      if (static_cast<int>(it) != form_.block && its[it].extent != own[it].extent) return "a loop has another extent";
    }
    const bool apart = form_.lane != form_.twin && form_.lane >= std::ssize(own) && form_.twin >= std::ssize(own);
    if (!apart || its[form_.lane].extent != form_.lanes || its[form_.twin].extent != form_.lanes) {
      return "a diagonal is not square";
    }
    const std::int64_t covered = form_.lanes * its[form_.block].extent, whole = own[form_.block].extent;
    return covered < whole || covered - whole >= form_.lanes ? "blocks do not cover their iterator" : "";
  }

  std::string compare(std::size_t s) const {
    const Statement& own = work_.program.statements[s];
    const Statement& now = form_.work.program.statements[s];
    if (own.value != now.value || own.reduction != now.reduction || own.accesses.size() != now.accesses.size()) {
      return fmt::format("rewritten statement {} computes something else", s);
    }
    bool twin = false, diagonal = false;
    for (std::size_t a = 0; a < own.accesses.size(); ++a) {
      const bool sits = on_diagonal(own.accesses[a], now.accesses[a]);
      diagonal = diagonal || (sits && vanishes(*now.value, static_cast<int>(a)));
      twin = twin || depends(now.accesses[a], form_.twin);
      if (!same_place(own.accesses[a], now.accesses[a], sits)) {
        return fmt::format("rewritten statement {} reads another element", s);
      }
    }
    const bool sums = now.reduction == Reduction::add && diagonal;
    if (twin && !sums) return fmt::format("rewritten statement {} adds what the work does not", s);
    if (depends(now.target, form_.twin) || !same_place(own.target, now.target, false) || !stays_apart(own.target)) {
      return fmt::format("rewritten statement {} writes another element", s);
    }
    return "";
  }

  /// Whether the access, of a constant, has one more index: 0 where lane and twin are equal, else beyond its extent.
  bool on_diagonal(const Access& own, const Access& now) const {
    const WorkOperand& operand = form_.work.operands[now.operand];
    if (!operand.constant || now.indices.size() != own.indices.size() + 1) return false;
    const AffineIndex& last = now.indices.back();
    const Terms expected = {{form_.lane, 1}, {form_.twin, -1}};
    return operand.shape.size() == now.indices.size() && operand.shape.back() == 1 && last.offset == 0 &&
           Terms(last.terms.begin(), last.terms.end()) == expected;
  }

  bool same_place(const Access& own, const Access& now, bool diagonal) const {
    if (own.operand != now.operand || own.indices.size() + (diagonal ? 1 : 0) != now.indices.size()) return false;
    if (work_.operands[own.operand].tensor != form_.work.operands[now.operand].tensor) return false;
    if (!own.lookups.empty() || !now.lookups.empty()) return false;
    for (std::size_t i = 0; i < own.indices.size(); ++i) {
      Terms expected, found;
      for (const auto& [it, coefficient] : own.indices[i].terms) {
        if (it != form_.block) {
          expected[it] += coefficient;
          continue;
        }
        if (form_.work.program.iterators[it].extent > 1) expected[it] += form_.lanes * coefficient;
        expected[form_.lane] += coefficient;
      }
      for (const auto& [it, coefficient] : now.indices[i].terms) {
        found[it == form_.twin ? form_.lane : it] += coefficient;
      }
      if (expected != found || own.indices[i].offset != now.indices[i].offset) return false;
    }
    return true;
  }

  /// Results of counts beyond the iterator's end lie beyond the tensor, in its margin.
  bool stays_apart(const Access& target) const {
    const std::int64_t extent = work_.program.iterators[form_.block].extent;
    if (extent % form_.lanes == 0) return true;
    const Shape& shape = work_.operands[target.operand].shape;
    for (std::size_t i = 0; i < target.indices.size(); ++i) {
      std::int64_t least = target.indices[i].offset;
      for (const auto& [it, coefficient] : target.indices[i].terms) {
        const std::int64_t last = work_.program.iterators[it].extent - 1;
        least += it == form_.block ? coefficient * extent : std::min<std::int64_t>(coefficient * last, 0);
        if (it == form_.block && coefficient < 0) least = -1;
      }
      if (depends({target.operand, {target.indices[i]}}, form_.block) && least >= shape[i]) return true;
    }
    return false;
  }

  /// Whether 0 in the access makes the value 0: a product of integers.
  static bool vanishes(const Expr& value, int access) {
    if (value.op == ExprOp::access) return value.access == access;
    if (value.op == ExprOp::cast || value.op == ExprOp::neg) return vanishes(*value.args[0], access);
    if (value.op != ExprOp::mul || is_float(value.type)) return false;
    return vanishes(*value.args[0], access) || vanishes(*value.args[1], access);
  }

  const Work& work_;
  const DiagonalForm& form_;
};

using Point = std::vector<std::int64_t>;

/// Walks the points of one of the form's statements.
class PointWalk {
 public:
  PointWalk(const Work& work, const DiagonalForm& form, std::size_t statement)
      : work_(work),
        form_(form),
        own_(work.program.statements[statement]),
        now_(form.work.program.statements[statement]),
        used_(iterators_of(now_)) {}

  std::string run() {
    Point at(form_.work.program.iterators.size(), 0);
    std::string wrong;
    do {
      wrong = visit(at);
    } while (wrong.empty() && next(at));
    if (!wrong.empty()) return wrong;
    std::int64_t points = 1;
    for (const int it : iterators_of(own_)) points *= work_.program.iterators[it].extent;
    return std::ssize(done_) == points ? "" : "a form does not do every point of the work";
  }

 private:
  bool next(Point& at) const {
    for (auto it = used_.rbegin(); it != used_.rend(); ++it) {
      if (++at[*it] < form_.work.program.iterators[*it].extent) return true;
      at[*it] = 0;
    }
    return false;
  }

  static Point place(const Access& access, const Point& at) {
    Point place;
    for (const auto& index : access.indices) {
      place.push_back(index.offset);
      for (const auto& [it, coefficient] : index.terms) place.back() += coefficient * at[it];
    }
    return place;
  }

  static bool inside(const Point& place, const Shape& shape) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (place[i] < 0 || place[i] >= shape[i]) return false;
    }
    return true;
  }

  /// A point beside the diagonal: a constant is read beyond its last index, so that the product is 0.
  bool beside(const Point& at) const {
    for (std::size_t a = 0; a < now_.accesses.size(); ++a) {
      const Access& access = now_.accesses[a];
      if (access.indices.size() == own_.accesses[a].indices.size()) continue;
      const WorkOperand& operand = form_.work.operands[access.operand];
      const std::int64_t last = place(access, at).back();
      if (operand.constant && (last < 0 || last >= operand.shape.back())) return true;
    }
    return false;
  }

  std::string visit(const Point& at) {
    if (beside(at)) return "";
    Point own(at.begin(), at.begin() + std::ssize(work_.program.iterators));
    own[form_.block] = form_.lanes * at[form_.block] + at[form_.lane];
    if (own[form_.block] >= work_.program.iterators[form_.block].extent) {
      const bool margin = !inside(place(now_.target, at), form_.work.operands[now_.target.operand].shape);
      return margin ? "" : "a form writes a result that is not of the work";
    }
    if (place(own_.target, own) != place(now_.target, at)) return "a form writes another element";
    for (std::size_t a = 0; a < own_.accesses.size(); ++a) {
      Point now = place(now_.accesses[a], at);
      now.resize(own_.accesses[a].indices.size());
      if (now != place(own_.accesses[a], own)) return "a form reads another element";
    }
    Point point;
    for (const int it : iterators_of(own_)) point.push_back(own[it]);
    return done_.insert(std::move(point)).second ? "" : "a form does a point twice";
  }

  const Work& work_;
  const DiagonalForm& form_;
  const Statement& own_;
  const Statement& now_;
  std::vector<int> used_;
  std::set<Point> done_;
};

}  // namespace

std::string differs_at_points(const Work& work, const DiagonalForm& form) {
  for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
    std::string wrong = PointWalk(work, form, s).run();
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string differs(const Work& work, const DiagonalForm& form) { return FormCheck(work, form).run(); }

}  // namespace accord

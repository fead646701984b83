#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/tensor/interpret.h"
#include "compiler/mapping/plan.h"
#include "compiler/mapping/work_form.h"

namespace accord {
namespace {

using Terms = std::map<int, std::int64_t>;

/// Compares the form's statements with the work's, of whose iterators some are lanes * block + lane.
class FormCheck {
 public:
  FormCheck(const Work& work, const WorkForm& form) : work_(work), form_(form) {}

  std::string run() const {
    std::string wrong = iterators();
    const auto& statements = form_.work.program.statements;
    if (statements.size() != work_.program.statements.size()) return "a rewritten statement is missing";
    for (std::size_t s = 0; s < statements.size() && wrong.empty(); ++s) wrong = compare(s);
    return wrong;
  }

 private:
  std::string iterators() const {
    const auto& its = form_.work.program.iterators;
    std::vector<std::int64_t> extents;
    for (const auto& it : work_.program.iterators) extents.push_back(it.extent);
    if (form_.blocks.empty() || (form_.twin >= 0 && form_.blocks.size() > 1)) return "a form has no blocks of its own";
    for (const auto& [block, lane, lanes, dim] : form_.blocks) {
      if (block < 0 || block >= std::ssize(extents) || lane != std::ssize(extents)) return "a block is none of a loop";
      if (lanes < 1) return "a block is empty";
      extents[block] = (extents[block] + lanes - 1) / lanes;
      extents.push_back(lanes);
    }
    if (form_.twin >= 0) {
      if (form_.twin != std::ssize(extents)) return "a diagonal is not square";
      extents.push_back(form_.blocks.front().lanes);
    }
    const bool same = std::ranges::equal(extents, its, {}, {}, &Iterator::extent);
    return same ? "" : "blocks do not cover their iterator";
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
    if (depends(now.target, form_.twin) || !same_place(own.target, now.target, false)) {
      return fmt::format("rewritten statement {} writes another element", s);
    }
    if (!stays_apart(own)) return fmt::format("rewritten statement {} does what the work does not", s);
    return "";
  }

  /// Whether the access, of a constant, has one more index: 0 where lane and twin are equal, else beyond its extent.
  bool on_diagonal(const Access& own, const Access& now) const {
    const WorkOperand& operand = form_.work.operands[now.operand];
    if (form_.twin < 0 || !operand.constant || now.indices.size() != own.indices.size() + 1) return false;
    const AffineIndex& last = now.indices.back();
    const Terms expected = {{form_.blocks.front().lane, 1}, {form_.twin, -1}};
    return operand.shape.size() == now.indices.size() && operand.shape.back() == 1 && last.offset == 0 &&
           Terms(last.terms.begin(), last.terms.end()) == expected;
  }

  /// The work's terms, over the form's iterators.
  Terms divided(const AffineIndex& index) const {
    Terms terms(index.terms.begin(), index.terms.end());
    for (const auto& [block, lane, lanes, dim] : form_.blocks) {
      const auto term = terms.find(block);
      if (term == terms.end()) continue;
      const std::int64_t coefficient = term->second;
      terms.erase(term);
      if (form_.work.program.iterators[block].extent > 1) terms[block] = lanes * coefficient;
      terms[lane] = coefficient;
    }
    return terms;
  }

  bool same_place(const Access& own, const Access& now, bool diagonal) const {
    if (own.operand != now.operand || own.indices.size() + (diagonal ? 1 : 0) != now.indices.size()) return false;
    if (work_.operands[own.operand].tensor != form_.work.operands[now.operand].tensor) return false;
    if (!own.lookups.empty() || !now.lookups.empty()) return false;
    for (std::size_t i = 0; i < own.indices.size(); ++i) {
      Terms found;
      for (const auto& [it, coefficient] : now.indices[i].terms) {
        found[it == form_.twin ? form_.blocks.front().lane : it] += coefficient;
      }
      if (divided(own.indices[i]) != found || own.indices[i].offset != now.indices[i].offset) return false;
    }
    return true;
  }

  /// The work's iterators of which the form does more counts than there are.
  std::vector<int> overrun() const {
    std::vector<int> over;
    for (int it = 0; it < std::ssize(work_.program.iterators); ++it) {
      std::int64_t covered = form_.work.program.iterators[it].extent;
      for (const auto& blocks : form_.blocks) covered *= blocks.block == it ? blocks.lanes : 1;
      if (covered > work_.program.iterators[it].extent) over.push_back(it);
    }
    return over;
  }

  /// Whether counts of the iterator beyond its end lie beyond the operand.
  bool leaves(const Access& access, int iterator) const {
    const Shape& shape = work_.operands[access.operand].shape;
    for (std::size_t i = 0; i < access.indices.size(); ++i) {
      std::int64_t least = access.indices[i].offset;
      bool counts = false;
      for (const auto& [it, coefficient] : access.indices[i].terms) {
        const std::int64_t extent = work_.program.iterators[it].extent;
        if (it != iterator) {
          least += std::min<std::int64_t>(coefficient * (extent - 1), 0);
          continue;
        }
        counts = coefficient > 0;
        least += coefficient * extent;
      }
      if (counts && least >= shape[i]) return true;
    }
    return false;
  }

  /// Results of counts beyond an iterator's end lie beyond the tensor, in its margin; sums add 0 there.
  bool stays_apart(const Statement& own) const {
    return std::ranges::all_of(overrun(), [&](int it) {
      if (leaves(own.target, it)) return true;
      const bool counted = std::ranges::any_of(own.accesses, [&](const Access& access) { return depends(access, it); });
      if (depends(own.target, it)) return false;
      return !counted || (own.reduction == Reduction::add && vanishes_beyond(own, *own.value, it));
    });
  }

  bool vanishes_beyond(const Statement& own, const Expr& value, int it) const {
    const auto vanishes = [&](const ExprPtr& arg) { return vanishes_beyond(own, *arg, it); };
    switch (value.op) {
      case ExprOp::access: {
        const Access& access = own.accesses[value.access];
        return work_.operands[access.operand].outside == 0 && leaves(access, it);
      }
      case ExprOp::cast:
      case ExprOp::neg: return vanishes(value.args[0]);
      case ExprOp::mul:
        return is_float(value.type) ? std::ranges::all_of(value.args, vanishes)
                                    : std::ranges::any_of(value.args, vanishes);
      default: return false;
    }
  }

  /// Whether 0 in the access makes the value 0: a product, of finite numbers if of floats (diagonal.h).
  static bool vanishes(const Expr& value, int access) {
    if (value.op == ExprOp::access) return value.access == access;
    if (value.op == ExprOp::cast || value.op == ExprOp::neg) return vanishes(*value.args[0], access);
    if (value.op != ExprOp::mul) return false;
    return vanishes(*value.args[0], access) || vanishes(*value.args[1], access);
  }

  const Work& work_;
  const WorkForm& form_;
};

using Point = std::vector<std::int64_t>;

/// Walks the points of one of the form's statements.
class PointWalk {
 public:
  PointWalk(const Work& work, const WorkForm& form, std::size_t statement)
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

  /// The work's counts at one of the form's points.
  Point whole(const Point& at) const {
    Point own = at;
    for (auto blocks = form_.blocks.rbegin(); blocks != form_.blocks.rend(); ++blocks) {
      own[blocks->block] = blocks->lanes * own[blocks->block] + own[blocks->lane];
    }
    own.resize(work_.program.iterators.size());
    return own;
  }

  bool beyond(const Point& own) const {
    for (std::size_t it = 0; it < own.size(); ++it) {
      if (own[it] >= work_.program.iterators[it].extent) return true;
    }
    return false;
  }

  /// Whether the sum is added nothing: with anything in the place of what lies inside the operands.
  bool adds_nothing(const Point& at) const {
    for (const double inside : {1.0, -3.0, 100.0}) {
      std::vector<double> reads;
      for (const auto& access : now_.accesses) {
        const WorkOperand& operand = form_.work.operands[access.operand];
        reads.push_back(this->inside(place(access, at), operand.shape) ? inside : operand.outside);
      }
      if (evaluate(*now_.value, reads) != 0) return false;
    }
    return now_.reduction == Reduction::add;
  }

  std::string visit(const Point& at) {
    if (beside(at)) return "";
    const Point own = whole(at);
    if (beyond(own)) {
      const bool margin = !inside(place(now_.target, at), form_.work.operands[now_.target.operand].shape);
      return margin || adds_nothing(at) ? "" : "a form writes a result that is not of the work";
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
  const WorkForm& form_;
  const Statement& own_;
  const Statement& now_;
  std::vector<int> used_;
  std::set<Point> done_;
};

}  // namespace

std::string differs_at_points(const Work& work, const WorkForm& form) {
  for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
    std::string wrong = PointWalk(work, form, s).run();
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string differs(const Work& work, const WorkForm& form) { return FormCheck(work, form).run(); }

}  // namespace accord

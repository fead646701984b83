#include "compiler/mapping/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/mapping/plan.h"

namespace accord {
namespace {

using Point = std::vector<std::int64_t>;

constexpr std::int64_t values = 3;  // of each dim: two steps show an affine function

Point place(const Access& access, const Point& point) {
  Point at;
  for (const auto& index : access.indices) {
    at.push_back(index.offset);
    for (const auto& [it, coefficient] : index.terms) at.back() += coefficient * point[it];
  }
  return at;
}

/// Compares one choice of a counting iterator per dim.
class Agreement {
 public:
  Agreement(const Work& work, const Capability& capability, const Match& match, const std::vector<int>& counted,
            const std::vector<std::int64_t>& extent)
      : work_(work), capability_(capability), match_(match), counted_(counted) {
    for (const int it : counted) {
      ranges_.push_back(it < 0 ? 1 : std::min(extent[it], values));
    }
    iterators_.assign(work.program.iterators.size(), 0);
  }

  std::string run() {
    for (std::size_t o = 0; o < match_.operands.size(); ++o) {
      if (capability_.operands[o].memory < 0 || match_.operands[o].kind != OperandMatch::Kind::access) continue;
      std::string wrong = compare(static_cast<int>(o));
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  std::string compare(int operand) {
    const Access& pattern = access_of(capability_, operand);
    const Access& meant = match_.operands[operand].access;
    const bool target = operand == capability_.program.statements.back().target.operand;
    std::map<Point, Point> element_at, place_of;
    Point dims(counted_.size(), 0);
    do {
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (counted_[d] >= 0) iterators_[counted_[d]] = dims[d];
      }
      const Point there = place(pattern, dims), element = place(meant, iterators_);
      if (element_at.emplace(there, element).first->second != element) {
        return fmt::format("{} would be read or written where {} moves on", capability_.program.operands[operand].name,
                           work_.program.operands[meant.operand].name);
      }
      if (target && place_of.emplace(element, there).first->second != there) {
        return fmt::format("{} would hold one result in several places", capability_.program.operands[operand].name);
      }
    } while (next(dims));
    return "";
  }

  bool next(Point& dims) const {
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (++dims[d] < ranges_[d]) return true;
      dims[d] = 0;
    }
    return false;
  }

  const Work& work_;
  const Capability& capability_;
  const Match& match_;
  const std::vector<int>& counted_;
  Point ranges_, iterators_;
};

}  // namespace

std::string disagreement(const Work& work, const Capability& capability, const Match& match,
                         const std::vector<std::vector<int>>& chains, const std::vector<std::int64_t>& extent) {
  const std::vector<int> none(chains.size(), -1);
  std::vector<int> innermost = none;
  for (std::size_t d = 0; d < chains.size(); ++d) {
    for (const int it : chains[d]) {
      if (extent[it] == 1) continue;
      std::vector<int> alone = none;
      alone[d] = innermost[d] = it;
      std::string wrong = Agreement(work, capability, match, alone, extent).run();
      if (!wrong.empty()) return wrong;
    }
  }
  return Agreement(work, capability, match, innermost, extent).run();
}

}  // namespace accord

#include "compiler/mapping/diagonal.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/match.h"
#include "compiler/mapping/plan.h"

namespace accord {
namespace {

/// Whether the value is 0 wherever the access reads 0; in floats, where all else is finite.
bool vanishes_with(const Expr& value, int access) {
  const auto vanishes = [&](const ExprPtr& arg) { return vanishes_with(*arg, access); };
  switch (value.op) {
    case ExprOp::access: return value.access == access;
    case ExprOp::cast:
    case ExprOp::neg: return vanishes(value.args[0]);
    case ExprOp::mul: return std::any_of(value.args.begin(), value.args.end(), vanishes);
    default: return false;
  }
}

int times_read(const Work& work, int operand) {
  int times = 0;
  for (const auto& statement : work.program.statements) {
    for (const auto& access : statement.accesses) times += access.operand == operand ? 1 : 0;
  }
  return times;
}

/// The access of a constant with which every product vanishes, read nowhere else; -1: there is none.
int constant_factor(const Work& work, const Statement& main) {
  for (std::size_t a = 0; a < main.accesses.size(); ++a) {
    const int operand = main.accesses[a].operand;
    if (!work.operands[operand].constant || times_read(work, operand) != 1) continue;
    if (vanishes_with(*main.value, static_cast<int>(a))) return static_cast<int>(a);
  }
  return -1;
}

/// Counts of the iterators that lie beside g in an index of the access, and that the other access lacks: a group's own.
std::int64_t group_of(const Work& work, const Access& access, const Access& without, int g) {
  std::int64_t count = 1;
  for (const auto& index : access.indices) {
    const auto& terms = index.terms;
    if (std::none_of(terms.begin(), terms.end(), [&](const auto& term) { return term.first == g; })) continue;
    for (const auto& term : terms) {
      if (term.first != g && !depends(without, term.first)) count *= work.program.iterators[term.first].extent;
    }
  }
  return count;
}

/// What of a statement the forms are made for.
struct Product {
  const Statement& main;
  int factor;  ///< access of the constant
  int iterator;

  const Access& constant() const { return main.accesses[factor]; }
  const Access& other() const { return main.accesses[main.accesses.size() - 1 - factor]; }
};

/// Products of two factors in which the constant, the other factor and the result share an iterator.
std::vector<Product> products(const Work& work, int statement) {
  const Statement& main = work.program.statements[statement];
  std::vector<Product> found;
  if (main.reduction != Reduction::add || main.accesses.size() != 2) return found;
  if (std::any_of(work.program.statements.begin(), work.program.statements.end(), looks_up)) return found;
  const int factor = constant_factor(work, main);
  if (factor < 0) return found;
  for (const int it : iterators_of(main)) {
    const Product product = {main, factor, it};
    if (product.other().operand == main.target.operand || work.program.iterators[it].extent == 1) continue;
    if (depends(main.target, it) && depends(product.constant(), it) && depends(product.other(), it)) {
      found.push_back(product);
    }
  }
  return found;
}

/// Lanes that pairs of a capability's dims hold: one dim of the constant and the result, one of the constant and the
/// other factor.
class Lanes {
 public:
  Lanes(const Work& work, const Product& product, const Capability& capability, const RunLimits& limits,
        const Match& match)
      : work_(work),
        product_(product),
        capability_(capability),
        limits_(limits),
        match_(match),
        wide_(group_of(work, product.main.target, product.other(), product.iterator)),
        deep_(group_of(work, product.other(), product.main.target, product.iterator)) {}

  /// Of the pair that holds the most: the others hold its narrower blocks as well, or none.
  void add_to(std::set<std::int64_t>& lanes) const {
    std::int64_t most = 1;
    std::pair<std::size_t, std::size_t> best;
    for (std::size_t d = 0; d < capability_.dims.size(); ++d) {
      for (std::size_t e = 0; e < capability_.dims.size(); ++e) {
        if (!counts(d, true) || !counts(e, false) || held_by(d, e) <= most) continue;
        most = held_by(d, e);
        best = {d, e};
      }
    }
    if (most > 1) add(best.first, best.second, lanes);
  }

 private:
  /// Whether the dim occurs in the constant and else in the result alone, or in the other factor alone.
  bool counts(std::size_t d, bool result) const {
    for (std::size_t o = 0; o < match_.operands.size(); ++o) {
      const OperandMatch& operand = match_.operands[o];
      if (operand.kind != OperandMatch::Kind::access || capability_.operands[o].memory < 0) continue;
      const bool target = operand.access.operand == product_.main.target.operand;
      const bool constant = operand.access.operand == product_.constant().operand;
      const bool wanted = constant || target == result;
      if (depends(access_of(capability_, static_cast<int>(o)), static_cast<int>(d)) != wanted) return false;
    }
    return true;
  }

  std::int64_t extent() const { return work_.program.iterators[product_.iterator].extent; }

  std::int64_t held_by(std::size_t d, std::size_t e) const {
    return std::min({limits_.dims[d].maximum / wide_, limits_.dims[e].maximum / deep_, extent()});
  }

  /// For the result's dim `d` and the sum's dim `e`.
  void add(std::size_t d, std::size_t e, std::set<std::int64_t>& lanes) const {
    const CapabilityDim &results = limits_.dims[d], &sums = limits_.dims[e];
    const std::int64_t extent = this->extent(), most = held_by(d, e);
    const std::int64_t blocks = ceil_div(extent, most);
    lanes.insert(most);
    lanes.insert(ceil_div(extent, blocks));
    std::int64_t divisor = most;
    while (extent % divisor != 0) --divisor;
    lanes.insert(divisor);
    const std::int64_t unit = std::max({results.multiple, results.minimum, sums.multiple, sums.minimum});
    lanes.insert(most / unit * unit);
    std::pair<std::int64_t, std::int64_t> least = {INT64_MAX, 0};  // cycles; of equals the most lanes
    for (std::int64_t count = most; count > 1; --count) {
      const std::int64_t cycles = ceil_div(extent, count) * interval(d, count * wide_, e, count * deep_);
      if (cycles < least.first) least = {cycles, count};
    }
    lanes.insert(least.second);
  }

  /// Of an instruction that counts so much, and of the other dims what it can.
  std::int64_t interval(std::size_t d, std::int64_t results, std::size_t e, std::int64_t sums) const {
    std::vector<std::int64_t> values;
    for (const auto& dim : limits_.dims) values.push_back(std::max<std::int64_t>(dim.maximum, 1));
    values[d] = results;
    values[e] = sums;
    return interval_of(capability_, std::move(values));
  }

  const Work& work_;
  const Product& product_;
  const Capability& capability_;
  const RunLimits& limits_;
  const Match& match_;
  std::int64_t wide_;  ///< results of a group
  std::int64_t deep_;  ///< inputs of a group
};

/// Lets the other factor count twins instead of lanes, and the constant lie on the diagonal.
std::shared_ptr<const WorkForm> on_diagonal(const Work& work, const Product& product, int statement,
                                            std::int64_t lanes) {
  WorkForm form = plain_form(work, statement);
  divide_into_blocks(form, product.iterator, lanes);
  const int lane = form.blocks.front().lane;
  auto& program = form.work.program;
  form.twin = add_iterator(program, work.program.iterators[product.iterator].name + "_twin", lanes);
  for (auto& access : program.statements[statement].accesses) {
    const bool constant = access.operand == product.constant().operand;
    for (auto& index : access.indices) {
      for (auto& term : index.terms) term.first = term.first == lane && !constant ? form.twin : term.first;
    }
  }
  Access& constant = program.statements[statement].accesses[product.factor];
  constant.indices.push_back({{{lane, 1}, {form.twin, -1}}, 0});
  ++program.operands[constant.operand].rank;
  form.work.operands[constant.operand].shape.push_back(1);
  return std::make_shared<const WorkForm>(std::move(form));
}

/// Whether blocks of so many counts cover the iterator, and nothing but margins beside it.
bool divides(const Work& work, int iterator, std::int64_t lanes) {
  return work.program.iterators[iterator].extent % lanes == 0 || may_reach_beyond(work, iterator);
}

}  // namespace

std::shared_ptr<const WorkForm> same_diagonal(const WorkForm& form, const Work& work) {
  const auto [block, lane, lanes, dim] = form.blocks.front();
  for (const Product& product : products(work, form.statement)) {
    if (product.iterator != block || !divides(work, block, lanes)) continue;
    auto same = on_diagonal(work, product, form.statement, lanes);
    if (same->work.program.iterators[block].extent == form.work.program.iterators[block].extent) return same;
  }
  return nullptr;
}

std::vector<std::shared_ptr<const WorkForm>> diagonal_forms(const Architecture& architecture, const Limits& limits,
                                                            const Work& work, int statement) {
  std::vector<std::shared_ptr<const WorkForm>> forms;
  const auto found = products(work, statement);
  if (found.empty()) return forms;
  const auto matches = match_statement(architecture, work, statement);
  for (const Product& product : found) {
    std::set<std::int64_t> lanes;
    for (const auto& match : matches) {
      const RunLimits* run = limits.run(match.unit, match.capability);
      if (run == nullptr) continue;
      Lanes(work, product, architecture.units[match.unit].capabilities[match.capability], *run, match).add_to(lanes);
    }
    for (const std::int64_t count : lanes) {
      if (count < 2 || !divides(work, product.iterator, count)) continue;
      forms.push_back(on_diagonal(work, product, statement, count));
    }
  }
  return forms;
}

}  // namespace accord

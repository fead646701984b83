#include "compiler/mapping/padding.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// Whether every index beyond the iterator's true extent lies outside the tensor, whatever the others are.
bool leaves(const Work& work, const std::vector<std::int64_t>& padded, const Access& access, int iterator) {
  const Shape& shape = work.operands[access.operand].shape;
  for (std::size_t i = 0; i < access.indices.size() && i < shape.size(); ++i) {
    std::int64_t low = access.indices[i].offset;
    bool moves = false;
    for (const auto& [it, coefficient] : access.indices[i].terms) {
      if (it == iterator) {
        moves = coefficient > 0;
        low += coefficient * work.program.iterators[it].extent;
      } else if (coefficient < 0) {
        low += coefficient * (padded[it] - 1);
      }
    }
    if (moves && low >= shape[i]) return true;
  }
  return false;
}

}  // namespace

std::int64_t product_of(const std::vector<int>& chain, const std::vector<std::int64_t>& extent) {
  std::int64_t product = 1;
  for (const int it : chain) product *= extent[it];
  return product;
}

void pad_chain(const std::vector<int>& chain, std::int64_t unit, std::vector<std::int64_t>& extent) {
  const std::int64_t product = product_of(chain, extent);
  int best = chain.back();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto grown = [&](int it) {
    const std::int64_t step = unit / std::gcd(unit, product / extent[it]);
    return round_up(extent[it], step);
  };
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const std::int64_t points = product / extent[*it] * grown(*it);
    if (points >= least) continue;
    least = points;
    best = *it;
  }
  extent[best] = grown(best);
}

/// Evaluates the statement at padded points with some values of what is read inside.
bool padding_is_neutral(const Work& work, const std::vector<std::int64_t>& padded, const Statement& statement,
                        int iterator, Margins margins) {
  for (const double inside : {1.0, -3.0, 100.0}) {
    std::vector<double> reads;
    for (const auto& access : statement.accesses) {
      const WorkOperand& operand = work.operands[access.operand];
      const double margin = operand.constant ? 0 : operand.outside;
      const bool kept = margins == Margins::kept || operand.constant;
      const bool known = kept && depends(access, iterator) && leaves(work, padded, access, iterator);
      reads.push_back(known ? margin : inside);
    }
    const double value = evaluate(*statement.value, reads);
    const ElementType type = work.program.operands[statement.target.operand].type;
    const bool neutral = statement.reduction == Reduction::add   ? value == 0
                         : statement.reduction == Reduction::max ? value <= lowest(type)
                                                                 : value >= highest(type);
    if (!neutral) return false;
  }
  return true;
}

std::optional<std::pair<const StatementPlan*, int>> padding_that_counts(const Work& work, const Mapping& mapping) {
  for (const auto& step : mapping.steps) {
    const Statement& reduced = work.program.statements[step.statement];
    for (const int it : iterators_of(reduced)) {
      const bool padded = mapping.extent[it] > work.program.iterators[it].extent;
      if (!padded || depends(reduced.target, it) || padding_is_neutral(work, mapping.extent, reduced, it)) continue;
      return std::pair(&step, it);
    }
  }
  return std::nullopt;
}

namespace {

/// Whether points beyond the iterator's end read what is decisive: a sum adds them, and no constant makes that nothing.
bool decides_beyond(const Work& work, const std::vector<std::int64_t>& padded, const Statement& statement,
                    int iterator) {
  return !depends(statement.target, iterator) &&
         !padding_is_neutral(work, padded, statement, iterator, Margins::overwritten);
}

/// Extents of the iterators over which what the use reads decides results, of the mapping's own work.
std::vector<std::int64_t> relied_extents(const Work& work, const Mapping& mapping, const Use& use) {
  std::vector<std::int64_t> extents = mapping.extent;
  const Statement& statement = work.program.statements[mapping.steps[use.step].statement];
  for (std::size_t it = 0; it < extents.size(); ++it) {
    if (decides_beyond(work, mapping.extent, statement, static_cast<int>(it))) continue;
    extents[it] = std::min(extents[it], work.program.iterators[it].extent);
  }
  return extents;
}

/// Where the layer's own work reads what the use of its form does; null where it reads the tensor at several places.
const Access* own_access(const Work& layer, const Mapping& mapping, const Use& use) {
  const auto& accesses = layer.program.statements[mapping.steps[use.step].statement].accesses;
  const auto same = [&](const Access& access) { return access.operand == use.access.operand; };
  return std::ranges::count_if(accesses, same) == 1 ? &*std::ranges::find_if(accesses, same) : nullptr;
}

/// Blocks of the form reach beyond the work's own ends only where that adds nothing: where a constant sees to that, it
/// relies on what it reads no further than these, but where the mapping pads what counts.
void cut_to_own_ends(Home& decisive, const Work& layer, const Mapping& mapping, const Use& use,
                     const std::vector<std::int64_t>& relied) {
  const Access* own = own_access(layer, mapping, use);
  if (own == nullptr) return;
  const Statement& statement = layer.program.statements[mapping.steps[use.step].statement];
  std::vector<std::int64_t> extents;
  for (const Iterator& iterator : layer.program.iterators) extents.push_back(iterator.extent);
  const Home ends = margins_of(layer.operands[own->operand].shape, *own, extents);
  const auto& iterators = mapping.form->work.program.iterators;
  for (std::size_t i = 0; i < decisive.after.size(); ++i) {
    const auto padded = [&](const auto& term) { return relied[term.first] > iterators[term.first].extent; };
    if (std::ranges::any_of(use.access.indices[i].terms, padded)) continue;
    const auto decides = [&](const auto& term) { return decides_beyond(layer, extents, statement, term.first); };
    if (std::ranges::any_of(own->indices[i].terms, decides)) continue;
    decisive.before[i] = std::min(decisive.before[i], ends.before[i]);
    decisive.after[i] = std::min(decisive.after[i], ends.after[i]);
  }
}

}  // namespace

void rely(Home& home, const Work& layer, const Mapping& mapping, const Use& use) {
  const Shape& shape = layer.operands[use.access.operand].shape;
  const std::vector<std::int64_t> relied = relied_extents(work_of(layer, mapping), mapping, use);
  Home decisive = margins_of(shape, use.access, relied);
  if (mapping.form) cut_to_own_ends(decisive, layer, mapping, use, relied);
  home.relied.resize(shape.size(), false);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (decisive.before[i] != 0 || decisive.after[i] != 0) home.relied[i] = true;
  }
}

bool spills(const Work& work, const Mapping& mapping, const Use& use, const Home& home) {
  const Shape& shape = work.operands[use.access.operand].shape;
  for (std::size_t i = 0; i < use.access.indices.size(); ++i) {
    const AffineIndex& index = use.access.indices[i];
    if (i >= home.relied.size() || !home.relied[i] || index.terms.size() < 2) continue;
    std::int64_t last = index.offset;
    for (const auto& [it, coefficient] : index.terms)
      last += coefficient * (std::min(mapping.extent[it], work.program.iterators[it].extent) - 1);
    if (last >= shape[i]) return true;
  }
  return false;
}

namespace {

bool laps_over(const Work& work, const AffineIndex& index, const std::vector<std::int64_t>& box) {
  return std::ranges::any_of(index.terms, [&](const auto& padded) {
    const auto& [iterator, step] = padded;
    if (box[iterator] <= work.program.iterators[iterator].extent) return false;
    std::int64_t reach = 0;
    for (const auto& [it, coefficient] : index.terms) {
      if (coefficient <= step) reach += coefficient * (box[it] - 1);
    }
    return std::ranges::any_of(index.terms, [&](const auto& other) {
      return other.second > step && box[other.first] > 1 && reach >= other.second;
    });
  });
}

}  // namespace

bool laps_over(const Work& work, const Access& access, const std::vector<std::int64_t>& box) {
  return std::ranges::any_of(access.indices, [&](const AffineIndex& index) { return laps_over(work, index, box); });
}

std::vector<std::int64_t> written_extents(const Work& work, const Mapping& mapping, const Use& use, const Home& home) {
  std::vector<std::int64_t> extents = mapping.extent;
  std::vector<std::int64_t> whole = extents;  // where the work is divided, other parts' results lie there, too
  for (std::size_t it = 0; it < whole.size(); ++it) whole[it] = std::max(whole[it], work.program.iterators[it].extent);
  const Shape& shape = work.operands[use.access.operand].shape;
  for (std::size_t i = 0; i < use.access.indices.size(); ++i) {
    const AffineIndex& index = use.access.indices[i];
    const bool relied = i < home.relied.size() && home.relied[i];
    if (!relied && !laps_over(work, index, whole)) continue;
    for (const auto& [it, coefficient] : index.terms) {
      extents[it] = std::min(extents[it], work.program.iterators[it].extent);
      if (index.terms.size() == 1 && coefficient == 1) extents[it] = std::min(extents[it], shape[i] - index.offset);
    }
  }
  return extents;
}

}  // namespace accord

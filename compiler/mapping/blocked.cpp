#include "compiler/mapping/blocked.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/beyond.h"
#include "compiler/mapping/enumerator.h"

namespace accord {
namespace {

constexpr std::size_t most_dims = 3;       // of a group that get lanes or blocks: the innermost
constexpr std::size_t most_iterators = 4;  // that are cut or counted: the longest
constexpr std::size_t most_cuts = 2;       // of a group that are tried, beside none
constexpr double worth = 1.2;              // times less load: what a cut must promise

/// Whether blocks of so many counts are the work: nothing lies beyond its end, or what does changes no result.
bool covers(const Work& work, int statement, int iterator, std::int64_t lanes) {
  if (work.program.iterators[iterator].extent % lanes == 0) return true;
  const Statement& main = work.program.statements[statement];
  if (depends(main.target, iterator)) return may_reach_beyond(work, iterator);
  return main.reduction == Reduction::add && adds_nothing_beyond(work, statement, iterator);
}

struct Cut {
  int iterator;
  int dim;
  std::int64_t lanes;
};
using Cuts = std::vector<Cut>;

/// Dims of a capability that occur in the same operands, each alone in its index; innermost first.
using DimGroup = std::vector<int>;

class DimGroups {
 public:
  DimGroups(const Capability& capability, const RunLimits& limits) : capability_(capability), limits_(limits) {}

  std::vector<DimGroup> all() const {
    std::map<std::vector<bool>, DimGroup> by_operands;
    for (int d = 0; d < std::ssize(capability_.dims); ++d) {
      if (limits_.dims[d].maximum > 1 && stands_alone(d)) by_operands[operands_of(d)].push_back(d);
    }
    std::vector<DimGroup> groups;
    for (auto& [operands, dims] : by_operands) {
      if (dims.size() < 2) continue;
      std::ranges::sort(dims, [&](int a, int b) { return place_of(a) > place_of(b); });
      if (dims.size() > most_dims) dims.resize(most_dims);
      groups.push_back(std::move(dims));
    }
    return groups;
  }

 private:
  std::vector<bool> operands_of(int d) const {
    std::vector<bool> there;
    for (int o = 0; o < std::ssize(capability_.operands); ++o) {
      there.push_back(capability_.operands[o].memory >= 0 && depends(access_of(capability_, o), d));
    }
    return there;
  }

  bool stands_alone(int d) const {
    for (int o = 0; o < std::ssize(capability_.operands); ++o) {
      for (const auto& index : access_of(capability_, o).indices) {
        const auto counts = [&](const auto& term) { return term.first == d; };
        if (index.terms.size() > 1 && std::ranges::any_of(index.terms, counts)) return false;
      }
    }
    return true;
  }

  /// The last index that it moves, of the first operand that it occurs in.
  std::size_t place_of(int d) const {
    for (int o = 0; o < std::ssize(capability_.operands); ++o) {
      const auto& indices = access_of(capability_, o).indices;
      for (std::size_t i = indices.size(); i > 0; --i) {
        if (depends({0, {indices[i - 1]}}, d)) return i;
      }
    }
    return 0;
  }

  const Capability& capability_;
  const RunLimits& limits_;
};

/// Iterators that a group's dims may count, and how to divide them.
class Cutter {
 public:
  Cutter(const Work& work, int statement, const Capability& capability, const RunLimits& limits, const Match& match,
         const DimGroup& group)
      : work_(work), statement_(statement), capability_(capability), limits_(limits), group_(group) {
    for (const int it : iterators_of(work.program.statements[statement])) {
      const auto counts = [&](int d) { return may_count(work, capability, match, d, it); };
      if (work.program.iterators[it].extent > 1 && std::ranges::all_of(group, counts)) iterators_.push_back(it);
    }
    const auto extent = [&](int it) { return work.program.iterators[it].extent; };
    std::ranges::stable_sort(iterators_, std::ranges::greater(), extent);
    if (iterators_.size() > most_iterators) iterators_.resize(most_iterators);
    for (const int d : group) maxima_.push_back(limits.dims[d].maximum);
    for (const int it : iterators_) extents_.push_back(extent(it));
    room_ = maxima_;
    const Access& target = work.program.statements[statement].target;
    needed_ = match.initialises && std::ranges::any_of(iterators_, [&](int it) {
                return !depends(target, it) && extent(it) > *std::ranges::max_element(maxima_);
              });
  }

  /// The best cuts, best first; none where the group needs none.
  std::vector<Cuts> best() {
    if (iterators_.empty()) return {};
    const double plain = least_load();
    cut(0);
    if (!needed_) std::erase_if(found_, [&](const Found& found) { return worth * found.load > plain; });
    std::ranges::stable_sort(found_, {}, &Found::load);
    std::vector<Cuts> best;
    for (auto& found : found_) {
      if (best.size() < most_cuts) best.push_back(std::move(found.cuts));
    }
    return best;
  }

 private:
  struct Found {
    double load;
    Cuts cuts;
  };

  /// Of so many instructions in which the group's dims count so much, and the others what they can.
  double load_of(std::int64_t instructions, const std::vector<std::int64_t>& counts) const {
    std::vector<std::int64_t> values;
    for (const auto& dim : limits_.dims) values.push_back(std::max<std::int64_t>(dim.maximum, 1));
    for (std::size_t d = 0; d < group_.size(); ++d) values[group_[d]] = counts[d];
    const auto number = static_cast<double>(instructions);
    return instruction_load(number, number * static_cast<double>(interval_of(capability_, std::move(values))));
  }

  /// Each iterator counted by the dim where that helps most, or by none.
  double least_load() const {
    std::vector<std::int64_t> products(room_.size(), 1);
    return least_load(0, 1, products);
  }

  double least_load(std::size_t iterator, std::int64_t turns, std::vector<std::int64_t>& products) const {
    if (iterator == extents_.size()) {
      std::vector<std::int64_t> counts;
      for (std::size_t d = 0; d < products.size(); ++d) {
        const std::int64_t chunks = ceil_div(products[d], room_[d]);
        turns *= chunks;
        counts.push_back(ceil_div(products[d], chunks) * (maxima_[d] / room_[d]));
      }
      return load_of(turns, counts);
    }
    const std::int64_t extent = extents_[iterator];
    double least = least_load(iterator + 1, turns * extent, products);
    for (auto& product : products) {
      product *= extent;
      least = std::min(least, least_load(iterator + 1, turns, products));
      product /= extent;
    }
    return least;
  }

  /// Gives lanes to the dim at `at`, or none, then to the dims further out; the outermost one counts what is left.
  void cut(std::size_t at) {
    if (at + 1 == group_.size()) {
      if (!cuts_.empty()) found_.push_back({least_load(), cuts_});
      return;
    }
    cut(at + 1);
    for (std::size_t i = 0; i < iterators_.size(); ++i) {
      for (const std::int64_t lanes : lanes_of(i, at)) cut(at, i, lanes);
    }
  }

  void cut(std::size_t at, std::size_t i, std::int64_t lanes) {
    const std::int64_t extent = extents_[i];
    extents_[i] = ceil_div(extent, lanes);
    room_[at] = maxima_[at] / lanes;
    cuts_.push_back({iterators_[i], group_[at], lanes});
    cut(at + 1);
    cuts_.pop_back();
    room_[at] = maxima_[at];
    extents_[i] = extent;
  }

  /// All that the dim holds, and the most that leave nothing beyond the end.
  std::set<std::int64_t> lanes_of(std::size_t i, std::size_t at) const {
    const CapabilityDim& dim = limits_.dims[group_[at]];
    const std::int64_t unit = std::max(dim.multiple, dim.minimum);
    std::set<std::int64_t> lanes;
    if (extents_[i] <= dim.maximum) return lanes;
    const std::int64_t most = dim.maximum / unit * unit;
    if (most < 2) return lanes;
    // A block that was divided reaches beyond its end where the whole does.
    const bool whole = extents_[i] == work_.program.iterators[iterators_[i]].extent;
    if (whole ? covers(work_, statement_, iterators_[i], most) : extents_[i] % most == 0) lanes.insert(most);
    std::int64_t divisor = most;
    while (divisor > 1 && extents_[i] % divisor != 0) divisor -= unit;
    if (divisor > 1) lanes.insert(divisor);
    return lanes;
  }

  const Work& work_;
  const int statement_;
  const Capability& capability_;
  const RunLimits& limits_;
  const DimGroup& group_;
  std::vector<int> iterators_;
  std::vector<std::int64_t> extents_;  ///< of these, what blocks leave of them
  std::vector<std::int64_t> maxima_;   ///< of the dims
  std::vector<std::int64_t> room_;     ///< what lanes leave of these
  bool needed_ = false;                ///< none of the dims counts all of what is to be reduced in one instruction
  Cuts cuts_;
  std::vector<Found> found_;
};

std::shared_ptr<const WorkForm> form_of(const Work& work, int statement, const Cuts& cuts,
                                        const std::optional<std::pair<int, int>>& capability) {
  WorkForm form = plain_form(work, statement);
  form.capability = capability;
  for (const auto& [iterator, dim, lanes] : cuts) divide_into_blocks(form, iterator, lanes, dim);
  return std::make_shared<const WorkForm>(std::move(form));
}

/// Each way to choose one of a group's cuts, or none, for all groups.
std::vector<Cuts> combinations(const std::vector<std::vector<Cuts>>& by_group) {
  std::vector<Cuts> all = {{}};
  for (const auto& group : by_group) {
    const std::size_t before = all.size();
    for (const Cuts& choice : group) {
      for (std::size_t i = 0; i < before; ++i) {
        all.push_back(all[i]);
        all.back().insert(all.back().end(), choice.begin(), choice.end());
      }
    }
  }
  all.erase(all.begin());
  return all;
}

}  // namespace

double instruction_load(double instructions, double cycles) { return std::pow(instructions, 0.25) * cycles; }

std::shared_ptr<const WorkForm> same_blocks(const WorkForm& form, const Work& work) {
  WorkForm same = plain_form(work, form.statement);
  for (const auto& [block, lane, lanes, dim] : form.blocks) {
    if (!covers(same.work, form.statement, block, lanes)) return nullptr;
    divide_into_blocks(same, block, lanes, dim);
    if (same.work.program.iterators[block].extent == 1) return nullptr;
  }
  same.capability = form.capability;
  return std::make_shared<const WorkForm>(std::move(same));
}

std::vector<std::shared_ptr<const WorkForm>> blocked_forms(const Machine& machine, const Work& work, int statement) {
  std::vector<std::shared_ptr<const WorkForm>> forms;
  const auto& statements = work.program.statements;
  if (std::ranges::any_of(statements, looks_up)) return forms;
  for (const auto& match : match_statement(machine.architecture, work, statement)) {
    if (match.way > 0) continue;  // another way makes the same blocks of other dims
    const RunLimits* run = machine.limits.run(match.unit, match.capability);
    const std::pair which(match.unit, match.capability);
    if (run == nullptr || machine.elements.alike(match.unit, match.capability).front() != which) continue;
    const Capability& capability = machine.capability(match);
    std::vector<std::vector<Cuts>> by_group;
    for (const DimGroup& group : DimGroups(capability, *run).all()) {
      by_group.push_back(Cutter(work, statement, capability, *run, match, group).best());
    }
    for (const Cuts& cuts : combinations(by_group)) {
      forms.push_back(form_of(work, statement, cuts, which));
    }
  }
  return forms;
}

}  // namespace accord

#include "compiler/mapping/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>

#include "compiler/mapping/blocked.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/diagonal.h"
#include "compiler/mapping/enumerator.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr std::size_t most_assignments = 4096;  // of one capability

std::optional<Roles> roles_of(const Work& work) {
  const auto& statements = work.program.statements;
  Roles roles;
  if (statements.size() > 1 && statements[0].reduction == Reduction::assign &&
      statements[0].target == statements[1].target && statements[1].reduction != Reduction::assign) {
    const Expr& value = *statements[0].value;
    if (!constant_of(value) && value.op != ExprOp::access) return std::nullopt;
    roles.start = 0;
    roles.main = 1;
  }
  for (int i = roles.main + 1; i < static_cast<int>(statements.size()); ++i) roles.after.push_back(i);
  return roles;
}

/// A capability that initialises must see the whole reduction in one instruction, and set what the work starts with.
bool start_agrees(const Work& work, const Roles& roles, const Match& match) {
  if (!match.initialises) return true;
  return roles.start >= 0 && begins_with(work, work.program.statements[roles.start], match.initial);
}

}  // namespace

bool may_count(const Work& work, const Capability& capability, const Match& match, int d, int iterator) {
  for (std::size_t o = 0; o < match.operands.size(); ++o) {
    if (capability.operands[o].memory < 0 || match.operands[o].kind != OperandMatch::Kind::access) continue;
    const bool there = depends(access_of(capability, static_cast<int>(o)), d);
    const bool here = depends(match.operands[o].access, iterator);
    if (there != here && !(there && work.operands[match.operands[o].access.operand].constant)) return false;
  }
  return true;
}

/// The blocks within which the iterator counts; null: it is none of the form's lanes.
const Blocks* Enumerator::lanes_of(int iterator) const {
  if (!form_) return nullptr;
  if (iterator == form_->twin) return &form_->blocks.front();
  const auto found = std::ranges::find(form_->blocks, iterator, &Blocks::lane);
  return found == form_->blocks.end() ? nullptr : &*found;
}

/// A dim that counts a form's lanes holds them all.
bool Enumerator::dim_counts(const Match& match, int d, int iterator) const {
  if (!may_count(work_, machine_.capability(match), match, d, iterator)) return false;
  const Blocks* blocks = lanes_of(iterator);
  if (blocks == nullptr) return true;
  const bool wanted = blocks->dim < 0 || blocks->dim == d;
  return wanted && machine_.limits.run(match.unit, match.capability)->dims[d].maximum >= blocks->lanes;
}

/// Whether a dim counts more than once through the lanes; else its other iterators are loops as well.
bool Enumerator::has_room(const Match& match, int d, const Blocks& blocks) const {
  return machine_.limits.run(match.unit, match.capability)->dims[d].maximum >= 2 * blocks.lanes;
}

/// Whether the form is for such a capability, and each of its lanes has a dim.
bool Enumerator::suits_form(const Match& match) const {
  if (!form_) return true;
  const auto first = machine_.elements.alike(match.unit, match.capability).front();
  if (form_->capability && form_->capability != first) return false;
  for (int it = 0; it < std::ssize(work_.program.iterators); ++it) {
    if (lanes_of(it) == nullptr) continue;
    bool counted = false;
    for (int d = 0; d < std::ssize(machine_.capability(match).dims); ++d) counted |= dim_counts(match, d, it);
    if (!counted) return false;
  }
  return true;
}

/// Gives each iterator in turn to every dim that may count it, or to none.
void Enumerator::assign(const Match& match, std::size_t iterator, std::vector<std::vector<int>>& chains) {
  if (found_.size() - found_before_ >= most_assignments) {
    cut_ = true;
    return;
  }
  if (iterator == work_.program.iterators.size()) {
    complete(match, chains);
    return;
  }
  const int it = static_cast<int>(iterator);
  const Statement& main = statement(roles_.main);
  const auto occurring = iterators_of(main);
  const bool occurs = std::find(occurring.begin(), occurring.end(), it) != occurring.end();
  const bool one = work_.program.iterators[iterator].extent == 1;
  const Blocks* blocks = lanes_of(it);
  if (occurs) {
    for (std::size_t d = 0; d < chains.size(); ++d) {
      if (!dim_counts(match, static_cast<int>(d), it)) continue;
      // A single one makes up the count where a capability does more than one at least, and nothing else does.
      const CapabilityDim& dim = machine_.limits.run(match.unit, match.capability)->dims[d];
      if (one && (std::max(dim.multiple, dim.minimum) == 1 || !chains[d].empty())) continue;
      if (!chains[d].empty() && work_.program.iterators[chains[d].front()].extent == 1) continue;
      if (blocks != nullptr && !chains[d].empty() && !has_room(match, static_cast<int>(d), *blocks)) continue;
      chains[d].push_back(it);
      assign(match, iterator + 1, chains);
      chains[d].pop_back();
    }
  }
  if (blocks == nullptr) assign(match, iterator + 1, chains);
}

/// The capabilities of the same unit that begin sums as the work does: places among `Elements::openings`.
std::vector<int> Enumerator::openings_of(const Match& match) const {
  std::vector<int> found;
  const auto& all = machine_.elements.openings(match.unit, match.capability);
  for (int o = 0; roles_.start >= 0 && o < std::ssize(all); ++o) {
    const Capability& capability = machine_.architecture.units[match.unit].capabilities[all[o]];
    if (begins_with(work_, statement(roles_.start), *initial_value(capability))) found.push_back(o);
  }
  return found;
}

void Enumerator::visit_main(const Match& match) {
  const Capability& capability = machine_.capability(match);
  const std::string label = machine_.architecture.units[match.unit].name + "." + capability.name;
  if (machine_.limits.run(match.unit, match.capability) == nullptr) {
    reason(label + " has no instruction");
    return;
  }
  if (!start_agrees(work_, roles_, match)) {
    reason(label + " sets its target to another value");
    return;
  }
  if (!suits_form(match)) return;
  openings_ = openings_of(match);
  takes_several_ = match.initialises ? takes_several(match) : "";
  std::vector<std::vector<int>> chains(capability.dims.size());
  found_before_ = found_.size();
  cut_ = false;
  assign(match, 0, chains);
  if (cut_) reason(fmt::format("{} has more than {} assignments; the others were left out", label, most_assignments));
}

/// One text for all capabilities that are rejected alike, of units that are alike the first.
std::vector<std::string> Enumerator::texts_of(const std::vector<Rejection>& rejections) const {
  constexpr std::size_t most_named = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const auto& r : rejections) {
    if (leaves_in_place(machine_.architecture.units[r.unit].capabilities[r.index])) continue;
    if (machine_.elements.alike(r.unit, r.index).front() != std::pair(r.unit, r.index)) continue;
    auto known = std::ranges::find(reasons, r.reason, [](const auto& entry) { return entry.first; });
    if (known == reasons.end()) known = reasons.insert(known, {r.reason, {}});
    known->second.push_back(r.capability);
  }
  std::vector<std::string> texts;
  for (auto& [why, names] : reasons) {
    const std::size_t more = names.size() > most_named ? names.size() - most_named : 0;
    names.resize(names.size() - more);
    if (names.size() == 1) {
      texts.push_back(names.front() + " " + why);
    } else {
      texts.push_back(
          fmt::format("{}: {}{}", why, fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
    }
  }
  return texts;
}

/// Of units that are alike, the first that can: what it can, the others can.
void Enumerator::visit_alike(const std::vector<Match>& matches) {
  std::set<std::pair<std::pair<int, int>, int>> covered;
  for (const auto& match : matches) {
    if (covered.count({{match.unit, match.capability}, match.way}) != 0) continue;
    const std::size_t before = found_.size();
    visit_main(match);
    if (found_.size() == before) continue;
    for (const auto& other : machine_.elements.alike(match.unit, match.capability)) covered.insert({other, match.way});
  }
}

std::vector<Mapping> Enumerator::run() {
  const auto roles = roles_of(work_);
  if (!roles) {
    reasons_.push_back("is a sequence of statements that no unit keeps on chip");
    return {};
  }
  roles_ = *roles;
  const Matches& matches = matches_of(roles_.main);
  visit_alike(matches.found);
  if (found_.empty()) visit_carriers();
  if (matches.found.empty()) {
    for (const auto& text : texts_of(matches.rejections)) reason(text);
  }
  reasons_.assign(seen_.begin(), seen_.end());
  return std::move(found_);
}

namespace {

/// Elements that an instruction of the main step counts along wired dims: they lie side by side, in few words.
std::int64_t lanes_filled(const Machine& machine, const Mapping& mapping) {
  const StatementPlan& step = mapping.steps.front();
  const Capability& capability = machine.capability(step.match);
  const int operands = static_cast<int>(capability.operands.size());
  std::int64_t lanes = 1;
  for (int d = 0; d < static_cast<int>(step.chains.size()); ++d) {
    const auto is_wired = [&](int o) { return wired_step(capability, o, d) > 0; };
    if (std::ranges::none_of(std::views::iota(0, operands), is_wired)) continue;
    lanes *= std::min(product_of(step.chains[d], mapping.extent), capability.dims[d].maximum);
  }
  return lanes;
}

/// Whether compute units do the same instructions: the two differ in their operands' ways alone.
bool computes_alike(const Machine& machine, const Mapping& a, const Mapping& b) {
  const bool moves = machine.architecture.units[a.steps.front().match.unit].kind == UnitKind::mover;
  return !moves && a.extent == b.extent && a.steps == b.steps;
}

/// The least compute bound first, of those that are alike the one that fills most lanes. There are thousands of
/// assignments: each bound is computed once, for those that stand one after another with different ways, too.
std::vector<Mapping> by_bound(const Machine& machine, std::vector<Mapping> found) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> order;
  order.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && computes_alike(machine, found[i], found[i - 1])) {
      const auto [bound, lanes, index] = order.back();
      order.emplace_back(bound, lanes, i);
    } else {
      order.emplace_back(compute_bound(machine, found[i]), -lanes_filled(machine, found[i]), i);
    }
  }
  std::sort(order.begin(), order.end());
  std::vector<Mapping> sorted;
  sorted.reserve(found.size());
  for (const auto& [bound, lanes, index] : order) sorted.push_back(std::move(found[index]));
  return sorted;
}

}  // namespace

std::vector<Mapping> candidates(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                std::vector<std::string>& reasons) {
  std::vector<Mapping> found = Enumerator(machine, network, work, homes, reasons).run();
  const auto roles = roles_of(work);
  if (!roles) return found;
  const auto assignments = [&](const std::shared_ptr<const WorkForm>& form) {
    std::vector<std::string> of_form;  // the work's own reasons say it without the form's loops
    return Enumerator(machine, network, form, homes, of_form).run();
  };
  for (const auto& form : diagonal_forms(machine.architecture, machine.limits, work, roles->main)) {
    std::ranges::move(assignments(form), std::back_inserter(found));
  }
  found = by_bound(machine, std::move(found));
  const auto blocked = blocked_forms(machine, work, roles->main);
  if (blocked.empty()) return found;
  const auto load_of = [&](const Mapping& mapping) {
    return instruction_load(static_cast<double>(main_instructions(machine, mapping)),
                            static_cast<double>(compute_bound(machine, mapping)));
  };
  std::map<int, double> least;  // of each way to match: another gives operands other places, which bytes may pay for
  for (const Mapping& mapping : found) {
    double& load = least.try_emplace(main_way(mapping), std::numeric_limits<double>::infinity()).first->second;
    load = std::min(load, load_of(mapping));
  }
  for (const auto& form : blocked) {
    auto more = assignments(form);
    std::erase_if(more, [&](const Mapping& mapping) {
      const auto plain = least.find(main_way(mapping));
      return plain != least.end() && load_of(mapping) >= plain->second;
    });
    std::ranges::move(more, std::back_inserter(found));
  }
  return by_bound(machine, std::move(found));
}

}  // namespace accord

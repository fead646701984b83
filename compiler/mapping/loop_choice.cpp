#include "compiler/mapping/loop_choice.h"

#include <algorithm>

#include "compiler/mapping/keeping.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {
namespace {

constexpr double memory_bound = 1.03;   ///< prediction over the main statement's cycles from which on tiles are kept
constexpr double worth_keeping = 1.01;  ///< prediction without that over the one with it

/// Results take turns with the unit that computes them and those that add to them, convert and store them: more than
/// two copies let several of these run at once.
std::vector<FewCopies> few_copies(const Mapping& mapping) {
  std::vector<FewCopies> choices;
  for (const auto& [inputs, results] :
       {std::pair(1, 1), {2, 1}, {2, 2}, {1, 2}, {3, 2}, {2, 3}, {2, 4}, {4, 2}, {4, 4}}) {
    Copies& copies = choices.emplace_back(FewCopies{inputs, results, {}}).copies;
    for (const auto& use : mapping.uses) {
      const bool result = use.role == UseRole::accumulator || use.role == UseRole::output;
      auto& levels = copies.emplace_back(static_cast<std::size_t>(mapping.levels), result ? results : inputs);
      // Copies that alternate make a hardware loop's turn longer.
      if (mapping.rolls) std::fill(levels.begin() + 1, levels.end(), mapping.alternates && !result ? 2 : 1);
    }
  }
  return choices;
}

}  // namespace

LoopChooser::LoopChooser(const Machine& machine, Geometry& geometry, const Work& work, Mapping& mapping)
    : machine_(machine), geometry_(geometry), work_(work), mapping_(mapping), copies_(few_copies(mapping)) {}

/// Output loops outside, reduction loops innermost, so that a result is finished before the next begins; the longest
/// reduction loop innermost, which hardware loops shorten most.
void LoopChooser::set_order() {
  mapping_.order.assign(mapping_.levels, {});
  for (auto& order : mapping_.order) {
    for (const bool reduction : {false, true}) {
      for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
        if (is_reduction(work_, mapping_, static_cast<int>(it)) == reduction) order.push_back(static_cast<int>(it));
      }
    }
  }
  const int inner = mapping_.levels - 1;
  auto& order = mapping_.order[inner];
  const auto reductions =
      std::find_if(order.begin(), order.end(), [&](int it) { return is_reduction(work_, mapping_, it); });
  std::stable_sort(reductions, order.end(),
                   [&](int a, int b) { return trips(mapping_, inner, a) < trips(mapping_, inner, b); });
}

/// Each output iterator in turn innermost at the level, and as it stands.
std::vector<std::vector<int>> LoopChooser::orders(int level) const {
  const auto& base = mapping_.order[level];
  std::vector<std::vector<int>> result = {base};
  for (const int it : base) {
    if (is_reduction(work_, mapping_, it) || trips(mapping_, level, it) == 1) continue;
    auto order = base;
    std::erase(order, it);
    const auto reductions =
        std::find_if(order.begin(), order.end(), [&](int i) { return is_reduction(work_, mapping_, i); });
    order.insert(reductions, it);
    if (order != base) result.push_back(std::move(order));
  }
  return result;
}

/// Whether no copies of results could bring the order at hand below the best.
bool LoopChooser::hopeless() const {
  const auto seen = std::ranges::find(seen_, mapping_.order, &Seen::order);
  return seen != seen_.end() && seen->inputs >= copied_->inputs && seen->least >= now_.plain.cycles;
}

void LoopChooser::saw(double least) {
  auto seen = std::ranges::find(seen_, mapping_.order, &Seen::order);
  if (seen == seen_.end()) seen = seen_.insert(seen_.end(), {mapping_.order, 0, 0});
  if (copied_->inputs > seen->inputs) *seen = {mapping_.order, copied_->inputs, least};
}

/// The order and copies at hand.
void LoopChooser::consider() {
  if (hopeless()) return;
  LoopChoice& best = now_.plain;
  const Cost cost = predict(machine_, geometry_, work_, mapping_);
  if (!cost.error.empty()) {
    if (!best.legal() && now_.error.empty()) now_.error = cost.error;
    return;
  }
  saw(cost.least);
  if (cost.cycles >= best.cycles) return;
  best = {cost.cycles, mapping_.order, mapping_.copies};
  now_.error.clear();
}

/// With more copies only while any order promises to gain by them.
void LoopChooser::try_orders() {
  const LoopChoice& best = now_.plain;
  for (const auto& few : copies_) {
    copied_ = &few;
    mapping_.copies = few.copies;
    for (int level = 0; level < mapping_.levels; ++level) {
      const auto kept = mapping_.order[level];
      for (const auto& order : orders(level)) {
        mapping_.order[level] = order;
        consider();
      }
      mapping_.order[level] = best.legal() ? best.order[level] : kept;
    }
    if (std::ranges::all_of(seen_, [&](const Seen& seen) { return seen.least >= best.cycles; })) break;
  }
}

/// Where more than the main statement's own cycles limit.
LoopChoice LoopChooser::try_keeping() {
  LoopChoice best;
  const LoopChoice& plain = now_.plain;
  if (plain.cycles < memory_bound * geometry_.tile_costs().step_cycles.front()) return best;
  set_order();
  for (const auto& order : orders(0)) {
    mapping_.order.front() = order;
    for (auto& copies : keeping_copies(mapping_, plain.copies)) {
      mapping_.copies = std::move(copies);
      const Cost cost = predict(machine_, geometry_, work_, mapping_);
      if (!cost.error.empty() || cost.cycles * worth_keeping > plain.cycles || cost.cycles >= best.cycles) continue;
      best = {cost.cycles, mapping_.order, mapping_.copies};
    }
  }
  return best;
}

LoopChoices LoopChooser::choose() {
  now_ = {};
  seen_.clear();
  set_order();
  copied_ = &copies_.front();
  mapping_.copies = copied_->copies;
  consider();
  if (!now_.plain.legal() && geometry_.tile_costs().error == now_.error) return std::move(now_);
  try_orders();
  if (now_.error.empty()) now_.keeping = try_keeping();
  return std::move(now_);
}

}  // namespace accord

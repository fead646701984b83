#include "compiler/mapping/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/keeping.h"
#include "compiler/mapping/tile_costs.h"
#include "compiler/mapping/tile_sizes.h"

namespace accord {
namespace {

using Tiles = std::vector<Extents>;
using Order = std::vector<std::vector<int>>;

constexpr std::ptrdiff_t near = 2;      ///< places in the list of sizes by which two iterators change at once
constexpr double memory_bound = 1.03;   ///< prediction over the main statement's cycles from which on tiles are kept
constexpr double worth_keeping = 1.01;  ///< prediction without that over the one with it

/// The best loop order and copies of a tiling, and what they cost.
struct Choice {
  double cycles = std::numeric_limits<double>::infinity();
  Order order;
  Copies copies;
};

/// A tiling that was tried.
struct Tried {
  std::string error;  ///< why nothing is legal
  Choice plain;       ///< with few copies of tiles
  Choice keeping;     ///< with as many as keep some on chip, where that is worth it
  const Choice& best() const { return keeping.cycles < plain.cycles ? keeping : plain; }
};

class TileSearch {
 public:
  TileSearch(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             const Mapping& assignment)
      : machine_(machine),
        work_(work),
        mapping_(assignment),
        start_(assignment.tile),
        sizes_(tile_sizes(machine, work, assignment)),
        geometry_(machine, network, work, homes, mapping_) {}

  std::vector<Mapping> run(std::size_t count, std::string& error);
  std::vector<Mapping> around(std::size_t count);

 private:
  using Entry = std::map<Tiles, Tried>::value_type;

  void choose_copies();
  void climb();
  void climb_keeping();
  bool climb_from(const Tiles& start, bool pairs);
  bool improve(bool pairs);
  void consider(const Tiles& tiles);
  std::vector<Mapping> best(std::size_t count) const;
  std::optional<Tiles> resized(const Tiles& tiles, int level, int it, std::int64_t size) const;
  std::vector<Tiles> neighbours(const Tiles& tiles, std::ptrdiff_t reach) const;
  std::vector<Tiles> levelled(const Tiles& tiles) const;
  const Entry& evaluate(const Tiles& tiles);
  Tried try_orders();
  Choice try_keeping(const Choice& plain);
  double cycles(const Entry& entry) const { return keeping_ ? entry.second.best().cycles : entry.second.plain.cycles; }
  std::vector<std::vector<int>> orders(int level) const;
  void set_order();

  const Machine& machine_;
  const Work& work_;
  Mapping mapping_;
  const Tiles start_;  ///< empty: none is known
  TileSizes sizes_;
  Geometry geometry_;
  std::map<Tiles, Tried> tried_;
  std::vector<Copies> copies_;   ///< choices, fewest bytes first
  bool keeping_ = false;         ///< the climb looks at choices that keep tiles, too
  const Entry* now_ = nullptr;   ///< where the climb stands
  const Entry* next_ = nullptr;  ///< the best neighbour so far
};

/// Output loops outside, reduction loops innermost, so that a result is finished before the next begins; the longest
/// reduction loop innermost, which hardware loops shorten most.
void TileSearch::set_order() {
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
std::vector<std::vector<int>> TileSearch::orders(int level) const {
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

/// The best orders and copies for the tiles.
Tried TileSearch::try_orders() {
  set_order();
  Tried tried;
  Choice& best = tried.plain;
  double least = std::numeric_limits<double>::infinity();  // of all orders, with any copies
  const auto consider = [&] {
    const Cost cost = predict(machine_, geometry_, work_, mapping_);
    if (cost.error.empty()) least = std::min(least, cost.least);
    if (!cost.error.empty()) {
      if (best.order.empty() && tried.error.empty()) tried.error = cost.error;
    } else if (cost.cycles < best.cycles) {
      best = {cost.cycles, mapping_.order, mapping_.copies};
      tried.error.clear();
    }
  };
  mapping_.copies = copies_.front();
  consider();
  if (best.order.empty() && geometry_.tile_costs({}).error == tried.error) return tried;
  for (const auto& copies : copies_) {
    mapping_.copies = copies;
    for (int level = 0; level < mapping_.levels; ++level) {
      const auto kept = mapping_.order[level];
      for (const auto& order : orders(level)) {
        mapping_.order[level] = order;
        consider();
      }
      mapping_.order[level] = best.order.empty() ? kept : best.order[level];
    }
    if (best.cycles <= least) break;
  }
  if (tried.error.empty()) tried.keeping = try_keeping(best);
  return tried;
}

/// Where more than the main statement's own cycles limit.
Choice TileSearch::try_keeping(const Choice& plain) {
  Choice best;
  if (plain.cycles < memory_bound * geometry_.tile_costs({}).step_cycles.front()) return best;
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

const TileSearch::Entry& TileSearch::evaluate(const Tiles& tiles) {
  const auto [it, fresh] = tried_.try_emplace(tiles);
  if (fresh) {
    mapping_.tile = tiles;
    it->second = try_orders();
  }
  return *it;
}

/// The tile of one iterator in another size; tiles outside grow with it, those inside shrink. Nothing where that is no
/// change, or smaller than legal.
std::optional<Tiles> TileSearch::resized(const Tiles& tiles, int level, int it, std::int64_t size) const {
  if (tiles[level][it] == size || size < sizes_.finest[level][it]) return std::nullopt;
  Tiles result = tiles;
  for (int l = 0; l < mapping_.levels; ++l) {
    std::int64_t& tile = result[l][it];
    tile = l < level ? std::max(tile, size) : l == level ? size : std::min(tile, size);
    if (tile < sizes_.finest[l][it]) return std::nullopt;
  }
  return result;
}

/// All that differ in the size of one iterator at one level, by at most `reach` places in the list of its sizes.
std::vector<Tiles> TileSearch::neighbours(const Tiles& tiles, std::ptrdiff_t reach) const {
  std::vector<Tiles> result;
  for (int level = mapping_.levels - 1; level >= 0; --level) {
    for (int it = 0; it < static_cast<int>(mapping_.extent.size()); ++it) {
      const auto& sizes = sizes_.sizes[it];
      const auto now = std::lower_bound(sizes.begin(), sizes.end(), tiles[level][it]);
      const auto first = now - std::min(reach, now - sizes.begin());
      const auto last = now + std::min(reach + 1, sizes.end() - now);
      for (auto size = first; size != last; ++size) {
        if (auto changed = resized(tiles, level, it, *size)) result.push_back(std::move(*changed));
      }
    }
  }
  return result;
}

void TileSearch::consider(const Tiles& tiles) {
  const Entry& entry = evaluate(tiles);
  if (!entry.second.error.empty()) return;
  if (cycles(entry) < cycles(*next_) * (1 - 1e-6)) next_ = &entry;
}

/// To the best neighbour; with `pairs` to the best near neighbour's near neighbour. False where none is better.
bool TileSearch::improve(bool pairs) {
  next_ = now_;
  const Tiles tiles = now_->first;
  for (const auto& one : neighbours(tiles, pairs ? near : PTRDIFF_MAX - 1)) {
    if (!pairs) {
      consider(one);
    } else {
      for (const auto& two : neighbours(one, near)) consider(two);
    }
  }
  const bool better = next_ != now_;
  now_ = next_;
  return better;
}

/// False where the beginning is not legal.
bool TileSearch::climb_from(const Tiles& start, bool pairs) {
  now_ = &evaluate(start);
  if (!now_->second.error.empty()) return false;
  do {
    while (improve(false)) {
    }
  } while (pairs && improve(true));
  return true;
}

/// From tiles that were good for similar work; else from each of several beginnings: few rows at a time, or what one
/// instruction counts at most. Where none of these fits, from the smallest ones.
void TileSearch::climb() {
  const bool known = !start_.empty();
  if (known && climb_from(start_, false)) return;
  bool fits = false;
  for (const auto& start : {sizes_.one, sizes_.filled, sizes_.least}) fits |= climb_from(start, !known);
  if (fits || climb_from(sizes_.cut, !known)) return;
  climb_from(sizes_.finest, !known);
}

/// On from the tiling that is quickest with tiles that stay.
void TileSearch::climb_keeping() {
  const auto best =
      std::ranges::min_element(tried_, {}, [](const Entry& entry) { return entry.second.keeping.cycles; });
  if (best == tried_.end() || best->second.keeping.order.empty()) return;
  keeping_ = true;
  now_ = &*best;
  while (improve(false)) {
  }
}

/// Results take turns with the unit that computes them and those that add to them, convert and store them: more than
/// two copies let several of these run at once.
void TileSearch::choose_copies() {
  for (const auto& [inputs, results] :
       {std::pair(1, 1), {2, 1}, {2, 2}, {1, 2}, {3, 2}, {2, 3}, {2, 4}, {4, 2}, {4, 4}}) {
    Copies& copies = copies_.emplace_back();
    for (const auto& use : mapping_.uses) {
      const bool result = use.role == UseRole::accumulator || use.role == UseRole::output;
      auto& levels = copies.emplace_back(static_cast<std::size_t>(mapping_.levels), result ? results : inputs);
      // Copies that alternate are no steady step for a hardware loop.
      if (machine_.architecture.controller.loop_depth > 0) std::fill(levels.begin() + 1, levels.end(), 1);
    }
  }
}

/// The best of all that were tried.
std::vector<Mapping> TileSearch::best(std::size_t count) const {
  std::vector<const Entry*> legal;
  for (const auto& entry : tried_) {
    if (entry.second.error.empty()) legal.push_back(&entry);
  }
  std::stable_sort(legal.begin(), legal.end(),
                   [](const Entry* a, const Entry* b) { return a->second.best().cycles < b->second.best().cycles; });
  if (legal.size() > count) legal.resize(count);
  std::vector<Mapping> result;
  for (const Entry* entry : legal) {
    Mapping& mapping = result.emplace_back(mapping_);
    const Choice& choice = entry->second.best();
    mapping.copies = choice.copies;
    mapping.tile = entry->first;
    mapping.order = choice.order;
    mapping.predicted_cycles = choice.cycles;
  }
  return result;
}

std::vector<Mapping> TileSearch::run(std::size_t count, std::string& error) {
  choose_copies();
  climb();
  climb_keeping();
  error = evaluate(sizes_.finest).second.error;
  return best(count);
}

/// Tiles of one iterator and level as many as now, or one more, but of about one size; these may be smaller than the
/// climb's.
std::vector<Tiles> TileSearch::levelled(const Tiles& tiles) const {
  std::vector<Tiles> result;
  for (int level = 0; level < mapping_.levels; ++level) {
    for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
      const std::int64_t outer = level == 0 ? mapping_.extent[it] : tiles[level - 1][it], tile = tiles[level][it];
      for (const std::int64_t more : {0, 1}) {
        const std::int64_t equal = ceil_div(outer, ceil_div(outer, tile) + more);
        if (equal == tile || equal < sizes_.finest[level][it]) continue;
        Tiles& changed = result.emplace_back(tiles);
        for (int l = level; l < mapping_.levels; ++l) changed[l][it] = std::min(changed[l][it], equal);
      }
    }
  }
  return result;
}

std::vector<Mapping> TileSearch::around(std::size_t count) {
  const Tiles tiles = mapping_.tile;
  choose_copies();
  for (const auto& one : levelled(tiles)) evaluate(one);
  for (const auto& one : neighbours(tiles, 1)) {
    evaluate(one);
    for (const auto& two : neighbours(one, 1)) evaluate(two);
  }
  tried_.erase(tiles);
  return best(count);
}

}  // namespace

std::vector<Mapping> best_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& assignment, std::size_t count, std::string& error) {
  return TileSearch(machine, network, work, homes, assignment).run(count, error);
}

std::vector<Mapping> near_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& mapping, std::size_t count) {
  return TileSearch(machine, network, work, homes, mapping).around(count);
}

}  // namespace accord

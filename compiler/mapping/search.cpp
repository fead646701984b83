#include "compiler/mapping/search.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/least_cost.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr std::ptrdiff_t near = 2;  ///< places by which two iterators change at once
constexpr double far = 2;           ///< times the instructions' own cycles: bytes take them, maybe some again and again
constexpr std::ptrdiff_t farthest = PTRDIFF_MAX - 1;

}  // namespace

TileSearch::TileSearch(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                       const Mapping& assignment)
    : machine_(machine),
      work_(work),
      mapping_(assignment),
      start_(assignment.tile),
      sizes_(tile_sizes(machine, work, assignment)),
      geometry_(machine, network, work, homes, mapping_),
      loops_(machine, geometry_, work, mapping_) {}

TileSearch::Tiles::Tiles(const std::vector<Extents>& sizes)
    : levels_(sizes.size()), iterators_(sizes.empty() ? 0 : sizes.front().size()) {
  for (const Extents& level : sizes) all_.insert(all_.end(), level.begin(), level.end());
}

void TileSearch::Tiles::write_to(std::vector<Extents>& sizes) const {
  sizes.resize(levels_);
  for (std::size_t level = 0; level < levels_; ++level) {
    const auto first = all_.begin() + static_cast<std::ptrdiff_t>(level * iterators_);
    sizes[level].assign(first, first + static_cast<std::ptrdiff_t>(iterators_));
  }
}

const TileSearch::Entry& TileSearch::evaluate(const Tiles& tiles) {
  const auto [it, fresh] = tried_.try_emplace(tiles);
  if (fresh) {
    tiles.write_to(mapping_.tile);
    it->second = loops_.choose();
    const double cycles = it->second.best().cycles;
    quickest_.insert(std::ranges::upper_bound(quickest_, cycles), cycles);
    if (quickest_.size() > most_kept) quickest_.pop_back();
  }
  return *it;
}

/// Whether the tiles, unless they were tried, cost too much in any order.
bool TileSearch::left_out(const Tiles& tiles) {
  if (tried_.contains(tiles) || quickest_.size() < most_kept) return false;
  const auto [it, fresh] = least_costs_.try_emplace(tiles, 0);
  if (fresh) {
    tiles.write_to(mapping_.tile);
    const TileCosts& costs = geometry_.tile_costs();
    if (costs.error.empty()) it->second = least_cost(work_, mapping_, costs);
  }
  return it->second >= quickest_.back() && it->second >= cycles(*next_);
}

/// The tile of one iterator in another size; tiles outside grow with it, those inside shrink. Nothing where that is no
/// change, or smaller than legal.
std::optional<TileSearch::Tiles> TileSearch::resized(const Tiles& tiles, int level, int it, std::int64_t size) const {
  if (tiles[level][it] == size || size < sizes_.finest[level][it]) return std::nullopt;
  Tiles result = tiles;
  for (int l = 0; l < mapping_.levels; ++l) {
    std::int64_t& tile = result[l][it];
    tile = l < level ? std::max(tile, size) : l == level ? size : std::min(tile, size);
    if (tile < sizes_.finest[l][it]) return std::nullopt;
  }
  return result;
}

bool TileSearch::Reach::holds(std::ptrdiff_t places) const {
  return places <= most && (!doubling || std::has_single_bit(static_cast<std::size_t>(places)));
}

/// All that differ in the size of one iterator at one level, as far as `reach` goes.
std::vector<TileSearch::Tiles> TileSearch::neighbours(const Tiles& tiles, const Reach& reach) const {
  std::vector<Tiles> result;
  for (int level = mapping_.levels - 1; level >= 0; --level) {
    for (int it = 0; it < static_cast<int>(mapping_.extent.size()); ++it) {
      const auto& sizes = sizes_.sizes[it];
      const auto now = std::lower_bound(sizes.begin(), sizes.end(), tiles[level][it]) - sizes.begin();
      const auto first = now - std::min(reach.most, now);
      const auto last = now + std::min(reach.most + 1, std::ssize(sizes) - now);
      for (auto place = first; place < last; ++place) {
        if (place != now && !reach.holds(std::abs(place - now))) continue;
        if (auto changed = resized(tiles, level, it, sizes[place])) result.push_back(std::move(*changed));
      }
    }
  }
  return result;
}

/// All in which one iterator's tile of a level is half as large or less and another's twice as large or more: what they
/// take together stays, and where memory is full neither can change by itself.
std::vector<TileSearch::Tiles> TileSearch::exchanged(const Tiles& tiles) const {
  std::vector<Tiles> result;
  for (int level = mapping_.levels - 1; level >= 0; --level) {
    for (int less = 0; less < static_cast<int>(mapping_.extent.size()); ++less) {
      const auto& sizes = sizes_.sizes[less];
      const auto above_half = std::ranges::upper_bound(sizes, tiles[level][less] / 2);
      if (above_half == sizes.begin()) continue;
      const auto smaller = resized(tiles, level, less, *std::prev(above_half));
      if (!smaller) continue;
      for (int more = 0; more < static_cast<int>(mapping_.extent.size()); ++more) {
        const auto twice = std::ranges::lower_bound(sizes_.sizes[more], tiles[level][more] * 2);
        if (more == less || twice == sizes_.sizes[more].end()) continue;
        if (auto both = resized(*smaller, level, more, *twice)) result.push_back(std::move(*both));
      }
    }
  }
  return result;
}

void TileSearch::consider(const Tiles& tiles) {
  if (left_out(tiles)) return;
  const Entry& entry = evaluate(tiles);
  if (!entry.second.error.empty()) return;
  if (cycles(entry) < cycles(*next_) * (1 - 1e-6)) next_ = &entry;
}

/// False where what was considered is not better.
bool TileSearch::move_on() {
  const bool better = next_ != now_;
  now_ = next_;
  return better;
}

/// To the best neighbour; false where none is better. Sizes lie close: all are looked at where those are not better
/// that lie twice as far away each time. Of divided work, whose parts are small and tiles many, at once: the steepest
/// way ended 6 % lower there (ResNet-18 on simba).
bool TileSearch::improve() {
  const bool undivided = mapping_.spatial.empty();
  return (undivided && improve_within({farthest, true})) || improve_within({farthest, false});
}

bool TileSearch::improve_within(const Reach& reach) {
  next_ = now_;
  for (const auto& one : neighbours(now_->first, reach)) consider(one);
  return move_on();
}

/// To the best near neighbour's near neighbour, or exchange.
bool TileSearch::improve_by_pairs() {
  next_ = now_;
  const Tiles tiles = now_->first;
  for (const auto& one : neighbours(tiles, {near})) {
    for (const auto& two : neighbours(one, {near})) consider(two);
  }
  for (const auto& both : exchanged(tiles)) consider(both);
  return move_on();
}

/// Nothing where that is not legal.
void TileSearch::descend_from(const Tiles& start) {
  now_ = &evaluate(start);
  if (!now_->second.error.empty()) return;
  while (improve()) {
  }
  ends_.push_back(now_);
}

/// Few rows at a time, or what one instruction counts at most. Where none of these fits, the smallest ones.
void TileSearch::descend(double promising) {
  if (!start_.empty()) descend_from(start_);
  if (!ends_.empty()) return;
  for (const auto* start : {&sizes_.one, &sizes_.filled, &sizes_.least}) {
    descend_from(Tiles(*start));
    if (!ends_.empty() && cycles() > promising) break;
  }
  for (const auto* start : {&sizes_.cut, &sizes_.finest}) {
    if (ends_.empty()) descend_from(Tiles(*start));
  }
  // Where loops may roll, all of their turns bring their tiles again.
  if (machine_.rolls || cycles() > promising) return;
  if (cycles() > far * static_cast<double>(compute_bound(machine_, mapping_))) {
    for (const auto& start : sizes_.whole_sums) {
      const std::size_t before = ends_.size();
      descend_from(Tiles(start));
      if (ends_.size() > before) break;
    }
  }
}

void TileSearch::descend_by_pairs() {
  for (const Entry* end : ends_) {
    now_ = end;
    while (start_.empty() && improve_by_pairs()) {
      while (improve()) {
      }
    }
  }
  descend_keeping();
}

/// On from the tiling that is quickest with tiles that stay.
void TileSearch::descend_keeping() {
  const auto best =
      std::ranges::min_element(tried_, {}, [](const Entry& entry) { return entry.second.keeping.cycles; });
  if (best == tried_.end() || !best->second.keeping.legal()) return;
  keeping_ = true;
  now_ = &*best;
  while (improve()) {
  }
}

double TileSearch::cycles() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& entry : tried_) least = std::min(least, entry.second.best().cycles);
  return least;
}

const std::string& TileSearch::error() { return evaluate(Tiles(sizes_.finest)).second.error; }

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
    const LoopChoice& choice = entry->second.best();
    mapping.copies = choice.copies;
    entry->first.write_to(mapping.tile);
    mapping.order = choice.order;
    mapping.predicted_cycles = choice.cycles;
  }
  return result;
}

/// Tiles of one iterator and level as many as now, or one more, but of about one size; these may be smaller than the
/// descent's.
std::vector<TileSearch::Tiles> TileSearch::levelled(const Tiles& tiles) const {
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

void TileSearch::look_around() {
  for (const auto& one : levelled(start_)) evaluate(one);
  for (const auto& one : neighbours(start_, {1})) {
    evaluate(one);
    for (const auto& two : neighbours(one, {1})) evaluate(two);
  }
  tried_.erase(start_);
}

std::vector<Mapping> near_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& mapping, std::size_t count) {
  TileSearch search(machine, network, work, homes, mapping);
  search.look_around();
  return search.best(count);
}

}  // namespace accord

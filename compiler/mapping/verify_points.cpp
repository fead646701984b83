#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "compiler/mapping/verify.h"

namespace accord {
namespace {

/// Calls fn with every point of the extents; iterators that `moving` denies stay at 0.
template <typename Moving, typename Fn>
void for_each_point(const Extents& extents, Moving&& moving, Fn&& fn) {
  Extents point(extents.size(), 0);
  for (;;) {
    fn(point);
    std::size_t it = extents.size();
    while (it-- > 0) {
      if (!moving(static_cast<int>(it))) continue;
      if (++point[it] < extents[it]) break;
      point[it] = 0;
    }
    if (it == SIZE_MAX) return;
  }
}

/// Walks the loops of all levels and counts how often each statement is done at each of its points.
class LoopWalk {
 public:
  LoopWalk(const Work& work, const Mapping& mapping) : work_(work), mapping_(mapping), done_(mapping.steps.size()) {}

  std::string run() {
    const std::size_t count = mapping_.extent.size();
    visit(0, 0, Extents(count, 0), mapping_.extent, Extents(count, 0), mapping_.extent);
    for (std::size_t s = 0; s < mapping_.steps.size(); ++s) {
      std::string wrong = judge(s);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  const Statement& statement(std::size_t s) const { return work_.program.statements[mapping_.steps[s].statement]; }

  /// Loops of a level from `depth` on, within the outer box; the box at hand is narrowed loop by loop.
  void visit(int level, std::size_t depth, const Extents& outer, const Extents& outer_extent, Extents origin,
             Extents extent) {
    if (depth == mapping_.order[level].size()) {
      const bool around = level == (mapping_.steps.size() > 1 ? std::max(target_level(mapping_), 0) : -1);
      if (around && begins(origin)) mark_others(true, origin, extent);
      if (level + 1 == mapping_.levels) {
        mark(0, origin, extent);
      } else {
        visit(level + 1, 0, origin, extent, origin, extent);
      }
      if (around && ends(origin, extent)) mark_others(false, origin, extent);
      return;
    }
    const int it = mapping_.order[level][depth];
    for (std::int64_t at = 0; at < outer_extent[it]; at += mapping_.tile[level][it]) {
      origin[it] = outer[it] + at;
      extent[it] = std::min(mapping_.tile[level][it], outer_extent[it] - at);
      visit(level, depth + 1, outer, outer_extent, origin, extent);
    }
  }

  bool begins(const Extents& origin) const {
    for (std::size_t it = 0; it < origin.size(); ++it) {
      if (is_reduction(work_, mapping_, static_cast<int>(it)) && origin[it] != 0) return false;
    }
    return true;
  }

  bool ends(const Extents& origin, const Extents& extent) const {
    for (std::size_t it = 0; it < origin.size(); ++it) {
      if (!is_reduction(work_, mapping_, static_cast<int>(it))) continue;
      if (origin[it] + extent[it] != mapping_.extent[it]) return false;
    }
    return true;
  }

  void mark(std::size_t s, const Extents& origin, const Extents& extent) {
    const auto used = iterators_of(statement(s));
    const auto moving = [&](int it) { return std::binary_search(used.begin(), used.end(), it); };
    for_each_point(extent, moving, [&](const Extents& point) {
      Extents at;
      for (const int it : used) at.push_back(origin[it] + point[it]);
      ++done_[s][at];
    });
  }

  /// The steps that come before the main one, or after it.
  void mark_others(bool before, const Extents& origin, const Extents& extent) {
    for (std::size_t s = 1; s < mapping_.steps.size(); ++s) {
      if ((mapping_.steps[s].statement < mapping_.steps[0].statement) == before) mark(s, origin, extent);
    }
  }

  std::string judge(std::size_t s) const {
    std::int64_t points = 1;
    for (const int it : iterators_of(statement(s))) points *= mapping_.extent[it];
    if (static_cast<std::int64_t>(done_[s].size()) != points) {
      return fmt::format("statement {} is done at {} of {} points", s, done_[s].size(), points);
    }
    for (const auto& [point, times] : done_[s]) {
      if (times != 1) return fmt::format("statement {} is done {} times at a point", s, times);
    }
    return "";
  }

  const Work& work_;
  const Mapping& mapping_;
  std::vector<std::map<Extents, int>> done_;
};

/// Follows the elements of one use's tiles.
class TileWalk {
 public:
  TileWalk(const Machine& machine, const Network& network, const Work& work, const Homes& homes, const Mapping& mapping)
      : work_(work), mapping_(mapping), geometry_(machine, network, work, homes, mapping) {}

  std::string run() {
    for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
      const Use& use = mapping_.uses[u];
      if (use.filled) continue;
      for (int level = 0; level < use.depth; ++level) {
        if (use.role == UseRole::accumulator && level + 1 != use.depth) continue;
        for (const bool remainder : {false, true}) {
          const Extents outer = level == 0 ? mapping_.extent : box(use, level - 1, remainder);
          std::string wrong = check(static_cast<int>(u), level, box(use, level, remainder), outer);
          if (!wrong.empty()) return fmt::format("use {}, level {}: {}", u, level, wrong);
        }
      }
    }
    return "";
  }

 private:
  /// The full tile of a level, or the last one in each direction.
  Extents box(const Use& use, int level, bool remainder) const {
    const int last = box_level(mapping_, use, level);
    if (!remainder) return mapping_.tile[last];
    Extents extent = mapping_.extent;
    for (int l = 0; l <= last; ++l) {
      for (std::size_t it = 0; it < extent.size(); ++it) {
        const std::int64_t rest = extent[it] % mapping_.tile[l][it];
        extent[it] = rest != 0 ? rest : std::min(mapping_.tile[l][it], extent[it]);
      }
    }
    return extent;
  }

  template <typename Fn>
  void for_each_element(int u, const Extents& extents, Fn&& fn) const {
    const Access& access = mapping_.uses[u].access;
    for_each_point(
        extents, [&](int it) { return depends(access, it); }, fn);
  }

  static Extents element(const Access& access, const Extents& point) {
    Extents at;
    for (const auto& index : access.indices) {
      at.push_back(0);
      for (const auto& [it, coefficient] : index.terms) at.back() += coefficient * point[it];
    }
    return at;
  }

  std::string check(int u, int level, const Extents& extents, const Extents& outer) {
    const Use& use = mapping_.uses[u];
    if (use.role == UseRole::start && level + 1 == use.depth)  // lies in the accumulator's tile
      return is_carried(work_, use) ? carried(u, level, extents, outer) : "";
    const Layout& layout = geometry_.layout(u, level, extents);
    if (!layout.error.empty()) return layout.error;
    std::string wrong = apart(u, layout, extents);
    if (!wrong.empty() || use.role == UseRole::accumulator) return wrong;
    const TileMove& move = geometry_.move(u, level, extents, outer);
    if (!move.error.empty()) return "";  // lowering refuses the mapping where it meets such a tile
    if (level == 0 && geometry_.is_constant(u)) return packed(u, layout, extents, move);
    for (const Extents& start : starts(use, level, extents, outer)) {
      wrong = moved(u, level, layout, extents, outer, start, move);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  /// Where tiles of these extents begin in the one outside: the last ones at its end, whole ones at its beginning and
  /// one tile on in each direction.
  std::vector<Extents> starts(const Use& use, int level, const Extents& extents, const Extents& outer) const {
    std::vector<Extents> all = {Extents(extents.size(), 0)};
    if (level == 0) return all;
    const Extents& tile = mapping_.tile[box_level(mapping_, use, level)];
    for (std::size_t it = 0; it < extents.size(); ++it) {
      if (extents[it] < tile[it]) all[0][it] = outer[it] - extents[it];
    }
    for (std::size_t it = 0; it < extents.size(); ++it) {
      if (tile[it] + extents[it] > outer[it] || extents[it] < tile[it]) continue;
      if (!depends(use.access, static_cast<int>(it))) continue;
      all.push_back(all[0]);
      all.back()[it] = tile[it];
    }
    return all;
  }

  bool is_padding(const Extents& point) const {
    const auto& iterators = work_of(work_, mapping_).program.iterators;
    for (std::size_t it = 0; it < point.size(); ++it) {
      if (point[it] >= iterators[it].extent) return true;
    }
    return false;
  }

  /// Different elements lie at different places, all within the tile, and none where padding leaves results.
  std::string apart(int u, const Layout& layout, const Extents& extents) const {
    const bool result = mapping_.uses[u].role == UseRole::output || mapping_.uses[u].role == UseRole::accumulator;
    std::map<std::int64_t, Extents> at;
    std::map<std::int64_t, bool> padded;
    std::string wrong;
    const std::int64_t size = geometry_.element_bytes(u);
    for_each_element(u, extents, [&](const Extents& point) {
      const std::int64_t offset = offset_of(layout, point);
      const auto [entry, fresh] = at.emplace(offset, element(mapping_.uses[u].access, point));
      if (!fresh && entry->second != element(mapping_.uses[u].access, point)) wrong = "two elements share a place";
      if (result && padded.emplace(offset, is_padding(point)).first->second != is_padding(point))
        wrong = "padding lies on results";
      if (offset < 0 || offset + size > layout.bytes) wrong = "an element lies outside its tile";
    });
    std::int64_t end = 0;
    for (const auto& [offset, index] : at) {
      if (offset < end) wrong = "elements overlap";
      end = offset + size;
    }
    return wrong;
  }

  /// Each element's bytes come from, or go to, where the other side has them; nothing else is written there.
  std::string moved(int u, int level, const Layout& layout, const Extents& extents, const Extents& outer,
                    const Extents& start, const TileMove& move) {
    const bool output = mapping_.uses[u].role == UseRole::output;
    const std::map<std::int64_t, std::int64_t> source_of = sources(move);
    const Layout* other = level == 0 ? nullptr : &geometry_.layout(u, level - 1, outer);
    std::set<std::int64_t> meant;
    std::string wrong;
    for_each_element(u, extents, [&](const Extents& point) {
      std::int64_t there = 0;
      if (other != nullptr) {
        Extents at = point;
        for (std::size_t it = 0; it < at.size(); ++it) at[it] += start[it];
        there = offset_of(*other, at) - offset_of(*other, start);
      } else {
        const Extents at = element(mapping_.uses[u].access, point);
        const HomeStrides& strides = geometry_.strides(u);
        for (std::size_t m = 0; m < strides.size(); ++m) there += at[m] * strides[m];
      }
      const std::int64_t here = offset_of(layout, point);
      for (std::int64_t b = 0; b < geometry_.element_bytes(u); ++b) {
        const std::int64_t target = (output ? there : here) + b, source = (output ? here : there) + b;
        meant.insert(target);
        const auto found = source_of.find(target);
        if (found == source_of.end() || found->second != source) wrong = "transfers bring another element";
      }
    });
    if (output && meant.size() != source_of.size()) wrong = "transfers write beyond the tile's elements";
    return wrong;
  }

  /// Each place of the result's tile gets what the work reads for it.
  std::string carried(int u, int level, const Extents& extents, const Extents& outer) {
    const TileMove& move = geometry_.move(u, level, extents, outer);
    if (!move.error.empty()) return "";
    const int target = target_use(mapping_);
    const Layout& layout = geometry_.layout(target, level, extents);
    const std::map<std::int64_t, std::int64_t> source_of = sources(move);
    const HomeStrides& strides = geometry_.strides(u);
    std::string wrong;
    for_each_element(target, extents, [&](const Extents& point) {
      const Extents at = element(mapping_.uses[u].access, point);
      std::int64_t there = 0;
      for (std::size_t m = 0; m < strides.size(); ++m) there += at[m] * strides[m];
      for (std::int64_t b = 0; b < geometry_.element_bytes(u); ++b) {
        const auto found = source_of.find(offset_of(layout, point) + b);
        if (found == source_of.end() || found->second != there + b) wrong = "another element is carried";
      }
    });
    return wrong;
  }

  /// By target byte, the source byte that comes there.
  static std::map<std::int64_t, std::int64_t> sources(const TileMove& move) {
    std::map<std::int64_t, std::int64_t> source_of;
    for (const auto& piece : move.pieces) {
      for_each_run(piece, [&](std::int64_t source, std::int64_t target, std::int64_t run) {
        for (std::int64_t b = 0; b < run; ++b) source_of[target + b] = source + b;
      });
    }
    return source_of;
  }

  /// The image is ours to arrange: every element's bytes come from somewhere in it, no two from the same place.
  std::string packed(int u, const Layout& layout, const Extents& extents, const TileMove& move) const {
    std::map<std::int64_t, std::int64_t> source_of;
    std::set<std::int64_t> sources;
    for (const auto& piece : move.pieces) {
      for_each_run(piece, [&](std::int64_t source, std::int64_t target, std::int64_t run) {
        for (std::int64_t b = 0; b < run; ++b) {
          source_of[target + b] = source + b;
          sources.insert(source + b);
        }
      });
    }
    if (sources.size() != source_of.size() || *sources.begin() < 0 || *sources.rbegin() >= move.image_bytes) {
      return "the constant's image is not read byte by byte";
    }
    std::string wrong;
    for_each_element(u, extents, [&](const Extents& point) {
      for (std::int64_t b = 0; b < geometry_.element_bytes(u); ++b) {
        if (source_of.count(offset_of(layout, point) + b) == 0) wrong = "an element of the constant stays behind";
      }
    });
    return wrong;
  }

  const Work& work_;
  const Mapping& mapping_;
  mutable Geometry geometry_;
};

}  // namespace

std::string verify_points(const Machine& machine, const Network& network, const Work& whole, const Homes& homes,
                          const Mapping& mapping) {
  if (mapping.form) {
    std::string wrong = differs_at_points(whole, *mapping.form);
    if (!wrong.empty()) return wrong;
  }
  const Work& work = work_of(whole, mapping);
  std::string wrong = LoopWalk(work, mapping).run();
  return wrong.empty() ? TileWalk(machine, network, work, homes, mapping).run() : wrong;
}

}  // namespace accord

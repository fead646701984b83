#include "archdsl/export/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <tuple>

namespace accord {

namespace {

// What Graphviz lays out within a second, and about what an eye takes in.
constexpr std::size_t most_groups = 80;
constexpr std::size_t most_bundles = 240;

/// How components are put together, from fine to coarse.
enum class Level { likeness, pattern, prefix, properties, kind };

using Path = std::vector<std::string>;

class Folder {
 public:
  Folder(const Wiring& wiring, Level level) : wiring_(wiring), level_(level) {
    for (const DrawnComponent& component : wiring.components) parts_.push_back(parts_of(component.name));
  }

  Picture draw() {
    collect_groups();
    if (nested()) collect_clusters();
    for (DrawnGroup& group : picture_.groups) describe_group(group);
    collect_bundles();
    describe_folding();
    return std::move(picture_);
  }

 private:
  using Prefixes = std::set<std::vector<std::vector<std::int64_t>>>;

  bool nested() const { return level_ <= Level::pattern; }
  const DrawnComponent& component(int i) const { return wiring_.components[static_cast<std::size_t>(i)]; }
  const NameParts& parts(int i) const { return parts_[static_cast<std::size_t>(i)]; }

  std::string key(int i) const {
    const DrawnComponent& c = component(i);
    const Path path = patterns_of(parts(i));
    std::string key = fmt::format("{}\n", static_cast<int>(c.shape));
    if (nested()) key += fmt::format("{}\n", fmt::join(path, "."));
    if (level_ == Level::prefix) key += path.front();
    if (level_ == Level::likeness || level_ == Level::properties) {
      key += fmt::format("{}\n{}", fmt::join(c.details, "\n"), c.likeness);
    }
    return key;
  }

  void collect_groups() {
    std::map<std::string, int> known;
    for (int i = 0; i < static_cast<int>(wiring_.components.size()); ++i) {
      const auto [found, fresh] = known.emplace(key(i), static_cast<int>(picture_.groups.size()));
      group_of_.push_back(found->second);
      if (fresh) picture_.groups.emplace_back().shape = component(i).shape;
      DrawnGroup& group = picture_.groups[static_cast<std::size_t>(found->second)];
      group.members.push_back(i);
      if (fresh && nested()) group.cluster = patterns_of(std::span(parts(i)).first(parts(i).size() - 1));
    }
  }

  static Path path_of(std::span<const NamePart> outer) { return patterns_of(outer); }

  void collect_clusters() {
    std::map<Path, std::vector<NameParts>> own;
    for (const NameParts& name : parts_) {
      for (std::size_t depth = 1; depth < name.size(); ++depth) {
        const auto outer = std::span(name).first(depth);
        const Path path = path_of(outer);
        if (!instances_[path].insert(indices(outer)).second) continue;
        own[path].push_back({outer.back()});
      }
    }
    for (const auto& [path, names] : own) {
      picture_.clusters[path] = {folded_name(names), static_cast<std::int64_t>(instances_[path].size())};
    }
  }

  static std::vector<std::vector<std::int64_t>> indices(std::span<const NamePart> outer) {
    std::vector<std::vector<std::int64_t>> result;
    for (const NamePart& part : outer) result.push_back(part.indices);
    return result;
  }

  void describe_group(DrawnGroup& group) {
    if (nested()) {
      describe_pattern(group);
    } else {
      describe_mixture(group);
    }
    if (level_ == Level::likeness || group.members.size() == 1) {
      group.details = component(group.members[0]).details;
      return;
    }
    std::set<std::vector<std::string>> looks;
    for (const int member : group.members) looks.insert(component(member).details);
    if (looks.size() == 1) group.details = *looks.begin();
    if (looks.size() > 1) group.details = {fmt::format("{} kinds", looks.size())};
  }

  /// A group that lies in only some of its cluster's instances says in which.
  void describe_pattern(DrawnGroup& group) {
    Prefixes prefixes;
    std::vector<NameParts> own, whole;
    for (const int member : group.members) {
      prefixes.insert(indices(std::span(parts(member)).first(parts(member).size() - 1)));
      own.push_back({parts(member).back()});
      whole.push_back(parts(member));
    }
    const bool everywhere = group.cluster.empty() || prefixes.size() == instances_[group.cluster].size();
    group.label = folded_name(everywhere ? own : whole);
    group.several = group.members.size() > prefixes.size();
  }

  void describe_mixture(DrawnGroup& group) {
    const std::string& first = component(group.members.front()).name;
    group.several = group.members.size() > 1;
    if (!group.several) {
      group.label = first;
    } else if (level_ == Level::prefix) {
      std::vector<NameParts> heads;
      for (const int member : group.members) heads.push_back({parts(member).front()});
      group.label = fmt::format("{}: {} × {}", folded_name(heads), group.members.size(), describe(group.shape));
    } else {
      group.label = fmt::format("{} … {} ({})", first, component(group.members.back()).name, group.members.size());
    }
  }

  /// True where both lie in one instance of the innermost cluster common to them; its path is `common`.
  bool within_instance(const DrawnWire& wire, Path& common) const {
    const NameParts& a = parts(wire.from);
    const NameParts& b = parts(wire.to);
    std::size_t depth = 0;
    while (depth + 1 < a.size() && depth + 1 < b.size() && pattern_of(a[depth]) == pattern_of(b[depth])) ++depth;
    common = path_of(std::span(a).first(depth));
    return depth > 0 && std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(depth), b.begin());
  }

  void collect_bundles() {
    std::map<std::tuple<bool, int, int>, std::size_t> known;
    std::vector<bool> inside;
    std::vector<Path> common;
    for (const DrawnWire& wire : wiring_.wires) {
      int from = group_of_[static_cast<std::size_t>(wire.from)], to = group_of_[static_cast<std::size_t>(wire.to)];
      const bool turned = known.contains({wire.instructions, to, from}) && from != to;
      if (turned) std::swap(from, to);
      const auto [found, fresh] = known.emplace(std::tuple(wire.instructions, from, to), picture_.bundles.size());
      Path path;
      const bool here = nested() && within_instance(wire, path);
      if (fresh) {
        picture_.bundles.push_back({from, to, wire.instructions, false, false, 0, wire.width, wire.width});
        inside.push_back(true);
        common.push_back(path);
      }
      const std::size_t at = found->second;
      add(picture_.bundles[at], wire, turned);
      inside[at] = inside[at] && here;
    }
    for (std::size_t b = 0; b < inside.size(); ++b) {
      const std::int64_t instances = inside[b] ? picture_.clusters.at(common[b]).instances : 1;
      if (picture_.bundles[b].count % instances == 0) picture_.bundles[b].count /= instances;
    }
  }

  static void add(DrawnBundle& bundle, const DrawnWire& wire, bool turned) {
    ++bundle.count;
    bundle.forward = bundle.forward || (turned ? wire.backward : wire.forward);
    bundle.backward = bundle.backward || (turned ? wire.forward : wire.backward);
    bundle.least_width = std::min(bundle.least_width, wire.width);
    bundle.greatest_width = std::max(bundle.greatest_width, wire.width);
  }

  void describe_folding() {
    static constexpr std::array<const char*, 5> texts = {
        "components that differ only in their indices are one", "components that share a name pattern are one",
        "components of a kind are one per outermost name", "components alike are one whatever their names",
        "components of a kind are one"};
    if (picture_.groups.size() == wiring_.components.size()) return;
    picture_.folding =
        fmt::format("{} components; {}", wiring_.components.size(), texts[static_cast<std::size_t>(level_)]);
  }

  const Wiring& wiring_;
  Level level_;
  std::vector<NameParts> parts_;
  std::map<Path, Prefixes> instances_;
  std::vector<int> group_of_;
  Picture picture_;
};

}  // namespace

Picture fold(const Wiring& wiring) {
  Picture picture;
  for (const Level level : {Level::likeness, Level::pattern, Level::prefix, Level::properties, Level::kind}) {
    picture = Folder(wiring, level).draw();
    if (picture.groups.size() <= most_groups && picture.bundles.size() <= most_bundles) break;
  }
  return picture;
}

}  // namespace accord

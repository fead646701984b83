#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "archdsl/check/elaborate.h"
#include "archdsl/check/elaborate_on_the_way.h"
#include "archdsl/source/grammar.h"

namespace accord {

namespace {

constexpr std::size_t most_targets = 1024;

/// An end of a route: its text and where that stands.
struct End {
  std::string text;
  Place place;
};

/// `a, b`: both.
void split_names(const std::string& text, const Place& place, std::vector<End>& ends) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    ends.push_back({std::string(trimmed(std::string_view(text).substr(at, comma - at))), place});
    at = comma + 1;
  }
}

/// `[*]` in the pattern stands for any index.
bool matches(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() && !name.empty()) {
    if (pattern.starts_with("[*]") && name[0] == '[') {
      pattern.remove_prefix(3);
      name.remove_prefix(std::min(name.find(']') + 1, name.size()));
    } else if (pattern[0] == name[0]) {
      pattern.remove_prefix(1);
      name.remove_prefix(1);
    } else {
      return false;
    }
  }
  return pattern.empty() && name.empty();
}

/// Reads one route of a mover.
class RouteReader {
 public:
  RouteReader(Elaboration& elaboration, const Node& node, Unit& unit, UnitSource& source)
      : elaboration_(elaboration), scope_(elaboration.scope), node_(node), unit_(unit), source_(source) {}

  void read(const std::vector<int>& links) {
    const std::size_t errors = scope_.reporter().errors();
    route_.where = elaboration_.where(node_.place);
    route_.links = links;
    if (!(node_.is_scalar() ? read_arrow() : read_map())) {
      if (scope_.reporter().errors() == errors) {
        scope_.reporter().report("wrong-value", node_.place, "a route names its source and its target: `FROM -> TO`");
      }
      source_.routes_known = false;
      return;
    }
    route_.source = elaboration_.resolve(ComponentKind::memory, from_.text, from_.place, "a route's source");
    const std::string name = name_of();
    resolve_targets();
    const bool known = route_.source >= 0 && route_.target >= 0 && gather_known_;
    source_.routes_known = source_.routes_known && known;
    check_fresh(name);
    unit_.routes.push_back(std::move(route_));
    source_.route_names.push_back(name);
    source_.route_places.push_back(node_.place);
    source_.route_sound.push_back(scope_.reporter().errors() == errors && known);
  }

 private:
  bool read_arrow() {
    const auto text = scope_.text(node_, "a route");
    if (!text) return false;
    const std::size_t arrow = text->find("->");
    if (arrow == std::string::npos) {
      scope_.reporter().report("wrong-value", node_.place, fmt::format("a route is `FROM -> TO`, not `{}`", *text));
      return false;
    }
    from_ = {std::string(trimmed(std::string_view(*text).substr(0, arrow))), node_.place};
    split_names(text->substr(arrow + 2), node_.place, to_);
    route_.walk = read_walk(elaboration_, nullptr);
    return !from_.text.empty() && !to_.empty() && !to_[0].text.empty();
  }

  bool read_map() {
    const MapReader reader(scope_, node_, "route", "a route");
    if (!reader.valid() || !reader.find("from") || !reader.find("to")) return false;
    from_ = {reader.text("from"), reader.find("from")->place};
    for (const Node* const item : items_of(*reader.find("to"))) {
      if (const auto text = scope_.text(*item, "to")) split_names(*text, item->place, to_);
    }
    if (const Node* const link = reader.find("link")) route_.links = read_links(elaboration_, *link);
    route_.walk = read_walk(elaboration_, reader.find("walk"));
    if (const Node* const pad = reader.find("pad")) route_.pad = read_padding(scope_, *pad);
    if (const Node* const gather = reader.find("gather")) {
      route_.gather = read_gather(elaboration_, *gather, route_.walk.size(), index_);
      gather_known_ = route_.gather.has_value();
    }
    return !from_.text.empty() && !to_.empty() && !to_[0].text.empty();
  }

  /// A gather is another route than the plain one: `FROM[INDEX]->TO`.
  std::string name_of() const {
    std::vector<std::string> targets;
    for (const End& end : to_) targets.push_back(end.text);
    const std::string index = index_.empty() ? "" : fmt::format("[{}]", index_);
    return fmt::format("{}{}->{}", from_.text, index, fmt::join(targets, ","));
  }

  /// `core[*].spad` stands for all elements, looked up like any reference.
  std::vector<End> expanded(const End& end) const {
    if (end.text.find("[*]") == std::string::npos) return {end};
    std::string prefix = elaboration_.current->prefix;
    do {
      std::vector<End> ends;
      for (const Memory& memory : elaboration_.architecture.memories) {
        if (matches(prefix + end.text, memory.name)) ends.push_back({memory.name, end.place});
      }
      if (!ends.empty()) return ends;
    } while (leave_instance(prefix));
    return {end};
  }

  void resolve_targets() {
    std::vector<int> targets;
    for (const End& end : to_) {
      for (const End& one : expanded(end)) {
        targets.push_back(elaboration_.resolve(ComponentKind::memory, one.text, one.place, "a route's target"));
        if (targets.back() < 0) return;
      }
    }
    route_.target = targets[0];
    route_.also.assign(targets.begin() + 1, targets.end());
    check_multicast(targets);
  }

  void check_multicast(std::vector<int> targets) {
    const auto& memories = elaboration_.architecture.memories;
    const Memory& first = memories[static_cast<std::size_t>(targets[0])];
    for (const int target : targets) {
      const Memory& memory = memories[static_cast<std::size_t>(target)];
      if (memory.capacity == first.capacity && memory.word == first.word && !memory.off_chip) continue;
      if (targets.size() == 1) continue;
      scope_.reporter().report("bad-multicast", to_[0].place,
                               fmt::format("`{}` and `{}` are not alike: a multicast writes the same bytes at the same "
                                           "addresses of on-chip memories",
                                           first.name, memory.name));
      return;
    }
    std::sort(targets.begin(), targets.end());
    const bool twice = std::adjacent_find(targets.begin(), targets.end()) != targets.end();
    if (twice || targets.size() > most_targets) {
      scope_.reporter().report("bad-multicast", to_[0].place,
                               twice ? "a multicast names a memory twice" : "a multicast has at most 1024 targets");
    }
  }

  void check_fresh(const std::string& name) {
    for (std::size_t i = 0; i < source_.route_names.size(); ++i) {
      if (source_.route_names[i] != name) continue;
      scope_.reporter()
          .report("duplicate-name", node_.place, fmt::format("`{}` has the route {} twice", unit_.name, name))
          .notes.push_back(scope_.reporter().note(source_.route_places[i], "first here"));
    }
  }

  Elaboration& elaboration_;
  Scope& scope_;
  const Node& node_;
  Unit& unit_;
  UnitSource& source_;
  Route route_;
  End from_;
  std::vector<End> to_;
  std::string index_;  ///< memory of a gather's list
  bool gather_known_ = true;
};

}  // namespace

std::vector<int> read_links(Elaboration& elaboration, const Node& node) {
  std::vector<int> links;
  for (const Node* const item : items_of(node)) {
    const auto name = elaboration.scope.text(*item, "link");
    const int link = name ? elaboration.resolve(ComponentKind::link, *name, item->place, "link") : -1;
    if (std::ranges::find(links, link) != links.end()) {
      elaboration.scope.reporter().report("wrong-value", item->place, fmt::format("the way passes `{}` twice", *name));
    } else if (link >= 0) {
      links.push_back(link);
    }
  }
  return links;
}

void read_route(Elaboration& elaboration, const Node& node, const std::vector<int>& links, Unit& unit,
                UnitSource& source) {
  RouteReader(elaboration, node, unit, source).read(links);
}

}  // namespace accord

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "archdsl/check/elaborate.h"

namespace accord {

namespace {

constexpr std::size_t most_routes = 256;
constexpr std::size_t most_walk_dims = 8;
constexpr std::int64_t unlimited = std::int64_t{1} << 40;  ///< extent of a walk that declares no limit

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<WalkDim> default_walk() { return {{unlimited, {}, {}}, {unlimited, {}, {}}, {unlimited, {}, {}}}; }

/// One step of a walk. Absent: dense, that is the bytes which the dimensions before it span.
class WalkReader {
 public:
  explicit WalkReader(Scope& scope) : scope_(scope) {}

  std::vector<WalkDim> read(const Node& node) {
    if (!node.is_sequence() || node.items.empty() || node.items.size() > most_walk_dims) {
      scope_.reporter().report("wrong-form", node.place,
                               fmt::format("a walk is a list of 1 to {} dimensions, innermost first", most_walk_dims));
      return default_walk();
    }
    std::vector<WalkDim> walk;
    for (const Node& item : node.items) walk.push_back(read_dim(item, walk));
    return walk;
  }

 private:
  WalkDim read_dim(const Node& node, const std::vector<WalkDim>& before) {
    const bool innermost = before.empty();
    MapReader reader(scope_, node, innermost ? "the innermost dimension of a walk" : "a dimension of a walk");
    WalkDim dim;
    dim.max =
        innermost ? reader.bytes("max", {1, unlimited}, unlimited) : reader.integer("max", {1, unlimited}, unlimited);
    if (innermost) {
      dim.source = dim.target = {Step::Kind::fixed, 1};
    } else if (reader.valid()) {
      dim.source = read_step(reader, "source", before, &WalkDim::source);
      dim.target = read_step(reader, "target", before, &WalkDim::target);
    }
    reader.finish();
    return dim;
  }

  Step read_step(MapReader& reader, std::string_view key, const std::vector<WalkDim>& before, Step WalkDim::*side) {
    if (const Node* const node = reader.find(key)) {
      if (node->is_scalar() && node->text == "free") return {};
      return {Step::Kind::fixed, scope_.bytes(*node, key, {0, unlimited}).value_or(0)};
    }
    const WalkDim& inner = before.back();
    const Step& step = inner.*side;
    std::int64_t dense = 0;
    const bool overflow = __builtin_mul_overflow(step.bytes, inner.max, &dense) || dense >= unlimited;
    if (step.kind == Step::Kind::fixed && !overflow) return {Step::Kind::fixed, dense};
    scope_.reporter().report("bad-walk", reader.node().place,
                             fmt::format("the step on the {} side does not follow from the dimension before it", key),
                             fmt::format("say `{}: free` or `{}: N B`", key, key));
    return {};
  }

  Scope& scope_;
};

int read_route_link(Elaboration& elaboration, const Node* node, int otherwise) {
  if (!node) return otherwise;
  const auto name = elaboration.scope.text(*node, "link");
  return name ? elaboration.resolve(ComponentKind::link, *name, node->place, "link") : -1;
}

bool read_arrow(Elaboration& elaboration, const Node& node, std::string& from, std::string& to) {
  const auto text = elaboration.scope.text(node, "a route");
  if (!text) return false;
  const std::size_t arrow = text->find("->");
  if (arrow == std::string::npos) {
    elaboration.scope.reporter().report("wrong-value", node.place,
                                        fmt::format("a route is `FROM -> TO`, not `{}`", *text));
    return false;
  }
  from = trimmed(text->substr(0, arrow));
  to = trimmed(text->substr(arrow + 2));
  return true;
}

void read_route(Elaboration& elaboration, const Node& node, int link, Unit& unit, UnitSource& source) {
  Route route;
  route.where = elaboration.where(node.place);
  route.link = link;
  const std::size_t errors = elaboration.scope.reporter().errors();
  std::string from, to;
  if (node.is_scalar()) {
    if (!read_arrow(elaboration, node, from, to)) from.clear();
    route.walk = default_walk();
  } else {
    MapReader reader(elaboration.scope, node, "a route");
    from = reader.text("from", std::nullopt);
    to = reader.text("to", std::nullopt);
    route.link = read_route_link(elaboration, reader.find("link"), link);
    const Node* const walk = reader.find("walk");
    route.walk = walk ? WalkReader(elaboration.scope).read(*walk) : default_walk();
    reader.finish();
  }
  if (from.empty() || to.empty()) {
    source.routes_known = false;
    return;
  }
  const auto place_of_end = [&](std::string_view key) {
    const Node* const end = node.find(key);
    return end ? end->place : node.place;
  };
  route.source = elaboration.resolve(ComponentKind::memory, from, place_of_end("from"), "a route's source");
  route.target = elaboration.resolve(ComponentKind::memory, to, place_of_end("to"), "a route's target");
  source.routes_known = source.routes_known && route.source >= 0 && route.target >= 0;
  const std::string name = fmt::format("{}->{}", from, to);
  for (std::size_t i = 0; i < source.route_names.size(); ++i) {
    if (source.route_names[i] != name) continue;
    elaboration.scope.reporter()
        .report("duplicate-name", node.place, fmt::format("`{}` has the route {} twice", unit.name, name))
        .notes.push_back(elaboration.scope.reporter().note(source.route_places[i], "first here"));
  }
  unit.routes.push_back(std::move(route));
  source.route_names.push_back(name);
  source.route_places.push_back(node.place);
  source.route_sound.push_back(elaboration.scope.reporter().errors() == errors && unit.routes.back().source >= 0 &&
                               unit.routes.back().target >= 0);
}

}  // namespace

Unit read_mover(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source) {
  MapReader reader(elaboration.scope, *component.node, fmt::format("mover `{}`", component.name));
  reader.find("kind");
  Unit unit;
  unit.kind = UnitKind::mover;
  unit.name = component.name;
  unit.queue = static_cast<int>(reader.integer("queue", {1, 65536}, 4));
  unit.request = reader.bytes("request", {1, 1 << 20}, 64);
  unit.in_flight = static_cast<int>(reader.integer("in_flight", {1, 65536}, 1));
  unit.setup = reader.cycles("setup", {0, 1'000'000}, 0);
  unit.area_um2 = reader.area("area");
  const int link = read_route_link(elaboration, reader.find("link"), -1);
  if (const Node* const routes = reader.find("routes")) {
    const std::vector<const Node*> items = items_of(*routes);
    if (items.size() > most_routes) {
      elaboration.scope.reporter().report("out-of-range", routes->place,
                                          fmt::format("more than {} routes", most_routes));
      source.routes_known = false;
    }
    for (const Node* const route : std::span(items).first(std::min(items.size(), most_routes)))
      read_route(elaboration, *route, link, unit, source);
  }
  if (const Node* const capabilities = reader.find("capabilities")) {
    read_capabilities(elaboration, capabilities, unit, source);
  }
  reader.finish();
  return unit;
}

}  // namespace accord

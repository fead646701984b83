#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "archdsl/expand/expand.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

constexpr std::array<std::string_view, 6> patterns = {"mesh", "torus", "ring", "chain", "all_to_all", "star"};

using Pair = std::pair<std::string, std::string>;

/// Neighbours along each dimension; `around` joins the last to the first where that is not the same pair again.
std::vector<Pair> grid(const ExpandedGroup& group, bool around) {
  std::vector<Pair> pairs;
  std::size_t stride = group.elements.size();
  for (const int extent : group.shape) {
    stride /= static_cast<std::size_t>(extent);
    for (std::size_t e = 0; e < group.elements.size(); ++e) {
      const std::size_t at = e / stride % static_cast<std::size_t>(extent);
      const bool last = at + 1 == static_cast<std::size_t>(extent);
      if (last && !(around && extent > 2)) continue;
      pairs.emplace_back(group.elements[e], group.elements[last ? e - at * stride : e + stride]);
    }
  }
  return pairs;
}

std::vector<Pair> chain(const ExpandedGroup& group, bool around) {
  std::vector<Pair> pairs;
  const std::size_t count = group.elements.size();
  for (std::size_t e = 0; e + 1 < count; ++e) pairs.emplace_back(group.elements[e], group.elements[e + 1]);
  if (around && count > 2) pairs.emplace_back(group.elements.back(), group.elements.front());
  return pairs;
}

std::vector<Pair> all_to_all(const ExpandedGroup& group) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < group.elements.size(); ++a) {
    for (std::size_t b = a + 1; b < group.elements.size(); ++b)
      pairs.emplace_back(group.elements[a], group.elements[b]);
  }
  return pairs;
}

std::vector<Pair> pairs_of(std::string_view pattern, const ExpandedGroup& group, const std::string& hub) {
  if (pattern == "mesh" || pattern == "torus") return grid(group, pattern == "torus");
  if (pattern == "ring" || pattern == "chain") return chain(group, pattern == "ring");
  if (pattern == "all_to_all") return all_to_all(group);
  std::vector<Pair> pairs;
  for (const std::string& element : group.elements) pairs.emplace_back(hub, element);
  return pairs;
}

Node scalar(const Node& like, std::string text) {
  Node node = like;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.items.clear();
  node.entries.clear();
  return node;
}

class WiringReader {
 public:
  WiringReader(Scope& scope, const Node& node, ExpandedMachine& expansion)
      : scope_(scope), reader_(scope, node, "wiring", "wiring"), expansion_(expansion) {}

  void read() {
    std::string_view pattern;
    for (const std::string_view candidate : patterns) {
      if (!reader_.find(candidate)) continue;
      if (!pattern.empty()) return wrong("two patterns in one entry; write two entries");
      pattern = candidate;
    }
    if (!reader_.valid()) return;
    if (pattern.empty()) return wrong("an entry names its pattern: mesh, torus, ring, chain, all_to_all or star");
    const ExpandedGroup* const group = find_group(*reader_.find(pattern));
    if (!group) return;
    const std::string hub = reader_.text("hub");
    if (pattern == "star" && hub.empty()) return wrong("a star needs its `hub`");
    if (pattern != "star" && !hub.empty()) return wrong("only a star has a `hub`");
    if (group->shape.empty() && pattern != "star") return wrong(fmt::format("`{}` is no array", group->name));
    if (pattern == "all_to_all" && group->elements.size() > 256) {
      return wrong("all_to_all joins at most 256 elements");
    }
    const std::string name = reader_.find("name") ? reader_.text("name") : std::string(pattern);
    if (!scope_.check_name(name, reader_.node().place, "wiring")) return;
    const std::vector<Pair> pairs = pairs_of(pattern, *group, hub);
    const bool to_itself = std::any_of(pairs.begin(), pairs.end(), [](const Pair& p) { return p.first == p.second; });
    if (pairs.empty() || to_itself) {
      return wrong(to_itself ? "a link from a component to itself" : "this pattern makes no links of so few elements");
    }
    add_links(name, pairs);
  }

 private:
  void wrong(std::string message) { scope_.reporter().report("bad-wiring", reader_.node().place, std::move(message)); }

  const ExpandedGroup* find_group(const Node& node) {
    const auto name = scope_.text(node, "wiring");
    if (!name) return nullptr;
    std::vector<std::string> names;
    for (const ExpandedGroup& group : expansion_.groups) {
      if (group.name == *name) return &group;
      names.push_back(group.name);
    }
    scope_.reporter().report("unknown-name", node.place, fmt::format("there is no array `{}`", *name),
                             did_you_mean(*name, names));
    return nullptr;
  }

  void add_links(const std::string& name, const std::vector<Pair>& pairs) {
    for (const ExpandedGroup& group : expansion_.groups) {
      if (group.name == name) return wrong(fmt::format("`{}` is taken; give another `name`", name));
    }
    ExpandedGroup links{name, {static_cast<int>(pairs.size())}, {}, reader_.node().place};
    for (const auto& [a, b] : pairs) {
      if (a.empty() || b.empty()) continue;
      if (expansion_.components.size() >= most_components)
        return wrong(fmt::format("a machine has at most {} components", most_components));
      links.elements.push_back(fmt::format("{}[{}]", name, links.elements.size()));
      expansion_.components.push_back(
          {links.elements.back(), "", reader_.node().place, &expansion_.nodes.emplace_back(link(a, b))});
    }
    links.shape = {static_cast<int>(links.elements.size())};
    expansion_.groups.push_back(std::move(links));
  }

  Node link(const std::string& a, const std::string& b) {
    const Node& like = reader_.node();
    Node node = like;
    std::erase_if(node.entries, [](const NodeEntry& entry) {
      const bool pattern = std::find(patterns.begin(), patterns.end(), entry.key.text) != patterns.end();
      return pattern || entry.key.text == "name" || entry.key.text == "hub";
    });
    Node ends = scalar(like, "");
    ends.kind = Node::Kind::sequence;
    ends.items = {scalar(like, a), scalar(like, b)};
    node.entries.push_back({scalar(like, "kind"), scalar(like, "link")});
    node.entries.push_back({scalar(like, "between"), std::move(ends)});
    if (!node.find("duplex")) node.entries.push_back({scalar(like, "duplex"), scalar(like, "true")});
    if (!node.find("latency")) node.entries.push_back({scalar(like, "latency"), scalar(like, "1")});
    return node;
  }

  Scope& scope_;
  MapReader reader_;
  ExpandedMachine& expansion_;
};

}  // namespace

void expand_wiring(Scope& scope, const Node& wiring, ExpandedMachine& expansion) {
  for (const Node* const item : items_of(wiring)) WiringReader(scope, *item, expansion).read();
}

}  // namespace accord

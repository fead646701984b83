#include "archdsl/expand/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "archdsl/expand/params.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

constexpr std::size_t most_expanded_values = 64 * most_components;
constexpr std::size_t scope_values = 8;  ///< that the memory of a scope counts as
constexpr std::size_t param_values = 4;
constexpr int deepest = 16;
constexpr std::size_t most_dims = 3;
constexpr std::array<const char*, most_dims> index_names = {"i", "j", "k"};

struct TooLarge {};

void rescope(Node& node, int scope, int instance) {
  node.scope = scope;
  node.place.instance = instance;
  for (Node& item : node.items) rescope(item, scope, instance);
  for (Node& key : node.removed) rescope(key, scope, instance);
  for (NodeEntry& entry : node.entries) {
    rescope(entry.key, scope, instance);
    rescope(entry.value, scope, instance);
  }
}

/// `name[4][2]`: the name and, for each pair of brackets, its text.
struct Declarator {
  std::string name;
  std::vector<std::string> sizes;
  bool closed = true;
};

Declarator split(const std::string& text) {
  Declarator result;
  std::size_t at = std::min(text.find('['), text.size());
  result.name = text.substr(0, at);
  while (at < text.size()) {
    const std::size_t end = text.find(']', at);
    if (text[at] != '[' || end == std::string::npos) {
      result.closed = false;
      break;
    }
    result.sizes.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return result;
}

class Expander {
 public:
  Expander(Scope& scope, const Node* templates, bool literal)
      : scope_(scope), templates_(templates), literal_(literal) {}

  void components(const Node& node, const std::string& prefix) {
    for (const NodeEntry& entry : scope_.entries(&node, "components", most_components)) component(entry, prefix);
  }

  ExpandedMachine take() { return std::move(expansion_); }

 private:
  void report(std::string_view code, const Place& place, std::string message, std::string hint = {}) {
    scope_.reporter().report(code, place, std::move(message), std::move(hint));
  }

  void component(const NodeEntry& entry, const std::string& prefix) {
    if (literal_) {
      add_instances_around(entry.key);
      add(prefix + entry.key.text, prefix, entry.key.place, entry.value);
      return;
    }
    const auto text = scope_.text(entry.key, "component");
    if (!text) return;
    const Declarator declarator = split(*text);
    if (!declarator.closed) {
      report("bad-name", entry.key.place, fmt::format("`{}` is no name of an array", *text),
             "such as `core[4]` or `pe[8][8]`");
      return;
    }
    if (!scope_.check_name(declarator.name, entry.key.place, "component")) return;
    ExpandedGroup group{prefix + declarator.name, {}, {}, entry.key.place};
    if (!read_shape(declarator, entry.key.place, group.shape)) return;
    const std::size_t index = expansion_.groups.size();
    const auto [clash, fresh] = group_of_.emplace(group.name, index);
    if (!fresh) {
      const Place& first = expansion_.groups[clash->second].place;
      scope_.reporter()
          .report("duplicate-name", entry.key.place, fmt::format("`{}` is declared twice", group.name))
          .notes.push_back(scope_.reporter().note(first, "first here"));
      return;
    }
    expansion_.groups.push_back(group);
    std::vector<int> at(group.shape.size(), 0);
    do {
      std::string element = element_of(entry, group, at, prefix);
      expansion_.groups[index].elements.push_back(std::move(element));
    } while (advance(at, group.shape));
  }

  /// In a literal name "core[0].spad" the instance is core[0]: links may end there.
  void add_instances_around(const Node& key) {
    for (std::size_t dot = key.text.find('.'); dot != std::string::npos; dot = key.text.find('.', dot + 1)) {
      const std::string name = key.text.substr(0, dot);
      if (group_of_.emplace(name, expansion_.groups.size()).second) {
        expansion_.groups.push_back({name, {}, {name}, key.place});
      }
    }
  }

  bool read_shape(const Declarator& declarator, const Place& place, std::vector<int>& shape) {
    std::size_t elements = 1;
    for (const std::string& size : declarator.sizes) {
      const auto value = parse_quantity(size);
      const bool whole = value && value->integral && value->dimension == Dimension::none && value->integer >= 1;
      if (!whole || declarator.sizes.size() > most_dims) {
        report("bad-name", place,
               whole ? fmt::format("an array has at most {} dimensions", most_dims)
                     : fmt::format("`{}` is no size of an array", size),
               whole ? "" : "a whole number, or `${...}`");
        return false;
      }
      elements *= static_cast<std::size_t>(std::min<std::int64_t>(value->integer, 1 << 20));
      if (elements + expansion_.components.size() > most_components) {
        report("too-many-components", place, fmt::format("a machine has at most {} components", most_components));
        return false;
      }
      shape.push_back(static_cast<int>(value->integer));
    }
    return true;
  }

  static bool advance(std::vector<int>& at, const std::vector<int>& shape) {
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) return true;
      at[d] = 0;
    }
    return false;
  }

  /// The element's name; empty where `when` leaves it out.
  std::string element_of(const NodeEntry& entry, const ExpandedGroup& group, const std::vector<int>& at,
                         const std::string& prefix) {
    std::string name = group.name;
    for (const int index : at) name += fmt::format("[{}]", index);
    const Node* value = &entry.value;
    if (!at.empty()) value = &indexed(entry.value, at);
    if (const Node* const when = value->find("when")) {
      const bool exists = scope_.flag(*when, "when").value_or(true);
      if (!exists) return {};
    }
    if (value->find("template")) {
      instantiate(*value, name, entry.key.place);
    } else {
      add(name, prefix, entry.key.place, *value);
    }
    return name;
  }

  /// A copy that sees the element's indices.
  const Node& indexed(const Node& node, const std::vector<int>& at) {
    const int inner = scope_.open(node.scope);
    for (std::size_t d = 0; d < at.size(); ++d) {
      Param index;
      index.name = index_names[d];
      index.value = make_quantity(at[d], Dimension::none);
      index.used = true;
      scope_.declare(inner, std::move(index));
    }
    return copy(node, inner, node.place.instance);
  }

  void charge(std::size_t values, const Place& place) {
    values_ += values;
    if (values_ <= most_expanded_values) return;
    report("too-many-components", place,
           fmt::format("the machine has more than {} values once it is expanded", most_expanded_values));
    throw TooLarge();
  }

  Node& copy(const Node& node, int scope, int instance) {
    charge(scope_values + size_of(node), node.place);
    Node& result = expansion_.nodes.emplace_back(node);
    rescope(result, scope, instance);
    return result;
  }

  void add(const std::string& name, const std::string& prefix, const Place& place, const Node& node) {
    if (expansion_.components.size() >= most_components) {
      report("too-many-components", place, fmt::format("a machine has at most {} components", most_components));
      throw TooLarge();
    }
    expansion_.components.push_back({name, prefix, place, &node});
  }

  const Node* find_template(const Node& name) {
    const auto text = scope_.text(name, "template");
    if (!text) return nullptr;
    const Node* const found = templates_ && templates_->is_map() ? templates_->find(*text) : nullptr;
    expansion_.unused_templates.erase(*text);
    if (found) return found;
    std::vector<std::string> known;
    if (templates_) {
      for (const NodeEntry& entry : templates_->entries) known.push_back(entry.key.text);
    }
    report("unknown-name", name.place, fmt::format("there is no template `{}`", *text), did_you_mean(*text, known));
    return nullptr;
  }

  void instantiate(const Node& value, const std::string& name, const Place& place) {
    MapReader reader(scope_, value, "instance", fmt::format("instance `{}`", name));
    const Node* const found = find_template(*reader.find("template"));
    if (!found || !found->is_map()) return;
    if (++depth_ > deepest) {
      report("too-many-components", place, "templates instantiate each other more than 16 levels deep",
             "a template may not contain itself");
      throw TooLarge();
    }
    const int inner = scope_.open(0);
    const std::string& template_name = reader.find("template")->text;
    const int instance = scope_.reporter().add_instance(place, fmt::format("template `{}` is", template_name));
    const Node& body = copy(*found, inner, instance);
    const Node* const params = body.find("params");
    if (params) charge(param_values * params->entries.size(), params->place);
    declare_arguments(scope_, params, reader.find("with"), inner);
    if (const Node* const inside = body.find("components")) components(*inside, name + ".");
    --depth_;
  }

  Scope& scope_;
  const Node* templates_;
  bool literal_;
  ExpandedMachine expansion_;
  std::unordered_map<std::string, std::size_t> group_of_;
  std::size_t values_ = 0;
  int depth_ = 0;

 public:
  /// Templates are checked once each, also those that nothing instantiates.
  void check_templates() {
    for (const NodeEntry& entry : scope_.entries(templates_, "templates", most_components)) {
      scope_.check_name(entry.key.text, entry.key.place, "template");
      expansion_.unused_templates.emplace(entry.key.text, entry.key.place);
      MapReader(scope_, entry.value, "template", fmt::format("template `{}`", entry.key.text));
    }
  }
};

}  // namespace

ExpandedMachine expand(Scope& scope, const Node* templates, const Node& components, bool literal) {
  Expander expander(scope, templates, literal);
  try {
    expander.check_templates();
    expander.components(components, "");
  } catch (const TooLarge&) {
  }
  return expander.take();
}

}  // namespace accord

#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "archdsl/source/node.h"
#include "archdsl/source/scope.h"

namespace accord {

/// A component as it stands in the machine, templates and arrays expanded.
struct ExpandedComponent {
  std::string name;    ///< "core[2].spad"
  std::string prefix;  ///< "core[2]."; its references are looked up here first, then further out
  Place place;
  const Node* node = nullptr;
};

/// A component, instance or array of them, as the covenant names it: what wiring joins.
struct ExpandedGroup {
  std::string name;                   ///< "core"
  std::vector<int> shape;             ///< empty: not an array
  std::vector<std::string> elements;  ///< "core[0][1]", row by row; empty where `when` left the element out
  Place place;
};

struct ExpandedMachine {
  std::vector<ExpandedComponent> components;
  std::vector<ExpandedGroup> groups;
  std::deque<Node> nodes;  ///< what the components' nodes lie in
  std::map<std::string, Place> unused_templates;
};

#ifndef ACCORD_MOST_COMPONENTS  // the fuzz targets take fewer: the sanitizers make them slow
#define ACCORD_MOST_COMPONENTS 16384
#endif
constexpr std::size_t most_components = ACCORD_MOST_COMPONENTS;

/// Expands `components`: instances of templates, arrays, `when`. With `literal`, names stand for themselves.
ExpandedMachine expand(Scope& scope, const Node* templates, const Node& components, bool literal);

/// Adds the links that `wiring` (a map or a list of them) describes.
void expand_wiring(Scope& scope, const Node& wiring, ExpandedMachine& expansion);

}  // namespace accord

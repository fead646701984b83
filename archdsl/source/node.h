#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/reporter.h"

namespace accord {

struct NodeEntry;

/// A piece of the YAML document with its place. Aliases are expanded, keys are unique plain scalars.
struct Node {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  Place place;
  bool quoted = false;
  int scope = 0;                   ///< what its `${...}` see (Scope::open); 0: the covenant's params
  std::string text;                ///< scalar
  std::vector<Node> items;         ///< sequence
  std::vector<NodeEntry> entries;  ///< map
  std::vector<Node> removed;       ///< keys that a map had, until a file that extends its own left them empty

  bool is_map() const { return kind == Kind::map; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  /// Value of `key` in a map; null where absent.
  const Node* find(std::string_view key) const;
};

struct NodeEntry {
  Node key;
  Node value;
};

/// Number of values in a node, itself included; long texts count as several. Bounds the memory of copies.
std::size_t size_of(const Node& node);

/// Items of a list, or the single value itself.
std::vector<const Node*> items_of(const Node& node);

/// "a map", "a list", ...: for diagnostics.
std::string_view describe(Node::Kind kind);

/// Parses one of the reporter's files as one YAML document. Reports syntax errors, duplicate keys, keys that are not
/// scalars, cycles of aliases, and documents beyond the limits of depth and size; gives a null node where nothing is
/// left.
Node parse_document(Reporter& reporter, int file = 0);

}  // namespace accord

#include "archdsl/expand/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace accord {

namespace {

constexpr std::size_t most_values = 400'000;

namespace fs = std::filesystem;

/// What an included file says of itself alone.
constexpr std::array<std::string_view, 3> own_keys = {"accord", "name", "source"};

/// Where each key of a map stands. Keys are unique, so one pass over another map needs it once.
std::unordered_map<std::string, std::size_t> index_of(const Node& map) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t e = 0; e < map.entries.size(); ++e) index.emplace(map.entries[e].key.text, e);
  return index;
}

void erase_entries(Node& map, std::vector<std::size_t> which) {
  std::sort(which.begin(), which.end());
  std::size_t kept = 0;
  for (std::size_t e = 0, next = 0; e < map.entries.size(); ++e) {
    if (next < which.size() && which[next] == e) {
      ++next;
    } else {
      if (kept != e) map.entries[kept] = std::move(map.entries[e]);
      ++kept;
    }
  }
  map.entries.resize(kept);
}

class Composer {
 public:
  Composer(Reporter& reporter, const std::vector<fs::path>& search) : reporter_(reporter), search_(search) {}

  Node read(int file) {
    Node root = parse_document(reporter_, file);
    values_ += size_of(root);
    if (values_ > most_values) {
      reporter_.report("yaml-limits", {0, 0, 1, file}, fmt::format("more than {} values in all files", most_values));
      return {};
    }
    if (!root.is_map()) return root;
    open_.push_back(file);
    const Node extends = take(root, "extends"), include = take(root, "include");
    if (include.kind != Node::Kind::null) {
      for (const Node* const name : items_of(include)) {
        Node fragment = read_named(*name);
        if (!fragment.is_map()) return leave();
        join_sections(root, std::move(fragment));
      }
    }
    if (extends.kind != Node::Kind::null) {
      Node base = read_named(extends);
      if (!base.is_map()) return leave();
      overlay(base, std::move(root));
      root = std::move(base);
    }
    open_.pop_back();
    return root;
  }

  /// The file that `name` names; empty, with a diagnostic, where there is none.
  fs::path find(const Node& name) {
    if (!name.is_scalar() || name.text.empty()) {
      reporter_.report("wrong-form", name.place, fmt::format("the path of a file, not {}", describe(name.kind)));
      return {};
    }
    std::vector<fs::path> folders = {reporter_.path(name.place.file).parent_path()};
    folders.insert(folders.end(), search_.begin(), search_.end());
    for (const fs::path& folder : folders) {
      std::error_code status;
      if (fs::exists(folder / name.text, status)) return folder / name.text;
    }
    reporter_.report("unreadable-file", name.place, fmt::format("there is no file `{}`", name.text),
                     "it is looked for beside this file, in the folders of ACCORD_PATH, and in Accord's configs");
    return {};
  }

 private:
  /// Without a file that it names, nothing can be said of the covenant.
  Node leave() {
    open_.pop_back();
    return {};
  }

  static Node take(Node& map, std::string_view key) {
    const auto found =
        std::find_if(map.entries.begin(), map.entries.end(), [&](const NodeEntry& e) { return e.key.text == key; });
    if (found == map.entries.end()) return {};
    Node value = std::move(found->value);
    map.entries.erase(found);
    return value;
  }

  Node read_named(const Node& name) {
    const fs::path path = find(name);
    if (path.empty()) return {};
    for (const int file : open_) {
      std::error_code status;
      if (!fs::equivalent(reporter_.path(file), path, status)) continue;
      reporter_.report("include-circle", name.place, fmt::format("`{}` includes or extends itself", name.text));
      return {};
    }
    const int file = reporter_.read(path, name.place);
    if (file < 0) return {};
    Node root = read(file);
    if (root.is_map() || reporter_.errors() > 0) return root;
    reporter_.report("wrong-form", root.place, fmt::format("`{}` must be a map, not {}", name.text, describe(root.kind)));
    return {};
  }

  /// Adds a fragment's sections.
  void join_sections(Node& into, Node fragment) {
    std::erase_if(fragment.entries, [](const NodeEntry& entry) {
      return std::find(own_keys.begin(), own_keys.end(), entry.key.text) != own_keys.end();
    });
    join(into, std::move(fragment), 1);
  }

  /// Joins the entries of maps down to `levels` levels (one more in `isa`); what stands in both is a mistake.
  void join(Node& into, Node fragment, int levels) {
    const auto index = index_of(into);
    for (NodeEntry& entry : fragment.entries) {
      const auto found = index.find(entry.key.text);
      if (found == index.end()) {
        into.entries.push_back(std::move(entry));
        continue;
      }
      NodeEntry* const known = &into.entries[found->second];
      if (levels > 0 && known->value.is_map() && entry.value.is_map()) {
        join(known->value, std::move(entry.value), levels - (entry.key.text == "isa" ? 0 : 1));
      } else if (levels > 0 && known->value.is_sequence() && entry.value.is_sequence()) {
        for (Node& item : entry.value.items) known->value.items.push_back(std::move(item));
      } else {
        reporter_
            .report("duplicate-key", known->key.place,
                    fmt::format("`{}` stands here and in an included file", entry.key.text))
            .notes.push_back(reporter_.note(entry.key.place, "the other"));
      }
    }
  }

  /// Lays `top` over `base`, map by map.
  void overlay(Node& base, Node top) {
    const auto index = index_of(base);
    std::vector<std::size_t> removed;
    for (NodeEntry& entry : top.entries) {
      const auto found = index.find(entry.key.text);
      NodeEntry* const known = found == index.end() ? nullptr : &base.entries[found->second];
      if (entry.value.kind == Node::Kind::null) {
        if (!known) {
          reporter_.report("unknown-key", entry.key.place,
                           fmt::format("`{}` is to be removed, but the covenant below has none", entry.key.text));
        } else {
          removed.push_back(found->second);
          base.removed.push_back(std::move(entry.key));
        }
      } else if (!known) {
        base.entries.push_back(std::move(entry));
      } else if (known->value.is_map() && entry.value.is_map()) {
        overlay(known->value, std::move(entry.value));
        known->key.place = entry.key.place;
      } else {
        *known = std::move(entry);
      }
    }
    erase_entries(base, std::move(removed));
  }

  Reporter& reporter_;
  const std::vector<fs::path>& search_;
  std::vector<int> open_;
  std::size_t values_ = 0;
};

}  // namespace

Node compose(Reporter& reporter, const std::vector<fs::path>& search) { return Composer(reporter, search).read(0); }

Node read_named_file(Reporter& reporter, const Node& path, const std::vector<fs::path>& search) {
  const fs::path found = Composer(reporter, search).find(path);
  const int file = found.empty() ? -1 : reporter.read(found, path.place);
  return file < 0 ? Node{} : parse_document(reporter, file);
}

}  // namespace accord

#include "archdsl/source/node.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <sstream>
#include <utility>

#include "archdsl/source/unclosed.h"

namespace accord {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_nodes = 200'000;
constexpr std::size_t value_bytes = 64;  ///< of text count as one value more

struct Stop {};  ///< thrown once what follows cannot be understood; the diagnostic is already made

/// Builds the tree from the parser's events, with every alias expanded where it stands.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Reporter& reporter, int file) : reporter_(reporter), file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(Node::Kind::null, mark, anchor, {}, false);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      reporter_.report("yaml-alias", place(mark), "this alias stands inside what it names");
      throw Stop();
    }
    count(found->second.size, mark);
    Node copy = found->second.node;
    add(std::move(copy), found->second.size);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    leaf(Node::Kind::scalar, mark, anchor, value, tag == "!");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::sequence, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  Node take() { return std::move(root_); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    std::size_t size = 1;
    bool have_key = false;
    Node key;
    std::map<std::string, Place, std::less<>> keys;
  };
  struct Anchored {
    Node node;
    std::size_t size = 1;
  };

  Place place(const YAML::Mark& mark) const { return {mark.line + 1, mark.column + 1, 1, file_}; }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ <= most_nodes) return;
    reporter_.report("yaml-limits", place(mark), fmt::format("more than {} values, aliases expanded", most_nodes));
    throw Stop();
  }

  void leaf(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& text, bool quoted) {
    const std::size_t size = 1 + text.size() / value_bytes;
    count(size, mark);
    Node node;
    node.kind = kind;
    node.place = place(mark);
    node.text = text;
    node.quoted = quoted;
    const std::size_t shown = text.substr(0, text.find('\n')).size();
    node.place.length = static_cast<int>(std::max<std::size_t>(1, shown + (quoted ? 2 : 0)));
    finish(std::move(node), anchor, size, mark);
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(1, mark);
    if (frames_.size() >= deepest) {
      reporter_.report("yaml-limits", place(mark), fmt::format("nested deeper than {} levels", deepest));
      throw Stop();
    }
    Frame& frame = frames_.emplace_back();
    frame.node.kind = kind;
    frame.node.place = place(mark);
    frame.anchor = anchor;
    frame.mark = mark;
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor, frame.size, frame.mark);
  }

  /// What has an anchor is kept a second time, so it counts twice.
  void finish(Node node, YAML::anchor_t anchor, std::size_t size, const YAML::Mark& mark) {
    if (anchor != 0) {
      count(size, mark);
      anchors_[anchor] = {node, size};
    }
    add(std::move(node), size);
  }

  void add(Node node, std::size_t size) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    frame.size += size;
    if (frame.node.is_sequence()) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.have_key) {
      frame.key = std::move(node);
      frame.have_key = true;
    } else {
      frame.have_key = false;
      add_entry(frame, std::move(node));
    }
  }

  void add_entry(Frame& frame, Node value) {
    if (!frame.key.is_scalar()) {
      reporter_.report("yaml-key", frame.key.place, "a key must be a name");
      return;
    }
    const auto [earlier, fresh] = frame.keys.emplace(frame.key.text, frame.key.place);
    if (!fresh) {
      reporter_.report("duplicate-key", frame.key.place, fmt::format("`{}` stands here a second time", frame.key.text))
          .notes.push_back(reporter_.note(earlier->second, "first here"));
      return;
    }
    frame.node.entries.push_back({std::move(frame.key), std::move(value)});
  }

  Reporter& reporter_;
  int file_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Node root_;
  std::size_t nodes_ = 0;
};

/// Whether a tab stands before the first word of the line, counted from 0.
bool indented_by_tab(std::string_view text, int line) {
  for (; line > 0 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const NodeEntry& e) { return e.key.text == key; });
  return found == entries.end() ? nullptr : &found->value;
}

std::vector<const Node*> items_of(const Node& node) {
  if (!node.is_sequence()) return {&node};
  std::vector<const Node*> items;
  for (const Node& item : node.items) items.push_back(&item);
  return items;
}

std::string_view describe(Node::Kind kind) {
  static constexpr std::array<std::string_view, 4> texts = {"nothing", "a single value", "a list", "a map"};
  return texts[static_cast<std::size_t>(kind)];
}

std::size_t size_of(const Node& node) {
  std::size_t size = 1 + node.text.size() / value_bytes;
  for (const Node& item : node.items) size += size_of(item);
  for (const NodeEntry& entry : node.entries) size += size_of(entry.key) + size_of(entry.value);
  return size;
}

Node parse_document(Reporter& reporter, int file) {
  TreeBuilder builder(reporter, file);
  try {
    std::istringstream in(reporter.text(file));
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) {
      reporter.report("yaml-syntax", {0, 0, 1, file}, "the file is empty");
      return {};
    }
    Node root = builder.take();
    TreeBuilder second(reporter, file);
    if (parser.HandleNextDocument(second)) {
      reporter.report("yaml-syntax", second.take().place, "a covenant is one document; this begins a second");
    }
    return root;
  } catch (const Stop&) {
  } catch (const YAML::Exception& error) {
    const bool tab = indented_by_tab(reporter.text(file), error.mark.line);
    reporter.report(
        "yaml-syntax", {error.mark.line + 1, error.mark.column + 1, 1, file},
        tab ? "a tab in the indentation" : error.msg,
        tab ? "YAML indents by spaces alone" : left_open(reporter.text(file), error.mark.line, error.mark.column));
  }
  return {};
}

}  // namespace accord

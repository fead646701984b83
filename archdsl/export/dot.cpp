#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

#include "archdsl/export/fold.h"
#include "archdsl/export/show.h"

namespace accord {

namespace {

struct Style {
  const char* shape;
  const char* style;
  const char* fill;
  const char* line;
};

/// By DrawnShape. Fills are light enough for black print on white paper.
constexpr std::array<Style, 6> styles = {{{"cylinder", "filled", "#b8cde4", "#2f5d8c"},
                                          {"box", "filled", "#dce9f6", "#2f5d8c"},
                                          {"box", "filled,bold", "#e4e4e4", "#555555"},
                                          {"hexagon", "filled", "#d8edd2", "#3c7a35"},
                                          {"box", "filled,rounded", "#fde3c4", "#b36a12"},
                                          {"ellipse", "filled", "#e9dcf3", "#6d4191"}}};

constexpr std::string_view instruction_look =
    "style=dashed, color=\"#6d4191\", fontcolor=\"#6d4191\", arrowsize=0.5, penwidth=0.8";

/// Text inside an HTML-like label.
std::string html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

/// A quoted identifier.
std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string node_id(int group) { return fmt::format("n{}", group); }

std::string node(const std::string& id, DrawnShape shape, const std::string& label, int peripheries) {
  const Style& s = styles[static_cast<std::size_t>(shape)];
  return fmt::format("{} [shape={}, style={}, fillcolor={}, color={}, peripheries={}, label=<{}>];\n", id, s.shape,
                     dot_quoted(s.style), dot_quoted(s.fill), dot_quoted(s.line), peripheries, label);
}

std::string group_node(const DrawnGroup& group, int index) {
  std::string label = fmt::format("<b>{}</b>", html(group.label));
  for (const std::string& line : group.details) {
    label += fmt::format("<br/><font point-size=\"9\">{}</font>", html(line));
  }
  return node(node_id(index), group.shape, label, group.several ? 2 : 1);
}

std::string_view direction(const DrawnBundle& b) {
  if (b.forward && b.backward) return "both";
  return b.backward ? "back" : "forward";
}

std::string bundle_edge(const DrawnBundle& b) {
  std::string label = b.count > 1 ? fmt::format("{} × ", b.count) : "";
  if (b.instructions) {
    label = b.count > 1 ? fmt::format("× {}", b.count) : "";
    return fmt::format("  {} -> {} [{}, label={}];\n", node_id(b.from), node_id(b.to), instruction_look,
                       dot_quoted(label));
  }
  label += b.least_width == b.greatest_width
               ? bytes_text(b.least_width)
               : fmt::format("{} … {}", bytes_text(b.least_width), bytes_text(b.greatest_width));
  return fmt::format("  {} -> {} [dir={}, label={}];\n", node_id(b.from), node_id(b.to), direction(b),
                     dot_quoted(label));
}

/// Nodes and sub-clusters of the cluster at `path`, all that lies deeper included.
class ClusterWriter {
 public:
  explicit ClusterWriter(const Picture& picture) : picture_(picture) {}

  std::string write(const std::vector<std::string>& path) {
    std::string text;
    for (std::size_t g = 0; g < picture_.groups.size(); ++g) {
      if (picture_.groups[g].cluster == path) text += "  " + group_node(picture_.groups[g], static_cast<int>(g));
    }
    for (const auto& [inner, cluster] : picture_.clusters) {
      const bool child = inner.size() == path.size() + 1 && std::equal(path.begin(), path.end(), inner.begin());
      if (!child) continue;
      const std::string times = cluster.instances > 1 ? fmt::format(" <i>× {}</i>", cluster.instances) : "";
      text += fmt::format(
          "  subgraph cluster_{} {{\n  labeljust=l; style=\"rounded,filled\"; color=\"#999999\"; "
          "fillcolor=\"#f7f7f7\"; "
          "peripheries={}; "
          "label=<<b>{}</b>{}>;\n",
          ++count_, cluster.instances > 1 ? 2 : 1, html(cluster.label), times);
      text += write(inner) + "  }\n";
    }
    return text;
  }

 private:
  const Picture& picture_;
  int count_ = 0;
};

/// Off-chip memory stands where data come from.
std::string leftmost(const Picture& picture) {
  std::string ids;
  for (std::size_t g = 0; g < picture.groups.size(); ++g) {
    const DrawnGroup& group = picture.groups[g];
    if (group.shape == DrawnShape::off_chip_memory && group.cluster.empty()) ids += node_id(static_cast<int>(g)) + "; ";
  }
  return ids.empty() ? "" : fmt::format("  {{rank=min; {}}}\n", ids);
}

/// A row of samples: each shape in use, joined by both kinds of edge.
std::string legend(const Picture& picture) {
  static constexpr std::array<DrawnShape, 6> row = {DrawnShape::controller, DrawnShape::mover,
                                                    DrawnShape::memory,     DrawnShape::compute,
                                                    DrawnShape::link,       DrawnShape::off_chip_memory};
  std::set<DrawnShape> used = {DrawnShape::controller, DrawnShape::mover, DrawnShape::memory};
  for (const DrawnGroup& group : picture.groups) used.insert(group.shape);
  std::string text =
      "  subgraph cluster_legend {\n  label=<<i>legend</i>>; color=\"#cccccc\"; style=dashed; fontsize=9;\n"
      "  node [fontsize=9, margin=\"0.06,0.03\", height=0.3];\n  edge [fontsize=8];\n";
  std::string last;
  for (const DrawnShape shape : row) {
    if (!used.contains(shape)) continue;
    const std::string id = fmt::format("legend{}", static_cast<int>(shape));
    text += "  " + node(id, shape, describe(shape), 1);
    const std::string_view look = shape == DrawnShape::mover    ? instruction_look
                                  : shape == DrawnShape::memory ? "label=\"bytes per cycle\""
                                                                : "style=invis";
    if (!last.empty())
      text += fmt::format("  {} -> {} [{}{}];\n", last, id, look,
                          shape == DrawnShape::mover ? ", label=\"instructions\"" : "");
    last = id;
  }
  return text + "  }\n";
}

}  // namespace

std::string to_dot(const Architecture& a) {
  const Picture picture = fold(wiring_of(a));
  std::string caption = fmt::format("<b>{}</b>", html(a.name));
  if (!picture.folding.empty()) caption += fmt::format("<br/><font point-size=\"9\">{}</font>", html(picture.folding));
  std::string text = fmt::format(
      "digraph {} {{\n  rankdir=LR; newrank=true; nodesep=0.3; ranksep=0.6; labelloc=t; fontname=\"Helvetica\"; "
      "fontsize=12; "
      "label=<{}>;\n"
      "  node [fontname=\"Helvetica\", fontsize=11, margin=\"0.12,0.06\"];\n"
      "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7, color=\"#444444\"];\n",
      dot_quoted(a.name), caption);
  text += ClusterWriter(picture).write({}) + leftmost(picture);
  for (const DrawnBundle& bundle : picture.bundles) text += bundle_edge(bundle);
  return text + legend(picture) + "}\n";
}

}  // namespace accord

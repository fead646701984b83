#include "archdsl/source/figure_table.h"

#include <fmt/format.h>

#include <cmath>

#include "archdsl/source/scope.h"

namespace accord {

namespace {

constexpr std::size_t most_figures = 4096;

/// `VALUE`, or `{value: VALUE, doc, source}`.
void read_value(Scope& scope, const NodeEntry& entry, FigureTable& table) {
  const Node* node = &entry.value;
  if (node->is_map()) {
    const MapReader reader(scope, *node, "figure", fmt::format("figure `{}`", entry.key.text));
    node = reader.find("value");
  }
  if (!node || !scope.check_name(entry.key.text, entry.key.place, "figure")) return;
  if (const auto value = scope.quantity(*node, entry.key.text)) table.values.emplace(entry.key.text, *value);
}

bool read_point(Scope& scope, const Node& node, FigureTable::Curve& curve) {
  const auto wrong = [&](std::string_view why) {
    scope.reporter().report("bad-table", node.place, std::string(why));
    return false;
  };
  if (!node.is_sequence() || node.items.size() != 2) return wrong("a point is a list of two numbers: [x, y]");
  const auto x = scope.quantity(node.items[0], "x");
  const auto y = scope.quantity(node.items[1], "y");
  if (!x || !y) return false;
  if (x->number() <= 0 || y->number() <= 0) return wrong("a curve's points are positive");
  if (curve.points.empty()) {
    curve.x_dimension = x->dimension;
    curve.y_dimension = y->dimension;
  } else if (x->dimension != curve.x_dimension || y->dimension != curve.y_dimension) {
    return wrong("all points of a curve have the units of the first");
  } else if (x->number() <= curve.points.back().first) {
    return wrong("the points of a curve ascend");
  }
  curve.points.emplace_back(x->number(), y->number());
  return true;
}

void read_curve(Scope& scope, const NodeEntry& entry, FigureTable& table) {
  const MapReader reader(scope, entry.value, "curve", fmt::format("curve `{}`", entry.key.text));
  const Node* const points = reader.find("points");
  if (!points || !scope.check_name(entry.key.text, entry.key.place, "curve")) return;
  if (!points->is_sequence() || points->items.size() < 2 || points->items.size() > most_figures) {
    scope.reporter().report("bad-table", points->place, "a curve has at least two points: [[8 KiB, 10 pJ], ...]");
    return;
  }
  FigureTable::Curve curve;
  curve.extend = reader.flag("extend");
  for (const Node& point : points->items) {
    if (!read_point(scope, point, curve)) return;
  }
  table.curves.emplace(entry.key.text, std::move(curve));
}

}  // namespace

std::optional<Quantity> FigureTable::value(std::string_view name) const {
  if (broken) return failed_quantity(0, 0, "");
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Quantity> FigureTable::evaluate(std::string_view name, std::span<const Quantity> arguments) const {
  if (broken) return failed_quantity(0, 0, "");
  const auto found = curves.find(name);
  if (found == curves.end()) return std::nullopt;
  const Curve& curve = found->second;
  const auto fail = [](std::string message) { return failed_quantity(0, 1, std::move(message)); };
  if (arguments.size() != 1) return fail(fmt::format("`{}` takes one argument", name));
  if (arguments[0].dimension != curve.x_dimension)
    return fail(fmt::format("`{}` is a curve over {}", name, describe(curve.x_dimension)));
  const double x = arguments[0].number();
  if (x <= 0) return fail(fmt::format("`{}` is a curve over positive values", name));
  if (!curve.extend && (x < curve.points.front().first || x > curve.points.back().first)) {
    return fail(
        fmt::format("`{}` is known from {} to {} only", name, curve.points.front().first, curve.points.back().first));
  }
  std::size_t i = 1;
  while (i + 1 < curve.points.size() && x > curve.points[i].first) ++i;
  const auto& [x0, y0] = curve.points[i - 1];
  const auto& [x1, y1] = curve.points[i];
  const double share = std::log(x / x0) / std::log(x1 / x0);
  return make_quantity(y0 * std::pow(y1 / y0, share), curve.y_dimension);
}

FigureTable read_figure_table(Scope& scope, const Node& root) {
  FigureTable table;
  MapReader reader(scope, root, "figures", "a table");
  if (reader.valid()) reader.integer("table");
  for (const NodeEntry& entry : scope.entries(reader.find("values"), "values", most_figures))
    read_value(scope, entry, table);
  for (const NodeEntry& entry : scope.entries(reader.find("curves"), "curves", most_figures))
    read_curve(scope, entry, table);
  return table;
}

}  // namespace accord

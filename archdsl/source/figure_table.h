#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/quantity.h"

namespace accord {

struct Node;
class Scope;

/// A file of cited figures: single values, and curves over one quantity.
struct FigureTable {
  /// Points in ascending order of x. Between two points y follows the power law through them (a straight line in
  /// log-log axes); beyond the ends it is an error, or goes on along the outermost piece where
  /// `extend` says so.
  struct Curve {
    Dimension x_dimension = Dimension::none;
    Dimension y_dimension = Dimension::none;
    bool extend = false;
    std::vector<std::pair<double, double>> points;
  };

  bool broken = false;  ///< the file could not be read, which was reported: what uses it stays silent
  std::map<std::string, Quantity, std::less<>> values;
  std::map<std::string, Curve, std::less<>> curves;

  /// A single figure; nullopt where there is none such.
  std::optional<Quantity> value(std::string_view name) const;

  /// The curve at a point; nullopt where there is no such curve. Wrong arguments give a quantity with an error.
  std::optional<Quantity> evaluate(std::string_view curve, std::span<const Quantity> arguments) const;
};

/// Reads a table's document: `{table: 1, name, source, values: {NAME: {value, doc, source}}, curves: {NAME: {points,
/// doc, source}}}`. Reports mistakes.
FigureTable read_figure_table(Scope& scope, const Node& root);

}  // namespace accord

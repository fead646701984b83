#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/node.h"
#include "archdsl/source/quantity.h"
#include "archdsl/source/reporter.h"

namespace accord {

/// A parameter of the covenant with its resolved value.
struct Param {
  std::string name;
  Quantity value;
  std::optional<Quantity> low, high;
  Place place;
  bool used = false;
  bool broken = false;  ///< its value could not be read, which was reported: what uses it stays silent
};

/// Legal values of a number, both ends included.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// A scalar's text with every `${...}` replaced, and the way back to the source.
struct ResolvedText {
  std::string text;
  /// [to, to + length) of `text` comes from [from, ...) of the scalar; literal pieces map byte by byte.
  struct Piece {
    std::size_t to = 0;
    std::size_t from = 0;
    std::size_t length = 0;
    bool literal = true;
  };
  std::vector<Piece> pieces;
};

/// Greatest byte count, extent or cycle count that a covenant may state: sums and products of two stay within int64.
constexpr std::int64_t greatest_quantity = std::int64_t{1} << 50;

/// What the readers of a covenant share: params, clock, diagnostics. Every reading function reports its own mistakes
/// and gives nullopt then.
class Scope {
 public:
  explicit Scope(Reporter& reporter) : reporter_(reporter) {}

  Reporter& reporter() { return reporter_; }
  /// Needed before bandwidths and times can be read as cycles.
  void set_clock(double hz) { clock_hz_ = hz; }

  void add_param(Param param) { params_.push_back(std::move(param)); }
  const std::vector<Param>& params() const { return params_; }
  std::vector<std::string> param_names() const;

  std::optional<ResolvedText> resolve(const Node& scalar);
  /// Where `length` bytes at `offset` of the resolved text stand in the source.
  Place place_of(const Node& scalar, const ResolvedText& text, std::size_t offset, std::size_t length) const;

  /// The resolved text of a single value.
  std::optional<std::string> text(const Node& node, std::string_view what);
  std::optional<Quantity> quantity(const Node& node, std::string_view what);
  std::optional<std::int64_t> integer(const Node& node, std::string_view what, Range range);
  std::optional<std::int64_t> bytes(const Node& node, std::string_view what, Range range);
  /// A plain number or `20 cycles`, or a time, which the clock turns into cycles, rounded up.
  std::optional<std::int64_t> cycles(const Node& node, std::string_view what, Range range);
  /// Bytes (per cycle), or a bandwidth, which the clock turns into bytes per cycle, rounded down.
  std::optional<std::int64_t> bytes_per_cycle(const Node& node, std::string_view what, Range range);
  std::optional<double> frequency(const Node& node, std::string_view what);
  /// Picojoules; a plain number counts as such.
  std::optional<double> energy(const Node& node, std::string_view what);
  std::optional<double> non_negative(const Node& node, std::string_view what);
  std::optional<bool> flag(const Node& node, std::string_view what);

  /// Entries of a map whose keys are free; none, with a diagnostic, where it is no map or has more than `most`. A null
  /// node has none.
  std::span<const NodeEntry> entries(const Node* node, std::string_view what, std::size_t most);

  /// True where `name` is letters, digits and `_`, beginning with a letter; reports otherwise.
  bool check_name(const std::string& name, const Place& place, std::string_view what);

 private:
  std::optional<Quantity> parse(const Node& node, const std::string& text, std::string_view what, Dimension expected);
  std::optional<std::int64_t> in_range(const Node& node, const Quantity& quantity, std::string_view what, Range range);
  std::optional<Quantity> evaluate(const Node& scalar, std::size_t offset, std::string_view expression);

  Reporter& reporter_;
  std::vector<Param> params_;
  double clock_hz_ = 0;
};

/// Reads one map of the covenant: each key that is asked for is a key that the map may have.
class MapReader {
 public:
  /// Reports where `node` is no map; every key counts as absent then, without further messages.
  MapReader(Scope& scope, const Node& node, std::string what);

  bool valid() const { return valid_; }
  const Node& node() const { return node_; }
  const Node* find(std::string_view key);
  const Node* require(std::string_view key);

  /// Value of `key`; `otherwise` where it is absent or wrong. Without `otherwise` the key is required.
  std::int64_t integer(std::string_view key, Range range, std::optional<std::int64_t> otherwise);
  std::int64_t bytes(std::string_view key, Range range, std::optional<std::int64_t> otherwise);
  std::int64_t cycles(std::string_view key, Range range, std::optional<std::int64_t> otherwise);
  double energy(std::string_view key);
  double area(std::string_view key);
  bool flag(std::string_view key, bool otherwise);
  std::string text(std::string_view key, std::optional<std::string> otherwise);

  /// Reports every key that nobody asked for.
  void finish();

 private:
  const Node* pick(std::string_view key, bool required);

  Scope& scope_;
  const Node& node_;
  std::string what_;
  bool valid_;
  std::vector<std::string> known_;
};

}  // namespace accord

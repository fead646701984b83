#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/figure_table.h"
#include "archdsl/source/grammar.h"
#include "archdsl/source/node.h"
#include "archdsl/source/quantity.h"
#include "archdsl/source/reporter.h"

namespace accord {

/// A parameter of the covenant or of a template. Its value is read when it is first asked for, so that params may use
/// those below them.
struct Param {
  enum class State : std::uint8_t { pending, reading, ready, broken };

  std::string name;
  Place place;
  State state = State::ready;
  std::function<void(Param&)> read;  ///< sets value and state; of pending params
  Quantity value;
  std::optional<Quantity> low, high;
  std::vector<Quantity> values;  ///< the legal ones; empty: all
  bool used = false;
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

/// What the readers of a covenant share: params, tables, clock, diagnostics. Every reading function reports its own
/// mistakes and gives nullopt then.
class Scope {
 public:
  explicit Scope(Reporter& reporter) : reporter_(reporter) { open(-1); }

  Reporter& reporter() { return reporter_; }
  /// Needed before bandwidths and times can be read as cycles.
  void set_clock(double hz) { clock_hz_ = hz; }

  /// A new scope inside another; names are looked up from the inside out. Scope 0 is the covenant's.
  int open(int parent);
  Param& declare(int scope, Param param);
  void add_table(std::string name, FigureTable table) { tables_.insert_or_assign(std::move(name), std::move(table)); }
  /// nullptr where there is none of that name.
  const FigureTable* table(std::string_view name) const;
  /// Reads what nothing asked for yet, so that mistakes in it are found too.
  void read_all_params();
  /// Params that no expression used, one for each place in the source.
  std::vector<const Param*> unused_params() const;

  std::optional<ResolvedText> resolve(const Node& scalar);
  /// Where `length` bytes at `offset` of the resolved text stand in the source.
  Place place_of(const Node& scalar, const ResolvedText& text, std::size_t offset, std::size_t length) const;

  /// The resolved text of a single value.
  std::optional<std::string> text(const Node& node, std::string_view what);
  /// `expected`: for the diagnostic.
  std::optional<Quantity> quantity(const Node& node, std::string_view what, Dimension expected = Dimension::none);
  std::optional<std::int64_t> integer(const Node& node, std::string_view what, Range range);
  std::optional<std::int64_t> bytes(const Node& node, std::string_view what, Range range);
  /// A plain number or `20 cycles`, or a time, which the clock turns into cycles, rounded up.
  std::optional<std::int64_t> cycles(const Node& node, std::string_view what, Range range);
  /// Bytes per cycle.
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
  struct Names {
    int parent = -1;
    std::map<std::string, std::unique_ptr<Param>, std::less<>> params;
  };

  Param* look_up(int scope, std::string_view name);
  void read(Param& param);
  std::optional<Quantity> value_of(int scope, std::string_view name);
  std::optional<Quantity> call(std::string_view function, std::span<const Quantity> arguments) const;
  std::vector<std::string> visible_names(int scope) const;
  std::optional<Quantity> parse(const Node& node, const std::string& text, std::string_view what, Dimension expected);
  std::optional<std::int64_t> in_range(const Node& node, const Quantity& quantity, std::string_view what, Range range);
  std::optional<Quantity> evaluate(const Node& scalar, std::size_t offset, std::string_view expression);

  Reporter& reporter_;
  std::vector<Names> scopes_;
  std::map<std::string, FigureTable, std::less<>> tables_;
  double clock_hz_ = 0;
  int depth_ = 0;  ///< params being read, each for the one before
};

/// Reads one map of the covenant by its rule: on construction it reports what is no map, keys that the rule does not
/// have and keys that are missing. Values that are wrong are reported and count as absent.
class MapReader {
 public:
  MapReader(Scope& scope, const Node& node, std::string_view rule, std::string what);

  bool valid() const { return valid_; }
  const Node& node() const { return node_; }
  const Node* find(std::string_view key) const;

  /// Value of `key`; where it is absent `otherwise`, else the rule's fallback, else the lowest legal value. A range
  /// replaces the rule's.
  std::int64_t integer(std::string_view key, std::optional<std::int64_t> otherwise = {},
                       std::optional<Range> range = {}) const;
  std::int64_t bytes(std::string_view key) const;
  std::int64_t cycles(std::string_view key) const;
  std::int64_t rate(std::string_view key) const;
  double energy(std::string_view key) const;
  double area(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  /// One of the rule's words.
  std::string word(std::string_view key) const;

 private:
  const KeyRule& rule(std::string_view key) const;
  std::int64_t fallback(const KeyRule& key) const;
  std::string owner_of(std::string_view text) const;
  void check_keys();
  void report_missing(const KeyRule& key) const;

  Scope& scope_;
  const Node& node_;
  const MapRule& rule_;
  std::string what_;
  bool valid_;
};

}  // namespace accord

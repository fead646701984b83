#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archdsl/schema/form_schema.h"

namespace accord {

/// How complete a map must be.
enum class Strictness : std::uint8_t {
  whole,     ///< what is required must stand
  fragment,  ///< a section, or the whole, of an included file: its entries are whole, but none is required
  overlay    ///< laid over another file: nothing is required, any value may be `~`
};

/// The definitions of a schema, one per map and strictness; those that are referred to are made.
class Definitions {
 public:
  /// `{"$ref": "#/definitions/memory"}`, `.../overlay.memory`.
  Schema refer(std::string_view map, Strictness strictness);
  /// All that was referred to, and what those refer to.
  Schema take();

 private:
  struct Target {
    std::string_view map;
    Strictness strictness;
    auto operator<=>(const Target&) const = default;
  };

  Schema define(const MapRule& rule, Strictness strictness);
  Schema object(const MapRule& rule, Strictness strictness);
  Schema choice(const MapRule& rule, Strictness strictness);
  Schema any_choice(const MapRule& rule, Strictness strictness);
  Schema property(const KeyRule& key, Strictness strictness);
  Schema value(const KeyRule& key, Strictness strictness);
  Schema table(const KeyRule& key, Strictness strictness);
  Schema list(const KeyRule& key);

  std::set<Target> known_;
  std::vector<Target> pending_;
};

}  // namespace accord

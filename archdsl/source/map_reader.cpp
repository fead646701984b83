#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "archdsl/source/scope.h"
#include "archdsl/source/suggest.h"

namespace accord {

MapReader::MapReader(Scope& scope, const Node& node, std::string_view rule, std::string what)
    : scope_(scope), node_(node), rule_(map_rule(rule)), what_(std::move(what)), valid_(node.is_map()) {
  if (valid_) {
    check_keys();
  } else {
    scope.reporter().report("wrong-form", node.place,
                            fmt::format("{} must be a map, not {}", what_, describe(node.kind)));
  }
}

void MapReader::report_missing(const KeyRule& key) const {
  const auto removed = std::ranges::find(node_.removed, key.key, &Node::text);
  const bool had = removed != node_.removed.end();
  scope_.reporter().report("missing-key", had ? removed->place : node_.place,
                           fmt::format("{} needs the key `{}`{}", what_, key.key, had ? ", which is removed here" : ""),
                           key.example.empty() ? "" : fmt::format("such as `{}: {}`", key.key, key.example));
}

/// The key of the maps that may stand here which has this one; empty: none.
std::string MapReader::owner_of(std::string_view text) const {
  for (const KeyRule& key : rule_.keys) {
    if (key.form == Form::map && !key.map.empty() && map_rule(key.map).find(text)) return std::string(key.key);
  }
  return {};
}

void MapReader::check_keys() {
  std::vector<std::string> free;
  for (const KeyRule& key : rule_.keys) {
    if (node_.find(key.key)) continue;
    free.emplace_back(key.key);
    if (!key.required) continue;
    report_missing(key);
  }
  for (const NodeEntry& entry : node_.entries) {
    if (entry.key.text == "doc" && rule_.find("doc") && !entry.value.is_scalar()) {
      scope_.reporter().report("wrong-form", entry.value.place,
                               fmt::format("doc is a single value, not {}", describe(entry.value.kind)));
    }
    if (rule_.find(entry.key.text)) continue;
    const std::string near = nearest(entry.key.text, free), owner = owner_of(entry.key.text);
    const bool words = entry.key.text.find(' ') != std::string::npos;
    scope_.reporter().report("unknown-key", entry.key.place, fmt::format("{} has no key `{}`", what_, entry.key.text),
                             words            ? "inside braces a comma ends the value before it: quote that text"
                             : !owner.empty() ? fmt::format("`{}` has it (`{}: {{{}: ..}}`); known here: {}", owner,
                                                            owner, entry.key.text, fmt::join(free, ", "))
                             : near.empty()   ? fmt::format("known here: {}", fmt::join(free, ", "))
                                              : fmt::format("did you mean `{}`?", near));
  }
}

const KeyRule& MapReader::rule(std::string_view key) const {
  const KeyRule* const found = rule_.find(key);
  assert(found);
  return *found;
}

const Node* MapReader::find(std::string_view key) const {
  const KeyRule& known = rule(key);
  return valid_ ? node_.find(known.key) : nullptr;
}

std::int64_t MapReader::fallback(const KeyRule& key) const {
  const auto value = parse_quantity(key.fallback);
  return value ? value->integer : key.range.low;
}

std::int64_t MapReader::integer(std::string_view key, std::optional<std::int64_t> otherwise,
                                std::optional<Range> range) const {
  const Node* const found = find(key);
  const auto value = found ? scope_.integer(*found, key, range.value_or(rule(key).range)) : std::nullopt;
  return value.value_or(otherwise.value_or(fallback(rule(key))));
}

std::int64_t MapReader::bytes(std::string_view key) const {
  const Node* const found = find(key);
  const auto value = found ? scope_.bytes(*found, key, rule(key).range) : std::nullopt;
  return value.value_or(fallback(rule(key)));
}

std::int64_t MapReader::cycles(std::string_view key) const {
  const Node* const found = find(key);
  const auto value = found ? scope_.cycles(*found, key, rule(key).range) : std::nullopt;
  return value.value_or(fallback(rule(key)));
}

std::int64_t MapReader::rate(std::string_view key) const {
  const Node* const found = find(key);
  const auto value = found ? scope_.bytes_per_cycle(*found, key, rule(key).range) : std::nullopt;
  return value.value_or(fallback(rule(key)));
}

double MapReader::energy(std::string_view key) const {
  const Node* const found = find(key);
  return found ? scope_.energy(*found, key).value_or(0) : 0;
}

double MapReader::area(std::string_view key) const {
  const Node* const found = find(key);
  return found ? scope_.non_negative(*found, key).value_or(0) : 0;
}

bool MapReader::flag(std::string_view key) const {
  const Node* const found = find(key);
  const bool otherwise = rule(key).fallback == "true";
  return found ? scope_.flag(*found, key).value_or(otherwise) : otherwise;
}

std::string MapReader::text(std::string_view key) const {
  const Node* const found = find(key);
  const auto value = found ? scope_.text(*found, key) : std::nullopt;
  return value.value_or(std::string(rule(key).fallback));
}

std::string MapReader::word(std::string_view key) const {
  const std::vector<std::string> words = words_of(rule(key).words);
  const Node* const found = find(key);
  const std::string otherwise(rule(key).fallback);
  const auto given = found ? scope_.text(*found, key) : std::nullopt;
  if (!given) return otherwise;
  const std::string& value = *given;
  if (std::find(words.begin(), words.end(), value) != words.end()) return value;
  scope_.reporter().report("wrong-value", found->place,
                           fmt::format("{} is one of {}, not `{}`", key, fmt::join(words, ", "), value),
                           did_you_mean(value, words));
  return otherwise;
}

}  // namespace accord

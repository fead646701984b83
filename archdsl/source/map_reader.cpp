#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archdsl/source/scope.h"
#include "archdsl/source/suggest.h"

namespace accord {

MapReader::MapReader(Scope& scope, const Node& node, std::string what)
    : scope_(scope), node_(node), what_(std::move(what)), valid_(node.is_map()) {
  if (!valid_) {
    scope.reporter().report("wrong-form", node.place, fmt::format("{} is a map, not {}", what_, describe(node.kind)));
  }
}

const Node* MapReader::find(std::string_view key) { return pick(key, false); }

const Node* MapReader::require(std::string_view key) { return pick(key, true); }

const Node* MapReader::pick(std::string_view key, bool required) {
  known_.emplace_back(key);
  const Node* const found = valid_ ? node_.find(key) : nullptr;
  if (!found && required && valid_) {
    scope_.reporter().report("missing-key", node_.place, fmt::format("{} needs the key `{}`", what_, key));
  }
  return found;
}

std::int64_t MapReader::integer(std::string_view key, Range range, std::optional<std::int64_t> otherwise) {
  const Node* const found = pick(key, !otherwise);
  const auto value = found ? scope_.integer(*found, key, range) : std::nullopt;
  return value.value_or(otherwise.value_or(range.low));
}

std::int64_t MapReader::bytes(std::string_view key, Range range, std::optional<std::int64_t> otherwise) {
  const Node* const found = pick(key, !otherwise);
  const auto value = found ? scope_.bytes(*found, key, range) : std::nullopt;
  return value.value_or(otherwise.value_or(range.low));
}

std::int64_t MapReader::cycles(std::string_view key, Range range, std::optional<std::int64_t> otherwise) {
  const Node* const found = pick(key, !otherwise);
  const auto value = found ? scope_.cycles(*found, key, range) : std::nullopt;
  return value.value_or(otherwise.value_or(range.low));
}

double MapReader::energy(std::string_view key) {
  const Node* const found = pick(key, false);
  return found ? scope_.energy(*found, key).value_or(0) : 0;
}

double MapReader::area(std::string_view key) {
  const Node* const found = pick(key, false);
  return found ? scope_.non_negative(*found, key).value_or(0) : 0;
}

bool MapReader::flag(std::string_view key, bool otherwise) {
  const Node* const found = pick(key, false);
  return found ? scope_.flag(*found, key).value_or(otherwise) : otherwise;
}

std::string MapReader::text(std::string_view key, std::optional<std::string> otherwise) {
  const Node* const found = pick(key, !otherwise);
  const auto value = found ? scope_.text(*found, key) : std::nullopt;
  return value.value_or(otherwise.value_or(""));
}

void MapReader::finish() {
  if (!valid_) return;
  for (const NodeEntry& entry : node_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key.text) != known_.end()) continue;
    std::vector<std::string> free;
    for (const std::string& key : known_) {
      if (!node_.find(key)) free.push_back(key);
    }
    const std::string near = nearest(entry.key.text, free);
    scope_.reporter().report("unknown-key", entry.key.place, fmt::format("{} has no key `{}`", what_, entry.key.text),
                             near.empty() ? fmt::format("known here: {}", fmt::join(known_, ", "))
                                          : fmt::format("did you mean `{}`?", near));
  }
}

}  // namespace accord

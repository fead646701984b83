#include "archdsl/export/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

namespace accord {

namespace {

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool letter_or_digit(char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); }

std::optional<NamePart> read_part(std::string_view text) {
  const std::size_t open = std::min(text.find('['), text.size());
  NamePart part{std::string(text.substr(0, open)), {}};
  if (!is_identifier(part.name)) return std::nullopt;
  for (text.remove_prefix(open); !text.empty();) {
    std::int64_t index = 0;
    const std::size_t close = text.find(']');
    if (text[0] != '[' || close == std::string_view::npos) return std::nullopt;
    const auto [end, status] = std::from_chars(text.data() + 1, text.data() + close, index);
    const bool canonical = close == 2 || (text[1] != '0' && text[1] != '-');
    if (status != std::errc() || end != text.data() + close || !canonical) return std::nullopt;
    part.indices.push_back(index);
    text.remove_prefix(close + 1);
  }
  return part;
}

/// `0..3,8` for {0, 1, 2, 3, 8}; only the bounds where there are many gaps.
std::string segments_text(const std::set<std::int64_t>& values) {
  constexpr std::size_t most_segments = 4;
  std::vector<std::string> segments;
  for (auto at = values.begin(); at != values.end() && segments.size() <= most_segments;) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != values.end() && *at == last + 1) last = *at;
    segments.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last));
  }
  if (segments.size() <= most_segments) return fmt::format("{}", fmt::join(segments, ","));
  return fmt::format("{}..{}", *values.begin(), *values.rbegin());
}

std::vector<std::int64_t> indices_of(const NameParts& parts) {
  std::vector<std::int64_t> indices;
  for (const NamePart& part : parts) indices.insert(indices.end(), part.indices.begin(), part.indices.end());
  return indices;
}

}  // namespace

std::string pattern_of(const NamePart& part) {
  std::string text = part.name;
  for (std::size_t i = 0; i < part.indices.size(); ++i) text += "[]";
  return text;
}

std::vector<std::string> patterns_of(std::span<const NamePart> parts) {
  std::vector<std::string> patterns;
  for (const NamePart& part : parts) patterns.push_back(pattern_of(part));
  return patterns;
}

std::string folded_name(std::span<const NameParts> names) {
  std::set<std::vector<std::int64_t>> tuples;
  for (const NameParts& name : names) tuples.insert(indices_of(name));
  std::vector<std::set<std::int64_t>> values(tuples.begin()->size());
  for (const auto& tuple : tuples) {
    for (std::size_t i = 0; i < tuple.size(); ++i) values[i].insert(tuple[i]);
  }
  double spanned = 1;
  for (const auto& position : values) spanned *= static_cast<double>(position.size());
  std::string text;
  std::size_t position = 0;
  for (const NamePart& part : names[0]) {
    text += text.empty() ? part.name : "." + part.name;
    for (std::size_t i = 0; i < part.indices.size(); ++i) text += "[" + segments_text(values[position++]) + "]";
  }
  return static_cast<double>(tuples.size()) == spanned ? text : fmt::format("{} ({})", text, tuples.size());
}

NameParts parts_of(std::string_view name) {
  NameParts parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t dot = std::min(name.find('.', at), name.size());
    auto part = read_part(name.substr(at, dot - at));
    if (!part) return {{std::string(name), {}}};
    parts.push_back(*std::move(part));
    at = dot + 1;
  }
  return parts;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), letter_or_digit);
}

bool is_hierarchical(std::string_view name) {
  const auto parts = parts_of(name);
  return is_identifier(parts[0].name) && (parts.size() > 1 || !parts[0].indices.empty());
}

std::string identifier_of(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == ']') continue;
    result += letter_or_digit(c) ? c : '_';
  }
  if (result.empty() || !letter(result[0])) result.insert(result.begin(), '_');
  return result;
}

}  // namespace accord

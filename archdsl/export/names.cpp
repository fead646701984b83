#include "archdsl/export/names.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

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

}  // namespace

std::vector<NamePart> parts_of(std::string_view name) {
  std::vector<NamePart> parts;
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

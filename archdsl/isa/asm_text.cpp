#include "archdsl/isa/asm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace accord {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '/' || c == ':' || c == '-';
}

bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '=' || c == '[' || c == ']' || c == '#' || c == '"';
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

void append_word(std::string& to, std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
    to += text;
  } else {
    append_quoted(to, text);
  }
}

void append_quoted(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      to += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      to += c;
    }
  }
  to += '"';
}

void LineCursor::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
}

char LineCursor::peek() {
  skip_blanks();
  return at_ < line_.size() ? line_[at_] : '\0';
}

bool LineCursor::done() {
  skip_blanks();
  return at_ == line_.size() || line_[at_] == '#';
}

bool LineCursor::accept(char c) {
  skip_blanks();
  if (at_ == line_.size() || line_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view LineCursor::word(bool stop_at_colon) {
  skip_blanks();
  const std::size_t begin = at_;
  while (at_ < line_.size() && !ends_word(line_[at_]) && !(stop_at_colon && line_[at_] == ':')) ++at_;
  return line_.substr(begin, at_ - begin);
}

std::optional<std::string> LineCursor::text() {
  if (peek() != '"') {
    const std::string_view plain = word();
    return plain.empty() ? std::nullopt : std::optional<std::string>(plain);
  }
  std::string result;
  for (++at_; at_ < line_.size(); ++at_) {
    const char c = line_[at_];
    if (c == '"') {
      ++at_;
      return result;
    }
    if (c != '\\') {
      result += c;
      continue;
    }
    if (++at_ == line_.size()) return std::nullopt;
    const char escaped = line_[at_];
    if (escaped == 'x') {
      if (at_ + 2 >= line_.size()) return std::nullopt;
      const auto high = hex_digit(line_[at_ + 1]);
      const auto low = hex_digit(line_[at_ + 2]);
      if (!high || !low) return std::nullopt;
      result += static_cast<char>(*high * 16 + *low);
      at_ += 2;
    } else if (escaped == 'n' || escaped == 't') {
      result += escaped == 'n' ? '\n' : '\t';
    } else if (escaped == '"' || escaped == '\\') {
      result += escaped;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> LineCursor::number() {
  skip_blanks();
  const char* at = line_.data() + at_;
  const char* end = line_.data() + line_.size();
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  int base = 10;
  if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
    base = 16;
    at += 2;
  }
  std::uint64_t magnitude = 0;
  const auto [stop, error] = std::from_chars(at, end, magnitude, base);
  if (error != std::errc() || (stop != end && !ends_word(*stop))) return std::nullopt;
  if (negative && magnitude > std::uint64_t{1} << 63) return std::nullopt;
  at_ = static_cast<std::size_t>(stop - line_.data());
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

}  // namespace accord

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace accord {

/// Greatest sum of `zeros` of an assembly text: one short line must not fill the memory.
constexpr std::int64_t most_zeros_in_text = std::int64_t{1} << 30;

/// A string as assembly spells it: bare where it is a plain word, else quoted with escapes.
void append_word(std::string& to, std::string_view text);
void append_quoted(std::string& to, std::string_view text);

/// Walks over one line of assembly. Columns are 1-based bytes. Reading functions skip blanks first.
class LineCursor {
 public:
  explicit LineCursor(std::string_view line) : line_(line) {}

  /// True at the end of the line or at a comment.
  bool done();
  int column() const { return static_cast<int>(at_) + 1; }
  bool accept(char c);
  /// A run of characters other than blanks and , = [ ] # " ; up to a ':' where `stop_at_colon`. Empty where none is.
  std::string_view word(bool stop_at_colon = false);
  /// A quoted string or a word. Nullopt where neither is or the quotes do not end well.
  std::optional<std::string> text();
  /// Decimal or 0x hexadecimal with an optional sign, -2^63 to 2^64 - 1 (kept as its 64 bits). Nullopt, without
  /// moving on, where none is.
  std::optional<std::int64_t> number();
  std::string_view rest() const { return line_.substr(at_); }
  char peek();

 private:
  void skip_blanks();

  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace accord

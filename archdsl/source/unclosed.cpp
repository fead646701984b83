#include "archdsl/source/unclosed.h"

#include <fmt/format.h>

#include <vector>

namespace accord {
namespace {

struct Spot {
  char what = 0;
  int line = 0, column = 0;
};

/// Reads text as far as brackets, quotes and comments go. A bracket or a quote opens where a value may begin; in the
/// midst of a plain value both are letters, brackets only outside other brackets.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void run_until(int line, int column) {
    while (at_ < text_.size() && (line_ < line || (line_ == line && column_ < column))) step();
  }

  std::string hint() const {
    if (quote_.what != 0) return opened(quote_, "is not closed");
    if (!open_.empty()) return opened(open_.back(), "is not closed before this");
    return spread_.what != 0 ? opened(spread_, fmt::format("closes in line {} only", spread_end_)) : "";
  }

 private:
  static std::string opened(const Spot& spot, const std::string& what) {
    return fmt::format("the {} of line {}, column {} {}", spot.what, spot.line + 1, spot.column + 1, what);
  }

  void step() {
    const char c = text_[at_];
    if (quote_.what != 0) {
      step_quoted(c);
    } else if (c == '#' && (at_ == 0 || is_blank(text_[at_ - 1]))) {
      while (at_ < text_.size() && text_[at_] != '\n') advance();
      return;
    } else if (begins_value_ && announces_block()) {
      return skip_block();
    } else if ((c == '"' || c == '\'') && begins_value_) {
      quote_ = {c, line_, column_};
    } else if ((c == '[' || c == '{') && (begins_value_ || !open_.empty())) {
      open_.push_back({c, line_, column_});
    } else if ((c == ']' || c == '}') && !open_.empty()) {
      open_.pop_back();
    }
    if (c == '\n' || !is_blank(c)) begins_value_ = quote_.what == 0 && separates(c);
    advance();
  }

  /// Whether a value may begin behind the character.
  bool separates(char c) const {
    if (c == ':' || c == '-' || c == '?') return at_ + 1 >= text_.size() || is_blank(text_[at_ + 1]);
    return c == '\n' || (!open_.empty() && (c == ',' || c == '[' || c == '{'));
  }

  bool announces_block() const {
    if (!open_.empty() || (text_[at_] != '|' && text_[at_] != '>')) return false;
    const auto end = text_.find_first_not_of("+-0123456789 \t\r", at_ + 1);
    return end == std::string_view::npos || text_[end] == '\n' || text_[end] == '#';
  }

  void step_quoted(char c) {
    if (c == '\\' && quote_.what == '"') return advance();
    if (c != quote_.what) return;
    if (c == '\'' && at_ + 1 < text_.size() && text_[at_ + 1] == c) return advance();
    if (quote_.line < line_) {
      spread_ = quote_;
      spread_end_ = line_ + 1;
    }
    quote_ = {};
  }

  /// The lines of a block, which are indented more than the line that announces it.
  void skip_block() {
    const int announced = indent_;
    while (at_ < text_.size() && text_[at_] != '\n') advance();
    while (at_ < text_.size()) {
      const auto first = text_.find_first_not_of(" \r", at_ + 1);
      if (first == std::string_view::npos) break;
      const auto inner = static_cast<int>(first - at_) - 1;
      if (text_[first] != '\n' && inner <= announced) break;
      do advance();
      while (at_ < text_.size() && text_[at_] != '\n');
    }
    begins_value_ = true;
  }

  void advance() {
    if (at_ >= text_.size()) return;
    if (text_[at_++] == '\n') {
      ++line_;
      column_ = 0;
      const auto first = text_.find_first_not_of(' ', at_);
      indent_ = first == std::string_view::npos ? 0 : static_cast<int>(first - at_);
    } else {
      ++column_;
    }
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0, column_ = 0, indent_ = 0;
  bool begins_value_ = true;
  std::vector<Spot> open_;  ///< brackets
  Spot quote_;              ///< within which the text is
  Spot spread_;             ///< the last quote that another line closed
  int spread_end_ = 0;
};

}  // namespace

std::string left_open(std::string_view text, int line, int column) {
  Scanner scanner(text);
  scanner.run_until(line, column);
  return scanner.hint();
}

}  // namespace accord

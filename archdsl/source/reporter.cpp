#include "archdsl/source/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

namespace accord {

namespace {

constexpr std::uintmax_t largest_file = 4 << 20;
constexpr std::size_t most_diagnostics = 200;
constexpr std::size_t most_errors = 400;
constexpr std::size_t longest_shown_line = 32768;  ///< longer ones are not kept for the caret

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Length of the well-formed UTF-8 sequence at `at` (RFC 3629); 0 where there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : (first & 0xF0U) == 0xE0       ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool beyond = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

int characters(std::string_view bytes) {
  return static_cast<int>(std::count_if(bytes.begin(), bytes.end(), [](char c) { return !is_continuation(c); }));
}

}  // namespace

bool Reporter::read() {
  std::error_code status;
  const std::filesystem::path path = file_;
  if (!std::filesystem::exists(path, status)) {
    report("unreadable-file", {}, "the file does not exist");
    return false;
  }
  if (!std::filesystem::is_regular_file(path, status)) {
    report("unreadable-file", {}, "this is not a file");
    return false;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::file_size(path, status) > largest_file) {
    report("unreadable-file", {}, in ? "the file is larger than 4 MiB" : "the file cannot be read");
    return false;
  }
  text_.assign(std::istreambuf_iterator<char>(in), {});
  line_starts_ = {0};
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  for (std::size_t i = 0; i < text_.size();) {
    const std::size_t length = sequence_length(text_, i);
    if (length == 0) return reject_text(i, "not UTF-8 text");
    const char c = text_[i];
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
      return reject_text(i, "a control character");
    }
    i += length;
  }
  return true;
}

bool Reporter::reject_text(std::size_t offset, std::string message) {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const int line = static_cast<int>(next - line_starts_.begin());
  const int column = static_cast<int>(offset - *std::prev(next)) + 1;
  report("invalid-text", {line, column, 1}, std::move(message)).line.clear();
  return false;
}

std::string_view Reporter::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[static_cast<std::size_t>(number) - 1];
  const std::string_view rest = std::string_view(text_).substr(begin);
  const std::string_view whole = rest.substr(0, rest.find('\n'));
  return whole.ends_with('\r') ? whole.substr(0, whole.size() - 1) : whole;
}

Location Reporter::location(const Place& place) const {
  const std::string_view before = line(place.line).substr(0, static_cast<std::size_t>(std::max(place.column - 1, 0)));
  return {file_, place.line, place.line > 0 ? characters(before) + 1 : 0};
}

Diagnostic Reporter::note(const Place& place, std::string message) const {
  Diagnostic note;
  note.severity = Severity::note;
  note.where = location(place);
  note.message = std::move(message);
  if (line(place.line).size() <= longest_shown_line) note.line = line(place.line);
  const auto begin = std::min(static_cast<std::size_t>(std::max(place.column - 1, 0)), note.line.size());
  note.length =
      std::max(1, characters(std::string_view(note.line).substr(begin, static_cast<std::size_t>(place.length))));
  return note;
}

Diagnostic& Reporter::report(std::string_view code, const Place& place, std::string message, std::string hint) {
  Diagnostic diagnostic = note(place, std::move(message));
  diagnostic.code = code;
  diagnostic.hint = std::move(hint);
  return add(std::move(diagnostic));
}

Diagnostic& Reporter::report_at(std::string_view code, Location where, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.where = std::move(where);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return add(std::move(diagnostic));
}

Diagnostic& Reporter::add(Diagnostic diagnostic) {
  const auto codes = diagnostic_codes();
  const auto row = std::find_if(codes.begin(), codes.end(), [&](const auto& c) { return c.code == diagnostic.code; });
  assert(row != codes.end());
  diagnostic.severity = row->severity;
  if (diagnostic.severity == Severity::error && ++errors_ > most_errors) throw TooManyErrors();
  for (Diagnostic& known : diagnostics_) {
    const bool same = known.where.line == diagnostic.where.line && known.where.column == diagnostic.where.column &&
                      known.where.file == diagnostic.where.file && known.message == diagnostic.message;
    if (same) return known;
  }
  if (diagnostics_.size() >= most_diagnostics) return overflow_ = std::move(diagnostic);
  return diagnostics_.emplace_back(std::move(diagnostic));
}

std::vector<Diagnostic> Reporter::take() {
  const auto place = [](const Diagnostic& d) { return std::tie(d.where.line, d.where.column); };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  return std::move(diagnostics_);
}

}  // namespace accord

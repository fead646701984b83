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
constexpr std::size_t most_files = 256;
constexpr std::uintmax_t most_bytes = 16 << 20;    ///< of all files, which are kept for the diagnostics
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

Reporter::Reporter(std::string file) { files_.push_back({std::move(file), {}, {0}}); }

int Reporter::read(const std::filesystem::path& file, const Place& place) {
  if (files_.size() >= most_files) {
    report("unreadable-file", place, fmt::format("more than {} files", most_files));
    return -1;
  }
  files_.push_back({file, {}, {0}});
  const int number = static_cast<int>(files_.size()) - 1;
  return read(number, place) ? number : -1;
}

bool Reporter::read(int number, const Place& from) {
  File& file = files_[static_cast<std::size_t>(number)];
  std::error_code status;
  const auto refuse = [&](std::string_view why) {
    report("unreadable-file", from, number == 0 ? std::string(why) : fmt::format("{}: {}", file.path.string(), why));
    return false;
  };
  if (!std::filesystem::exists(file.path, status)) return refuse("the file does not exist");
  if (!std::filesystem::is_regular_file(file.path, status)) return refuse("this is not a file");
  std::ifstream in(file.path, std::ios::binary);
  if (!in) return refuse("the file cannot be read");
  const std::uintmax_t size = std::filesystem::file_size(file.path, status);
  if (size > largest_file) return refuse("the file is larger than 4 MiB");
  bytes_ += size;
  if (bytes_ > most_bytes) return refuse("all files together are larger than 16 MiB");
  try {
    file.text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::ios_base::failure&) {  // an error of the device
    return refuse("the file cannot be read");
  }
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(i + 1);
  }
  return check_text(number);
}

bool Reporter::check_text(int file) {
  const std::string& text = files_[static_cast<std::size_t>(file)].text;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) return reject_text(file, i, "not UTF-8 text");
    if (length > 1) files_[static_cast<std::size_t>(file)].ascii = false;
    const char c = text[i];
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
      return reject_text(file, i, "a control character");
    }
    i += length;
  }
  return true;
}

bool Reporter::reject_text(int file, std::size_t offset, std::string message) {
  const std::vector<std::size_t>& starts = files_[static_cast<std::size_t>(file)].line_starts;
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  const int line = static_cast<int>(next - starts.begin());
  const int column = static_cast<int>(offset - *std::prev(next)) + 1;
  report("invalid-text", {line, column, 1, file}, std::move(message)).line.clear();
  return false;
}

int Reporter::add_instance(const Place& place, std::string what) {
  instances_.push_back({place, std::move(what)});
  return static_cast<int>(instances_.size());
}

std::string_view Reporter::line(const Place& place) const {
  const File& file = files_[static_cast<std::size_t>(place.file)];
  if (place.line < 1 || static_cast<std::size_t>(place.line) > file.line_starts.size()) return {};
  const auto next = static_cast<std::size_t>(place.line);
  const std::size_t begin = file.line_starts[next - 1];
  const std::size_t end = next < file.line_starts.size() ? file.line_starts[next] - 1 : file.text.size();
  const std::string_view whole = std::string_view(file.text).substr(begin, end - begin);
  return whole.ends_with('\r') ? whole.substr(0, whole.size() - 1) : whole;
}

Location Reporter::location(const Place& place) const {
  const std::string_view before = line(place).substr(0, static_cast<std::size_t>(std::max(place.column - 1, 0)));
  const bool ascii = files_[static_cast<std::size_t>(place.file)].ascii || before.size() > longest_shown_line;
  const int column = ascii ? static_cast<int>(before.size()) : characters(before);
  return {path(place.file).string(), place.line, place.line > 0 ? column + 1 : 0};
}

Diagnostic Reporter::note(const Place& place, std::string message) const {
  Diagnostic note;
  note.severity = Severity::note;
  note.where = location(place);
  note.message = std::move(message);
  if (line(place).size() <= longest_shown_line) note.line = line(place);
  const auto begin = std::min(static_cast<std::size_t>(std::max(place.column - 1, 0)), note.line.size());
  note.length =
      std::max(1, characters(std::string_view(note.line).substr(begin, static_cast<std::size_t>(place.length))));
  return note;
}

Diagnostic& Reporter::report(std::string_view code, const Place& place, std::string message, std::string hint) {
  Diagnostic diagnostic = note(place, std::move(message));
  diagnostic.code = code;
  diagnostic.hint = std::move(hint);
  for (int i = place.instance; i > 0;) {
    const Instance& instance = instances_[static_cast<std::size_t>(i) - 1];
    diagnostic.notes.push_back(note(instance.place, fmt::format("{} instantiated here", instance.what)));
    i = instance.place.instance;
  }
  return add(std::move(diagnostic), place);
}

Diagnostic& Reporter::report_at(std::string_view code, Location where, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.where = std::move(where);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return add(std::move(diagnostic), {});
}

// What is wrong with a template is wrong with all its instances: the first one is told.
Diagnostic& Reporter::add(Diagnostic diagnostic, const Place& place) {
  const auto codes = diagnostic_codes();
  const auto row = std::find_if(codes.begin(), codes.end(), [&](const auto& c) { return c.code == diagnostic.code; });
  assert(row != codes.end());
  diagnostic.severity = row->severity;
  if (diagnostic.severity == Severity::error && ++errors_ > most_errors) throw TooManyErrors();
  for (Entry& known : entries_) {
    const bool here = known.diagnostic.where == diagnostic.where;
    const bool expanded = place.instance > 0 && known.place.instance > 0 && known.diagnostic.code == diagnostic.code;
    if (here && (expanded || known.diagnostic.message == diagnostic.message)) return known.diagnostic;
  }
  if (entries_.size() >= most_diagnostics) return overflow_ = std::move(diagnostic);
  return entries_.emplace_back(Entry{std::move(diagnostic), place}).diagnostic;
}

std::vector<Diagnostic> Reporter::take() {
  const auto order = [](const Entry& e) { return std::tie(e.place.file, e.place.line, e.place.column); };
  std::stable_sort(entries_.begin(), entries_.end(),
                   [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
  std::vector<Diagnostic> diagnostics;
  for (Entry& entry : entries_) diagnostics.push_back(std::move(entry.diagnostic));
  return diagnostics;
}

}  // namespace accord

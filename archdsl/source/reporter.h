#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/diagnostics.h"

namespace accord {

/// A stretch of one source line: 1-based line, 1-based column in bytes; line 0 means the file as a whole.
struct Place {
  int line = 0;
  int column = 0;
  int length = 1;
};

/// Thrown by Reporter::report once there are so many errors that going on helps nobody.
struct TooManyErrors {};

/// Collects the diagnostics of one covenant and knows its text.
class Reporter {
 public:
  explicit Reporter(std::string file) : file_(std::move(file)) {}

  /// Reads the file; reports and returns false where it is missing, a directory, too large or not UTF-8 text.
  bool read();

  /// Adds a diagnostic; its severity comes from the table of codes. Repeats of the same message at one place are
  /// dropped. Returns the diagnostic for further notes.
  Diagnostic& report(std::string_view code, const Place& place, std::string message, std::string hint = {});
  /// The same for what does not come from the file (an override).
  Diagnostic& report_at(std::string_view code, Location where, std::string message, std::string hint = {});
  /// A note that points to another place.
  Diagnostic note(const Place& place, std::string message) const;

  const std::string& text() const { return text_; }
  /// Source line without its end; empty where there is none such.
  std::string_view line(int number) const;
  Location location(const Place& place) const;

  std::size_t errors() const { return errors_; }
  /// All diagnostics in source order.
  std::vector<Diagnostic> take();

 private:
  Diagnostic& add(Diagnostic diagnostic);
  bool reject_text(std::size_t offset, std::string message);

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  std::vector<Diagnostic> diagnostics_;
  Diagnostic overflow_;
  std::size_t errors_ = 0;
};

}  // namespace accord

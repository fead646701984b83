#pragma once

#include <cstdint>
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
  int file = 0;      ///< number of the file among the covenant's (Reporter::read); 0: the covenant itself
  int instance = 0;  ///< number of the template instance that the text was expanded for; 0: none
};

/// Thrown by Reporter::report once there are so many errors that going on helps nobody.
struct TooManyErrors {};

/// Collects the diagnostics of one covenant and knows the text of its files.
class Reporter {
 public:
  /// `file` is the covenant; it is read by `read`.
  explicit Reporter(std::string file);

  /// Reads the covenant; reports and returns false where it is missing, a directory, too large or not UTF-8 text.
  bool read() { return read(0, {}); }
  /// Reads another file that `place` names; its number, or -1 with a diagnostic at `place`.
  int read(const std::filesystem::path& file, const Place& place);
  /// How many were read.
  int files() const { return static_cast<int>(files_.size()); }
  /// Path under which a file was read.
  const std::filesystem::path& path(int file) const { return files_[static_cast<std::size_t>(file)].path; }

  /// What `place` instantiates: diagnostics in the new instance's text get the note "`what` instantiated here".
  int add_instance(const Place& place, std::string what);

  /// Adds a diagnostic; its severity comes from the table of codes. Repeats of the same message at one place are
  /// dropped. Returns the diagnostic for further notes.
  Diagnostic& report(std::string_view code, const Place& place, std::string message, std::string hint = {});
  /// The same for what does not come from the file (an override).
  Diagnostic& report_at(std::string_view code, Location where, std::string message, std::string hint = {});
  /// A note that points to another place.
  Diagnostic note(const Place& place, std::string message) const;

  const std::string& text(int file) const { return files_[static_cast<std::size_t>(file)].text; }
  /// Source line without its end; empty where there is none such.
  std::string_view line(const Place& place) const;
  Location location(const Place& place) const;

  /// Counts a mistake that follows from one reported already: no message, but what it stands in is not sound.
  void follow_up() { ++errors_; }
  std::size_t errors() const { return errors_; }
  /// All diagnostics in source order, those of the covenant before those of the files that it includes.
  std::vector<Diagnostic> take();

 private:
  struct File {
    std::filesystem::path path;
    std::string text;
    std::vector<std::size_t> line_starts;
    bool ascii = true;  ///< bytes are characters
  };
  struct Instance {
    Place place;
    std::string what;
  };
  struct Entry {
    Diagnostic diagnostic;
    Place place;
  };

  bool read(int file, const Place& from);
  bool check_text(int file);
  Diagnostic& add(Diagnostic diagnostic, const Place& place);
  bool reject_text(int file, std::size_t offset, std::string message);

  std::vector<File> files_;
  std::vector<Instance> instances_;
  std::vector<Entry> entries_;
  Diagnostic overflow_;
  std::size_t errors_ = 0;
  std::uintmax_t bytes_ = 0;  ///< of all files
};

}  // namespace accord

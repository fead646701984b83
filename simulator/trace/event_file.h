#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "simulator/time/time.h"

namespace accord::sim {

/// A file of Chrome trace events ("Trace Event Format", JSON object form; chrome://tracing and Perfetto read it). A
/// cycle is one microsecond of the viewer. A process is a group of tracks and counters, a track a thread of it.
class EventFile {
 public:
  struct Track {
    int process;
    int thread;  ///< unique in the file
  };

  /// Throws Error where the file cannot be written.
  explicit EventFile(const std::filesystem::path& file);
  ~EventFile();

  /// Processes are shown in the order of their numbers.
  void name_process(int process, const std::string& name);
  void name_track(Track track, const std::string& name);

  /// `arguments`: members of a JSON object, or nothing. What lies in a slice is written after its begin, before its
  /// end.
  void begin(Track track, const std::string& name, Cycle at);
  void end(Track track, Cycle at);
  void slice(Track track, const std::string& name, Cycle from, Cycle until, const std::string& arguments = "");
  void counter(int process, const std::string& name, const std::string& unit, Cycle at, double value);
  /// A moment of the whole run.
  void mark(const std::string& name, Cycle at);

  std::int64_t bytes() const { return written_; }
  /// Ends the file; Error where it could not be written. What is not closed has no such check.
  void close();

 private:
  void write(const std::string& event);
  std::filesystem::path path_;
  std::ofstream out_;
  std::int64_t written_ = 0;
};

}  // namespace accord::sim

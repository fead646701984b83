#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace accord::sim {

/// Writes events in Chrome's trace format (one cycle is one microsecond of the viewer). Stops adding operations at
/// 512 MiB; layers are always written.
class ChromeTrace {
 public:
  /// Throws Error where the file cannot be written.
  explicit ChromeTrace(const std::filesystem::path& file);
  ~ChromeTrace();

  void name_track(int track, const std::string& name);
  void slice(int track, const std::string& name, std::int64_t start, std::int64_t end, std::int64_t instruction);
  void layer(const std::string& name, std::int64_t start, std::int64_t end);

 private:
  struct Slice {
    std::string name;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t instruction = -1;
  };
  void write_slice(int track, const Slice& slice, std::int64_t end);
  std::map<int, Slice> pending_;  ///< by track: the last operation, until the next begins
  void write(const std::string& event);
  std::ofstream out_;
  std::int64_t written_ = 0;
  bool first_ = true;
};

}  // namespace accord::sim

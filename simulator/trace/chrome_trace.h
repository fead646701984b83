#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
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
  void write(const std::string& event);
  std::ofstream out_;
  std::int64_t written_ = 0;
  bool first_ = true;
};

}  // namespace accord::sim

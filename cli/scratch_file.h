#pragma once

#include <filesystem>

namespace accord {

/// A file at `kept`, or where that is empty one in the system's folder for temporary files that goes with this object.
class ScratchFile {
 public:
  /// Throws Error where no temporary file can be made.
  explicit ScratchFile(const std::filesystem::path& kept = {});
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool kept_;
};

}  // namespace accord

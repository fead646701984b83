#pragma once

#include <filesystem>
#include <vector>

namespace accord {

/// The recorded models beside the source tree, where they are at hand.
inline std::vector<std::filesystem::path> shared_models() {
  std::vector<std::filesystem::path> models;
  const auto root = std::filesystem::path(ACCORD_SOURCE_DIR).parent_path() / "shared" / "models";
  if (!std::filesystem::exists(root)) return models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  }
  return models;
}

/// A file that is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("accord-" + std::to_string(serial()) + "-" + name)) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  static std::size_t serial() {
    static const auto start =
        static_cast<std::size_t>(std::filesystem::file_time_type::clock::now().time_since_epoch().count());
    static std::size_t count = 0;
    return start + count++;
  }
  std::filesystem::path path_;
};

}  // namespace accord

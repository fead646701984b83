#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace accord {

/// A place of this process alone in the temporary folder, for a file or a folder that goes away with the object.
/// Tests run beside each other, each in a process of its own.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path(std::filesystem::temp_directory_path() /
             ("accord_test_" + std::to_string(getpid()) + "_" + std::to_string(count_++) + "_" + name)) {
    std::filesystem::remove_all(path);
  }
  ~Scratch() {
    std::error_code status;
    std::filesystem::remove_all(path, status);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path path;

 private:
  static inline std::atomic<int> count_ = 0;
};

}  // namespace accord

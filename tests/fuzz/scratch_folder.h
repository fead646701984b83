#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace accord {

/// A folder of this process alone, in memory where the system has such a place; gone when the process ends in order.
class ScratchFolder {
 public:
  ScratchFolder() {
    const std::filesystem::path shared = "/dev/shm";
    const auto place = access(shared.c_str(), W_OK) == 0 ? shared : std::filesystem::temp_directory_path();
    std::string name = (place / "accord_fuzz_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code status;
    std::filesystem::remove_all(path_, status);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, std::string_view text) {
    names_.insert(name);
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

  void clear() {
    for (const std::string& name : names_) unlink((path_ / name).c_str());
    names_.clear();
  }

 private:
  std::filesystem::path path_;
  std::set<std::string> names_;
};

}  // namespace accord

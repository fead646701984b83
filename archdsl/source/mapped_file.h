#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace accord {

/// A regular file's bytes, read where the system keeps them.
class MappedFile {
 public:
  MappedFile() = default;
  /// Throws Error if it cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Of the open file, as long as this lives.
  int descriptor() const { return descriptor_; }

  /// These bytes of it are read next, all of them.
  static void fetch(std::span<const std::byte> part);

  /// These bytes of it will not be read again soon; they count as the process's memory no longer.
  static void leave(std::span<const std::byte> part);

 private:
  int descriptor_ = -1;
  std::span<const std::byte> bytes_;
};

}  // namespace accord

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace accord {

/// A regular file, open and readable in memory as long as this lives. Throws Error where it cannot be.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::byte* data() const { return data_; }  ///< this process's own view: what is written there stays out of the file
  std::size_t size() const { return size_; }

 private:
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An image's bytes: its own, or a stretch of a program file, which are not copied.
class ImageBytes {
 public:
  ImageBytes() = default;
  ImageBytes(std::vector<std::byte> bytes) : own_(std::move(bytes)) {}
  ImageBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size)
      : file_(std::move(file)), offset_(offset), size_(size) {}

  const std::byte* data() const { return file_ ? file_->data() + offset_ : own_.data(); }
  std::size_t size() const { return file_ ? size_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size(); }
  const std::byte& operator[](std::size_t i) const { return data()[i]; }
  bool operator==(const ImageBytes& other) const;

  /// To be filled or changed; not for a file's.
  std::vector<std::byte>& own();
  /// Of which these are a stretch from `offset` on; null: they are the image's own.
  const MappedFile* file() const { return file_.get(); }
  std::size_t offset() const { return offset_; }

 private:
  std::vector<std::byte> own_;
  std::shared_ptr<const MappedFile> file_;
  std::size_t offset_ = 0, size_ = 0;
};

}  // namespace accord

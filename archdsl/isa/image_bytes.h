#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "archdsl/source/mapped_file.h"

namespace accord {

/// An image's bytes: its own, or a stretch of a program file, which are not copied.
class ImageBytes {
 public:
  ImageBytes() = default;
  ImageBytes(std::vector<std::byte> bytes) : own_(std::move(bytes)) {}
  ImageBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size)
      : file_(std::move(file)), offset_(offset), size_(size) {}

  const std::byte* data() const { return file_ ? file_->bytes().data() + offset_ : own_.data(); }
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "archdsl/source/mapped_file.h"

namespace accord {

/// An image's bytes: its own, or a stretch of a program file or of what somebody else keeps, which are not copied.
class ImageBytes {
 public:
  ImageBytes() = default;
  ImageBytes(std::vector<std::byte> bytes) : own_(std::move(bytes)) {}
  ImageBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size)
      : ImageBytes(std::span(file->bytes()).subspan(offset, size), file) {
    file_ = std::move(file);
    offset_ = offset;
  }
  /// `given` stays as long as `keeper` does.
  ImageBytes(std::span<const std::byte> given, std::shared_ptr<const void> keeper)
      : given_(given), keeper_(std::move(keeper)) {}

  const std::byte* data() const { return keeper_ ? given_.data() : own_.data(); }
  std::size_t size() const { return keeper_ ? given_.size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size(); }
  const std::byte& operator[](std::size_t i) const { return data()[i]; }
  bool operator==(const ImageBytes& other) const;

  /// To be filled or changed; only its own.
  std::vector<std::byte>& own();
  /// Of which these are a stretch from `offset` on; null: of none.
  const MappedFile* file() const { return file_.get(); }
  std::size_t offset() const { return offset_; }

 private:
  std::vector<std::byte> own_;
  std::span<const std::byte> given_;
  std::shared_ptr<const void> keeper_;
  std::shared_ptr<const MappedFile> file_;
  std::size_t offset_ = 0;
};

}  // namespace accord

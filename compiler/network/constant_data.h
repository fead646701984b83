#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace accord {

/// A constant's bytes: its own, or those of somebody else who keeps them, such as a model's file, at any address there.
class ConstantBytes {
 public:
  explicit ConstantBytes(std::vector<std::byte> own) : own_(std::move(own)), bytes_(own_) {}
  /// `given` stays as long as `keeper` does.
  ConstantBytes(std::span<const std::byte> given, std::shared_ptr<const void> keeper)
      : bytes_(given), keeper_(std::move(keeper)) {}
  ConstantBytes(const ConstantBytes&) = delete;
  ConstantBytes& operator=(const ConstantBytes&) = delete;

  std::size_t size() const { return bytes_.size(); }
  /// Elements begin at any address. Not beside another thread's first call of `data`, after which they lie elsewhere.
  std::span<const std::byte> unaligned() const { return bytes_; }
  /// Elements of every type begin at their alignment. The first call copies those that do not, and gives the keeper up.
  const std::byte* data() const;
  std::span<const std::byte> aligned() const { return {data(), size()}; }
  std::vector<std::byte> copy() const { return {bytes_.begin(), bytes_.end()}; }

 private:
  mutable std::vector<std::byte> own_;
  mutable std::span<const std::byte> bytes_;
  mutable std::shared_ptr<const void> keeper_;
  mutable std::once_flag aligned_;
};

using ConstantData = std::shared_ptr<const ConstantBytes>;

inline ConstantData owned(std::vector<std::byte> bytes) {
  return std::make_shared<const ConstantBytes>(std::move(bytes));
}

/// So many written values, from std::make_unique_for_overwrite: a large model's are not worth zeroing first.
template <typename T>
ConstantData owned(std::unique_ptr<T[]> values, std::size_t count) {
  const auto bytes = std::as_bytes(std::span<const T>(values.get(), count));
  return std::make_shared<const ConstantBytes>(bytes, std::shared_ptr<const T[]>(std::move(values)));
}

}  // namespace accord

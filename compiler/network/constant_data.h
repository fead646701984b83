#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace accord {

class ConstantBytes;
using ConstantData = std::shared_ptr<const ConstantBytes>;

/// A constant's bytes: its own; those of somebody else who keeps them, such as a model's file, at any address there; or
/// another's elements in another order, which are put so when they are first asked for.
class ConstantBytes {
 public:
  using Order = std::function<ConstantData(std::span<const std::byte>)>;

  explicit ConstantBytes(std::vector<std::byte> own) : size_(own.size()), own_(std::move(own)), bytes_(own_) {}
  /// `given` stays as long as `keeper` does.
  ConstantBytes(std::span<const std::byte> given, std::shared_ptr<const void> keeper)
      : size_(given.size()), bytes_(given), keeper_(std::move(keeper)) {}
  ConstantBytes(ConstantData elements, Order order)
      : size_(elements->size()), reordered_(true), elements_(std::move(elements)), order_(std::move(order)) {}
  ConstantBytes(const ConstantBytes&) = delete;
  ConstantBytes& operator=(const ConstantBytes&) = delete;

  std::size_t size() const { return size_; }
  /// Elements begin at any address. Not beside another thread's first call of `data`, after which they lie elsewhere.
  std::span<const std::byte> unaligned() const { return reordered_ ? aligned() : bytes_; }
  /// As `unaligned`, in any order: none is made for it. Not beside another thread's first call of `data`.
  std::span<const std::byte> in_any_order() const { return elements_ ? elements_->in_any_order() : bytes_; }
  /// Elements of every type begin at their alignment. The first call copies those that do not, and gives the keeper up.
  const std::byte* data() const;
  std::span<const std::byte> aligned() const { return {data(), size()}; }
  /// As `data`, for as long as the result and this live: what is not so yet is made for the result alone. Who reads a
  /// large model's weights once keeps no second copy of all of them. Not beside another thread's first call of `data`.
  std::shared_ptr<const std::byte> lend() const;
  std::vector<std::byte> copy() const { return {unaligned().begin(), unaligned().end()}; }

 private:
  bool is_aligned() const;

  std::size_t size_;
  bool reordered_ = false;
  mutable ConstantData elements_;  ///< of a reordered one, until they are in order
  Order order_;
  mutable std::vector<std::byte> own_;
  mutable std::span<const std::byte> bytes_;
  mutable std::shared_ptr<const void> keeper_;
  mutable std::once_flag aligned_;
};

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

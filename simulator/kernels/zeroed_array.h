#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <string>
#include <utility>

#include "archdsl/source/error.h"

namespace accord::sim {

/// A large array of zeros whose pages come into being when touched.
template <class T>
class ZeroedArray {
 public:
  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    void* pages =
        mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
      throw Error("cannot reserve " + std::to_string(size * sizeof(T)) +
                  " bytes of address space; a run reserves a few times the memories' capacity, whatever it uses of it: "
                  "raise the limit (`ulimit -v`), or give the covenant's memories less");
    data_ = static_cast<T*>(pages);
  }
  ~ZeroedArray() {
    if (data_) munmap(data_, size_ * sizeof(T));
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  /// Pages of a file instead of zeros, from element `first` on, which begins a page.
  void map(std::size_t first, int file, std::size_t offset, std::size_t bytes) {
    const int kind = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    const auto at = static_cast<off_t>(offset);
    if (mmap(data_ + first, bytes, PROT_READ | PROT_WRITE, kind, file, at) == MAP_FAILED) {
      throw Error("cannot map " + std::to_string(bytes) + " bytes of a file");
    }
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace accord::sim

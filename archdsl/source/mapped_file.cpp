#include "archdsl/source/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "archdsl/source/error.h"

namespace accord {
namespace {

std::span<const std::byte> map(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) throw Error("not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};  // an empty mapping is an error to the system
  void* const begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (begin == MAP_FAILED) throw Error(std::strerror(errno));
  return {static_cast<const std::byte*>(begin), size};
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw Error(std::strerror(errno));
  try {
    bytes_ = map(descriptor_);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::fetch(std::span<const std::byte> part) {
#ifdef MADV_POPULATE_READ
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(part.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size());
  madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_READ);  // once for all pages; else one by one
#else
  static_cast<void>(part);
#endif
}

void MappedFile::leave(std::span<const std::byte> part) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page * page;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

}  // namespace accord

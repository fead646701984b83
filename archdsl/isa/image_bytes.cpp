#include "archdsl/isa/image_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "archdsl/source/error.h"

namespace accord {
namespace {

std::size_t size_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) throw Error("not a regular file");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw Error(std::strerror(errno));
  try {
    size_ = size_of(descriptor_);
    if (size_ == 0) return;
    void* pages = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor_, 0);
    if (pages == MAP_FAILED) throw Error(std::strerror(errno));
    data_ = static_cast<std::byte*>(pages);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
  close(descriptor_);
}

bool ImageBytes::operator==(const ImageBytes& other) const { return std::ranges::equal(*this, other); }

std::vector<std::byte>& ImageBytes::own() {
  assert(!file_);
  return own_;
}

}  // namespace accord

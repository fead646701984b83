#include "simulator/kernels/load_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "archdsl/source/error.h"

namespace accord::sim {
namespace {

/// What of an image is whole pages, in memory as in its file.
struct Pages {
  std::size_t before = 0;  ///< bytes of the image in front of them
  std::size_t bytes = 0;
};

Pages whole_pages(const Image& image) {
  constexpr std::size_t page = ByteStore::page;
  const auto address = static_cast<std::size_t>(image.address);
  if (image.bytes.file() == nullptr || image.bytes.offset() % page != address % page) return {};
  const std::size_t before = (page - address % page) % page;
  if (before >= image.bytes.size()) return {};
  return {before, (image.bytes.size() - before) / page * page};
}

void load(const Image& image, ByteStore& store) {
  const auto copy = [&](std::size_t from, std::size_t to) {
    if (from < to) std::memcpy(store.data() + image.address + from, image.bytes.data() + from, to - from);
  };
  const Pages pages = whole_pages(image);
  if (pages.bytes == 0) return copy(0, image.bytes.size());
  copy(0, pages.before);
  store.map(image.address + static_cast<std::int64_t>(pages.before), image.bytes.file()->descriptor(),
            image.bytes.offset() + pages.before, pages.bytes);
  copy(pages.before + pages.bytes, image.bytes.size());
}

}  // namespace

std::size_t memory_index(const Architecture& architecture, const std::string& name) {
  const auto found = std::ranges::find(architecture.memories, name, &Memory::name);
  if (found == architecture.memories.end()) throw Error(fmt::format("the machine has no memory {}", name));
  return static_cast<std::size_t>(found - architecture.memories.begin());
}

void check_image(const Image& image, std::int64_t capacity) {
  const auto length = static_cast<std::int64_t>(image.bytes.size());
  if (image.address < 0 || image.zeros < 0 || image.zeros > capacity || image.address > capacity - length - image.zeros)
    throw Error(fmt::format("an image does not fit into memory {}", image.memory));
}

namespace {

constexpr std::int64_t most_zeros = std::int64_t{16} << 30;  ///< zeros take no memory, their marks an eighth of theirs

/// What nothing has touched is 0 already.
void load_zeros(std::int64_t address, std::int64_t length, ByteStore& store) {
  if (store.is_touched(address, length)) std::memset(store.data() + address, 0, static_cast<std::size_t>(length));
}

}  // namespace

void load_images(const Architecture& architecture, const Program& program, std::vector<ByteStore>& stores) {
  std::int64_t zeros = 0;
  for (const Image& image : program.images) {
    ByteStore& store = stores[memory_index(architecture, image.memory)];
    const auto length = static_cast<std::int64_t>(image.bytes.size());
    check_image(image, store.capacity());
    load(image, store);
    zeros += std::min(image.zeros, most_zeros);
    if (zeros > most_zeros) throw Error(fmt::format("the images hold more than {} zeros", most_zeros));
    load_zeros(image.address + length, image.zeros, store);
    store.mark_written(image.address, length + image.zeros);
  }
}

}  // namespace accord::sim

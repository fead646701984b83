// The heap of the `accord` command, in pages of 2 MiB: models are large, and a page fault takes longer than the copy
// that causes it. Part of the executable alone; sanitizers have a heap of their own.

#include <gperftools/malloc_extension.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace {

class HugePageAllocator final : public SysAllocator {
 public:
  void* Alloc(std::size_t size, std::size_t* actual_size, std::size_t alignment) override {
    const std::size_t step = std::max(alignment, page), bytes = (size + page - 1) / page * page;
    void* const begin = mmap(nullptr, bytes + step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) return nullptr;
    char* const at = static_cast<char*>(begin);
    char* const result = at + (step - reinterpret_cast<std::uintptr_t>(at) % step) % step;
    if (result > at) munmap(at, static_cast<std::size_t>(result - at));
    if (result < at + step) munmap(result + bytes, static_cast<std::size_t>(at + step - result));
    madvise(result, bytes, MADV_HUGEPAGE);  // where the system has none, small ones do
    if (actual_size != nullptr) *actual_size = bytes;
    return result;
  }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;
};

/// Before main, and never ended: others free what they hold later still.
[[maybe_unused]] const bool installed = [] {
  alignas(HugePageAllocator) static std::byte place[sizeof(HugePageAllocator)];
  MallocExtension::instance()->SetSystemAllocator(new (place) HugePageAllocator);
  // What is freed is taken again soon; given back in between, it would be cleared anew.
  MallocExtension::instance()->SetMemoryReleaseRate(0);
  return true;
}();

}  // namespace

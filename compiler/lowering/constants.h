#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "compiler/mapping/geometry.h"

namespace accord {

/// Off-chip memory has no room left: the host, whose constants lie there too, is no way out.
class MemoryFull : public Error {
 public:
  using Error::Error;
};

/// Off-chip memory as the compiler hands it out: tensors' homes, and images of constants.
class OffChip {
 public:
  OffChip(const Memory& memory, int index) : memory_(memory), index_(index) {}
  int index() const { return index_; }
  /// Throws MemoryFull with the sizes where the memory is full.
  std::int64_t allocate(std::int64_t bytes, const std::string& what);
  std::vector<Image> images;

  void add_image(std::int64_t address, std::vector<std::byte> bytes);

  /// A state to return to when a mapping turns out to be impossible.
  struct Mark {
    std::int64_t next = 0;
    std::size_t images = 0;
  };
  Mark mark() const { return {next_, images.size()}; }
  void rollback(const Mark& mark) {
    next_ = mark.next;
    images.resize(mark.images);
  }

 private:
  const Memory& memory_;
  int index_;
  std::int64_t next_ = 0;
};

/// Bytes of a constant use's tile at `origin` in the tile's own layout; elements beyond the tensor are 0.
std::vector<std::byte> materialise(const Network& network, const Work& work, const Use& use, const Layout& layout,
                                   const Extents& origin, const Extents& extents);

}  // namespace accord

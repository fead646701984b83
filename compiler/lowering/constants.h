#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
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
  /// Bytes; a request never straddles more memory words than it must.
  static constexpr std::int64_t alignment = 64;

  /// `keeps_bytes` false: constants have addresses and no images; nobody will read them.
  OffChip(const Memory& memory, int index, bool keeps_bytes = true)
      : memory_(memory), index_(index), keeps_bytes_(keeps_bytes) {}
  int index() const { return index_; }
  bool keeps_bytes() const { return keeps_bytes_; }
  /// Throws MemoryFull with the sizes where the memory is full.
  std::int64_t allocate(std::int64_t bytes, const std::string& what);
  std::vector<Image> images;

  /// Address of a constant with these bytes; equal ones, of whatever layer, are stored once.
  std::int64_t add_constant(ImageBytes bytes, const std::string& what);

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
  bool keeps_bytes_;
  std::int64_t next_ = 0;
  std::unordered_multimap<std::size_t, std::size_t> constants_;  ///< hash of the bytes -> index into `images`
};

/// Addresses of the constants' images that stand in off-chip memory already: one use's tiles, also of several parts of
/// divided work, share an image where they are equal and read alike.
class ConstantImages {
 public:
  /// Number of the order in which transfers read an image's bytes and where they put them; from 1.
  int form_of(const std::vector<TransferPiece>& pieces);

  /// The address under which the image of this tile of a use stands in a form; -1: nowhere yet.
  std::int64_t find(int use, int form, const Access& access, const Extents& origin, const Extents& extents);
  /// Notes it for the tile that was looked for last.
  void add(std::int64_t address) { last_->second.address = address; }
  /// That tile's number, from 1: images of several tiles may stand under one address.
  std::uint32_t number() const { return last_->second.number; }

  /// Images of one use's tiles that were given addresses together, side by side.
  struct Block {
    int memory = -1;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
  };
  void add_block(const Block& block) { blocks_.push_back(block); }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  struct Image {
    std::int64_t address = -1;
    std::uint32_t number = 0;
  };
  std::map<std::vector<std::int64_t>, int> forms_;
  std::map<std::vector<std::int64_t>, Image> images_;
  std::map<std::vector<std::int64_t>, Image>::iterator last_;
  std::vector<Block> blocks_;
};

/// Bytes of a constant use's tile at `origin` in the tile's own layout; elements beyond the tensor are 0.
std::vector<std::byte> materialise(const Network& network, const Work& work, const Use& use, const Layout& layout,
                                   const Extents& origin, const Extents& extents);

}  // namespace accord

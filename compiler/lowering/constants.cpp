#include "compiler/lowering/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"

namespace accord {
namespace {

constexpr std::int64_t alignment = 64;  // bytes; a request never straddles more memory words than it must

/// Tile offset and tensor index of the points of a box, iterator by iterator.
class PointWalk {
 public:
  PointWalk(const Use& use, const Tensor& tensor, const Layout& layout, const Extents& origin, const Extents& extents)
      : use_(use), tensor_(tensor), layout_(layout), origin_(origin), point_(extents.size(), 0) {
    for (std::size_t it = 0; it < extents.size(); ++it) {
      if (extents[it] > 1 && depends(use.access, static_cast<int>(it))) moving_.push_back(it);
    }
    extents_ = &extents;
  }

  template <typename Fn>
  void run(Fn&& fn) {
    for (;;) {
      const std::int64_t element = element_index();
      if (element >= 0) fn(offset_of(layout_, point_), element);
      std::size_t m = moving_.size();
      while (m > 0 && ++point_[moving_[m - 1]] == (*extents_)[moving_[m - 1]]) point_[moving_[--m]] = 0;
      if (m == 0) return;
    }
  }

 private:
  /// Row-major index in the tensor; -1 outside. Indices beyond its rank only repeat it.
  std::int64_t element_index() const {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < tensor_.shape.size(); ++i) {
      std::int64_t at = use_.access.indices[i].offset;
      for (const auto& [it, coefficient] : use_.access.indices[i].terms) {
        at += coefficient * (origin_[it] + point_[it]);
      }
      if (at < 0 || at >= tensor_.shape[i]) return -1;
      flat = flat * tensor_.shape[i] + at;
    }
    return flat;
  }

  const Use& use_;
  const Tensor& tensor_;
  const Layout& layout_;
  const Extents& origin_;
  const Extents* extents_;
  std::vector<std::int64_t> point_;
  std::vector<std::size_t> moving_;
};

void copy_elements(const Use& use, const Tensor& tensor, PointWalk walk, std::vector<std::byte>& out) {
  const std::byte* data = tensor.data->data();
  const std::size_t size = static_cast<std::size_t>(bytes(tensor.type));
  if (tensor.type == use.type) {
    walk.run([&](std::int64_t offset, std::int64_t element) {
      std::memcpy(out.data() + offset, data + static_cast<std::size_t>(element) * size, size);
    });
    return;
  }
  walk.run([&](std::int64_t offset, std::int64_t element) {
    store_element(out.data() + offset, use.type,
                  load_element(data + static_cast<std::size_t>(element) * size, tensor.type));
  });
}

}  // namespace

std::int64_t OffChip::allocate(std::int64_t bytes, const std::string& what) {
  const std::int64_t address = next_;
  const std::int64_t size = (bytes + alignment - 1) / alignment * alignment;
  if (size > memory_.capacity - next_) {
    throw MemoryFull(fmt::format("no room in {} for {}: {} bytes needed, {} of {} taken", memory_.name, what, bytes,
                                 next_, memory_.capacity));
  }
  next_ += size;
  return address;
}

void OffChip::add_image(std::int64_t address, std::vector<std::byte> bytes) {
  Image image;
  image.memory = memory_.name;
  image.address = address;
  image.bytes = std::move(bytes);
  images.push_back(std::move(image));
}

std::vector<std::byte> materialise(const Network& network, const Work& work, const Use& use, const Layout& layout,
                                   const Extents& origin, const Extents& extents) {
  std::vector<std::byte> out(static_cast<std::size_t>(layout.bytes));
  if (use.filled) {
    const std::int64_t size = bytes(use.type);
    for (std::int64_t at = 0; at + size <= layout.bytes; at += size) store_element(out.data() + at, use.type, use.fill);
    return out;
  }
  const Tensor& tensor = network.tensors[work.operands[use.access.operand].tensor];
  copy_elements(use, tensor, PointWalk(use, tensor, layout, origin, extents), out);
  return out;
}

}  // namespace accord

#include "compiler/lowering/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <string_view>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// Where the elements of a box lie in the tile and in the tensor.
class BoxWalk {
 public:
  BoxWalk(const Use& use, const Shape& shape, const Layout& layout, const Extents& origin, const Extents& extents)
      : shape_(shape), flat_(layout.groups.size(), 0), offsets_(layout.groups.size()) {
    std::vector<std::int64_t> strides(shape_.size(), 1);
    for (std::size_t i = shape_.size(); i-- > 1;) strides[i - 1] = strides[i] * shape_[i];
    strides_ = std::move(strides);
    for (std::size_t i = 0; i < shape_.size(); ++i) {  // indices beyond the rank only repeat it
      std::int64_t at = use.access.indices[i].offset;
      for (const auto& [it, coefficient] : use.access.indices[i].terms) at += coefficient * origin[it];
      at_.push_back(at);
    }
    for (std::size_t it = 0; it < extents.size(); ++it) {
      if (extents[it] > 1 && depends(use.access, static_cast<int>(it)))
        add(static_cast<int>(it), extents[it], use, layout);
    }
    if (moves_.empty()) moves_.push_back({});
  }

  /// fn(byte offset in the tile, row-major element of the tensor) for every point inside the tensor.
  template <typename Fn>
  void run(Fn&& fn) {
    visit(0, fn);
  }

 private:
  /// One iterator: what a step of it adds to the groups' flat indices and to the tensor's indices.
  struct Move {
    std::int64_t extent = 1;
    std::vector<std::pair<std::size_t, std::int64_t>> groups, indices;
  };

  void add(int it, std::int64_t extent, const Use& use, const Layout& layout) {
    Move move{extent, {}, {}};
    for (const LayoutAxis& axis : layout.axes) {
      for (const auto& [term, coefficient] : axis.terms) {
        if (term == it) move.groups.emplace_back(axis.group, coefficient * axis.weight);
      }
    }
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      for (const auto& [term, coefficient] : use.access.indices[i].terms) {
        if (term == it) move.indices.emplace_back(i, coefficient);
      }
    }
    for (const auto& [g, step] : move.groups) {
      if (!offsets_[g].empty()) continue;
      const LayoutGroup& group = layout.groups[g];
      for (std::int64_t flat = 0; flat < group.extent; ++flat) {
        offsets_[g].push_back(flat / group.block * group.block_step + flat % group.block * group.step);
      }
    }
    moves_.push_back(std::move(move));
  }

  void step(const Move& move, std::int64_t by) {
    for (const auto& [g, step] : move.groups) flat_[g] += by * step;
    for (const auto& [i, step] : move.indices) at_[i] += by * step;
  }

  template <typename Fn>
  void visit(std::size_t m, Fn& fn) {
    const Move& move = moves_[m];
    if (m + 1 == moves_.size()) return sweep(move, fn);
    for (std::int64_t k = 0; k < move.extent; ++k, step(move, 1)) visit(m + 1, fn);
    step(move, -move.extent);
  }

  /// The innermost iterator, with what does not change along it summed up once.
  template <typename Fn>
  void sweep(const Move& move, Fn& fn) const {
    const auto moved = [](const auto& list, std::size_t which) {
      return std::any_of(list.begin(), list.end(), [&](const auto& entry) { return entry.first == which; });
    };
    std::int64_t offset = 0, element = 0;
    for (std::size_t g = 0; g < flat_.size(); ++g) {
      if (!offsets_[g].empty() && !moved(move.groups, g)) offset += offsets_[g][static_cast<std::size_t>(flat_[g])];
    }
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (moved(move.indices, i)) continue;
      if (at_[i] < 0 || at_[i] >= shape_[i]) return;
      element += at_[i] * strides_[i];
    }
    if (move.groups.size() == 1 && move.indices.size() == 1) return sweep_line(move, offset, element, fn);
    for (std::int64_t k = 0; k < move.extent; ++k) {
      std::int64_t to = offset, from = element;
      bool inside = true;
      for (const auto& [g, step] : move.groups) to += offsets_[g][static_cast<std::size_t>(flat_[g] + k * step)];
      for (const auto& [i, step] : move.indices) {
        const std::int64_t at = at_[i] + k * step;
        inside = inside && at >= 0 && at < shape_[i];
        from += at * strides_[i];
      }
      if (inside) fn(to, from);
    }
  }

  /// An iterator that moves one group and one index, as most do.
  template <typename Fn>
  void sweep_line(const Move& move, std::int64_t offset, std::int64_t element, Fn& fn) const {
    const auto [g, flat_step] = move.groups.front();
    const auto [i, step] = move.indices.front();
    const std::int64_t* offsets = offsets_[g].data() + flat_[g];
    const std::int64_t extent = shape_[i], stride = strides_[i];
    for (std::int64_t k = 0, at = at_[i]; k < move.extent; ++k, at += step) {
      if (at >= 0 && at < extent) fn(offset + offsets[k * flat_step], element + at * stride);
    }
  }

  const Shape& shape_;
  std::vector<std::int64_t> strides_;               ///< elements per index
  std::vector<std::int64_t> at_;                    ///< per index of the tensor
  std::vector<std::int64_t> flat_;                  ///< per group of the layout
  std::vector<std::vector<std::int64_t>> offsets_;  ///< bytes of each flat index, of groups that move
  std::vector<Move> moves_;
};

template <typename Element>
void copy_same(const std::byte* data, BoxWalk& walk, std::vector<std::byte>& out) {
  walk.run([&](std::int64_t offset, std::int64_t element) {
    std::memcpy(out.data() + offset, data + element * static_cast<std::int64_t>(sizeof(Element)), sizeof(Element));
  });
}

void copy_elements(const Use& use, const Tensor& tensor, BoxWalk walk, std::vector<std::byte>& out) {
  const std::byte* data = tensor.data->data();
  const auto size = static_cast<std::int64_t>(bytes(tensor.type));
  if (tensor.type != use.type) {
    return walk.run([&](std::int64_t offset, std::int64_t element) {
      store_element(out.data() + offset, use.type, load_element(data + element * size, tensor.type));
    });
  }
  switch (size) {
    case 1: return copy_same<std::uint8_t>(data, walk, out);
    case 2: return copy_same<std::uint16_t>(data, walk, out);
    case 4: return copy_same<std::uint32_t>(data, walk, out);
    default: assert(size == 8); return copy_same<std::uint64_t>(data, walk, out);
  }
}

}  // namespace

std::int64_t OffChip::allocate(std::int64_t bytes, const std::string& what) {
  const std::int64_t address = next_;
  const std::int64_t size = round_up(bytes, alignment);
  if (size > memory_.capacity - next_) {
    throw MemoryFull(fmt::format("no room in {} for {}: {} bytes needed, {} of {} taken", memory_.name, what, bytes,
                                 next_, memory_.capacity));
  }
  next_ += size;
  return address;
}

std::int64_t OffChip::add_constant(ImageBytes bytes, const std::string& what) {
  const auto hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto [first, last] = constants_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    // What a rollback took away is another image now, or none.
    if (it->second < images.size() && images[it->second].bytes == bytes) return images[it->second].address;
  }
  Image image;
  image.memory = memory_.name;
  image.address = allocate(static_cast<std::int64_t>(bytes.size()), what);
  image.bytes = std::move(bytes);
  constants_.emplace(hash, images.size());
  images.push_back(std::move(image));
  return images.back().address;
}

int ConstantImages::form_of(const std::vector<TransferPiece>& pieces) {
  std::vector<std::int64_t> form;
  for (const TransferPiece& piece : pieces) {
    form.insert(form.end(), {piece.source, piece.target});
    for (const auto* dims : {&piece.extent, &piece.source_stride, &piece.target_stride}) {
      form.insert(form.end(), dims->begin(), dims->end());
    }
  }
  return forms_.try_emplace(std::move(form), static_cast<int>(forms_.size()) + 1).first->second;
}

std::int64_t ConstantImages::find(int use, int form, const Access& access, const Extents& origin,
                                  const Extents& extents) {
  std::vector<std::int64_t> key = {use, form};
  for (const auto& index : access.indices) {
    std::int64_t at = index.offset;
    for (const auto& [it, coefficient] : index.terms) at += coefficient * origin[it];
    key.push_back(at);
  }
  for (std::size_t it = 0; it < extents.size(); ++it) {
    if (depends(access, static_cast<int>(it))) key.push_back(extents[it]);
  }
  const auto number = static_cast<std::uint32_t>(images_.size() + 1);
  last_ = images_.try_emplace(std::move(key), Image{-1, number}).first;
  return last_->second.address;
}

std::vector<std::byte> materialise(const Network& network, const Work& work, const Use& use, const Layout& layout,
                                   const Extents& origin, const Extents& extents) {
  std::vector<std::byte> out(static_cast<std::size_t>(layout.bytes));
  if (use.filled) {
    const std::int64_t size = bytes(use.type);
    for (std::int64_t at = 0; at + size <= layout.bytes; at += size) store_element(out.data() + at, use.type, use.fill);
    return out;
  }
  const WorkOperand& operand = work.operands[use.access.operand];
  copy_elements(use, network.tensors[operand.tensor], BoxWalk(use, operand.shape, layout, origin, extents), out);
  return out;
}

}  // namespace accord

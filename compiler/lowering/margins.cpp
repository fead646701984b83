#include "compiler/lowering/margins.h"

#include <algorithm>
#include <optional>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/lowering/instructions.h"

namespace accord {
namespace {

/// A box of the margin: bytes that lie together, repeated.
struct MarginBox {
  std::int64_t start = 0;  ///< from the beginning of the allocation
  std::int64_t unit = 0;   ///< bytes of the stretch that the box repeats
  std::vector<CopyDim> dims;
};

/// One side of one index, over the insides of the indices around it and all of those within.
class BoxFinder {
 public:
  BoxFinder(const Home& home, const Shape& shape) : home_(home), shape_(shape), order_(home.order) {}

  std::vector<MarginBox> all() const {
    std::vector<MarginBox> boxes;
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const std::size_t i = order_[at];
      if (home_.before[i] > 0) boxes.push_back(box(at, 0, home_.before[i]));
      if (home_.after[i] > 0) boxes.push_back(box(at, home_.before[i] + shape_[i], home_.after[i]));
    }
    return boxes;
  }

 private:
  MarginBox box(std::size_t at, std::int64_t position, std::int64_t count) const {
    MarginBox result;
    for (std::size_t o = 0; o < at; ++o) {
      const std::size_t outer = order_[o];
      result.start += home_.before[outer] * home_.strides[outer];
      result.dims.push_back({shape_[outer], 0, home_.strides[outer]});
    }
    const std::int64_t step = home_.strides[order_[at]];
    result.start += position * step;
    // Within: rows of the innermost index, one after the other.
    const std::int64_t row = order_.size() > 1 ? home_.strides[order_[order_.size() - 2]] : home_.bytes;
    result.unit = std::min(row, step * count);
    result.dims.push_back({step * count / result.unit, 0, result.unit});
    return result;
  }

  const Home& home_;
  const Shape& shape_;
  const std::vector<std::size_t>& order_;
};

/// The transfer from an off-chip memory to the home's, and that memory.
std::pair<Hop, int> way_to(const Machine& machine, const Home& home) {
  const auto& memories = machine.architecture.memories;
  for (int m = 0; m < static_cast<int>(memories.size()); ++m) {
    if (!memories[m].off_chip) continue;
    const auto path = way_between(machine, m, home.memory, false);
    if (path.size() == 1) return {path[0], m};
  }
  throw Error("no transfer leads from off-chip memory to " + machine.architecture.memories[home.memory].name);
}

}  // namespace

OpList fill_margin(const Machine& machine, const Home& home, const Tensor& tensor, std::vector<OffChip>& off_chip) {
  OpList list;
  const auto boxes = BoxFinder(home, tensor.shape).all();
  if (boxes.empty()) return list;
  std::int64_t size = 0;
  for (const auto& box : boxes) size = std::max(size, box.unit);
  const auto [hop, from] = way_to(machine, home);
  const RouteLimits& limits = *machine.limits.route(hop.unit, hop.route);
  std::vector<std::byte> image(static_cast<std::size_t>(size));
  for (std::int64_t at = 0; at + bytes(tensor.type) <= size; at += bytes(tensor.type)) {
    store_element(image.data() + at, tensor.type, home.outside);
  }
  std::int64_t source = 0;
  for (auto& memory : off_chip) {
    if (memory.index() == from) source = memory.add_constant(image, "the margin of " + tensor.name);
  }
  for (const auto& box : boxes) {
    const std::int64_t target = home.address - home.origin + box.start;
    for (const auto& piece : plan_copy(limits, {box.unit, box.dims}).pieces) {
      if ((target + piece.target) % limits.target_unit != 0 || (source + piece.source) % limits.source_unit != 0) {
        throw Error("the margin begins inside what the instruction counts as one unit of address");
      }
      append_transfer(machine, list, hop, piece, {source}, {target}).statement = 0;
    }
  }
  return list;
}

}  // namespace accord

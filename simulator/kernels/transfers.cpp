#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "archdsl/tensor/convert.h"
#include "simulator/kernels/binder.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;    // of one instruction
constexpr std::int64_t most_indices = std::int64_t{1} << 20;  // of one instruction

/// A transfer's arguments but its bases, and what becomes of them. Key: n0..; free source strides; free target
/// strides; lo0, hi0, lo1..; rows.
class TransferReader {
 public:
  TransferReader(const Route& route, std::span<const std::int64_t> key, OperationShape& shape)
      : route_(route), key_(key), shape_(shape), filled_(route.walk.size()) {}

  /// Returns what is wrong, or nothing.
  std::string read() {
    if (std::string error = read_extents(); !error.empty()) return error;
    read_strides();
    if (std::string error = read_padding(); !error.empty()) return error;
    read_rows();
    if (shape_.list.entries > most_indices) return "takes more than 2^20 indices from its list";
    return add_accesses() ? "" : "strides reach beyond 2^48 bytes";
  }
  /// Filled bytes too.
  std::int64_t written() const { return written_; }

 private:
  std::string read_extents() {
    for (std::size_t d = 0; d < route_.walk.size(); ++d) {
      const WalkDim& dim = route_.walk[d];
      const std::int64_t extent = key_[next_++];
      if (extent < 1 || extent > dim.max) return fmt::format("n{} is {}; the mover walks 1 to {}", d, extent, dim.max);
      if (written_ > most_bytes / extent) return "moves more than 2^40 bytes";
      written_ *= extent;
      whole_.push_back({extent, d == 0 ? 1 : dim.source.bytes, d == 0 ? 1 : dim.target.bytes});
    }
    return "";
  }

  void read_strides() {
    for (std::size_t d = 1; d < route_.walk.size(); ++d) {
      if (route_.walk[d].source.kind == Step::Kind::free) whole_[d].source = key_[next_++];
    }
    for (std::size_t d = 1; d < route_.walk.size(); ++d) {
      if (route_.walk[d].target.kind == Step::Kind::free) whole_[d].target = key_[next_++];
    }
  }

  std::string read_padding() {
    for (std::size_t d = 0; route_.pad && d < filled_.size(); ++d) {
      Filling::Dim& filled = filled_[d];
      filled.low = key_[next_++];
      filled.high = key_[next_++];
      const std::int64_t extent = whole_[d].count;
      if (filled.low >= 0 && filled.high >= 0 && filled.low <= extent && filled.high <= extent - filled.low) continue;
      return fmt::format("lo{} is {} and hi{} is {}; n{} is {}", d, filled.low, d, filled.high, d, extent);
    }
    Walk& walk = shape_.walk;
    walk.dims = whole_;
    walk.bytes = 1;
    for (std::size_t d = 0; d < whole_.size(); ++d) {
      walk.dims[d].count -= filled_[d].low + filled_[d].high;
      walk.bytes *= walk.dims[d].count;
    }
    return "";
  }

  void read_rows() {
    if (!route_.gather) return;
    shape_.walk.gather = route_.gather->dim;
    const std::int64_t steps = shape_.walk.dims[static_cast<std::size_t>(route_.gather->dim)].count;
    shape_.list = {route_.gather->type, shape_.walk.bytes > 0 ? steps : 0, key_[next_++]};
  }

  bool add_accesses() {
    std::vector<Stride> source, target;
    for (std::size_t d = 0; d < whole_.size(); ++d) {
      const Walk::Dim& read = shape_.walk.dims[d];
      const bool gathered = static_cast<int>(d) == shape_.walk.gather && read.count > 0;
      source.push_back({gathered ? shape_.list.rows : read.count, read.source});
      target.push_back({whole_[d].count, whole_[d].target});
    }
    auto from = make_footprint(1, 0, std::move(source)), to = make_footprint(1, 0, std::move(target));
    if (!from || !to) return false;
    shape_.accesses.push_back({0, route_.source, true, false, false, std::move(*from)});
    shape_.accesses.push_back({1, route_.target, false, true, false, *to});
    for (const int also : route_.also) shape_.accesses.push_back({1, also, false, true, false, *to});
    shape_.targets = shape_.accesses.size() - 1;
    add_fills();
    if (!route_.gather) return true;
    auto list = make_footprint(bytes(shape_.list.type), 0, {{shape_.list.entries, bytes(shape_.list.type)}});
    if (list) shape_.accesses.push_back({2, route_.gather->index, true, false, false, std::move(*list)});
    return list.has_value();
  }

  /// What surrounds the bytes that are read: from the outermost dimension inwards, the steps before and after them.
  void add_fills() {
    if (!route_.pad || written_ == shape_.walk.bytes) return;
    Filling& filling = shape_.filling;
    filling.element.resize(static_cast<std::size_t>(bytes(route_.pad->type)));
    store_element(filling.element.data(), route_.pad->type, route_.pad->value);
    for (std::size_t d = 0; d < whole_.size(); ++d) {
      filling.dims.push_back({whole_[d].count, filled_[d].low, filled_[d].high, whole_[d].target});
    }
    std::int64_t outer = 0;
    for (std::size_t d = whole_.size(); d-- > 0;) {
      const Filling::Dim& dim = filling.dims[d];
      if (dim.low > 0) add_box(d, outer, dim.low);
      if (dim.high > 0) add_box(d, outer + (dim.count - dim.high) * dim.step, dim.high);
      if (shape_.walk.dims[d].count == 0) return;  // nothing is left inside
      outer += dim.low * dim.step;
    }
    shape_.walk.target = outer;
  }

  /// `count` steps of dimension d, all of the dimensions inside it, of those outside it what is read.
  void add_box(std::size_t d, std::int64_t offset, std::int64_t count) {
    std::vector<Stride> dims;
    for (std::size_t e = 0; e < whole_.size(); ++e) {
      const std::int64_t steps = e < d ? whole_[e].count : e == d ? count : shape_.walk.dims[e].count;
      dims.push_back({steps, whole_[e].target});
    }
    shape_.filling.boxes.push_back(make_footprint(1, offset, std::move(dims)).value());  // within the target's
  }

  const Route& route_;
  std::span<const std::int64_t> key_;
  OperationShape& shape_;
  std::size_t next_ = 0;
  std::vector<Walk::Dim> whole_;
  std::vector<Filling::Dim> filled_;
  std::int64_t written_ = 1;
};

/// Bytes that a transfer reads: what a source step of 0 repeats is read once.
std::int64_t read_bytes(const Walk& walk) {
  std::int64_t bytes = walk.bytes > 0 ? walk.dims[0].count : 0;
  for (std::size_t d = 1; d < walk.dims.size(); ++d)
    bytes *= walk.dims[d].source == 0 ? 1 : std::max<std::int64_t>(walk.dims[d].count, 1);
  return bytes;
}

}  // namespace

std::shared_ptr<OperationShape> Binder::shape_transfer(const Plan& plan, std::span<const std::int64_t> key,
                                                       std::string& error) const {
  const Unit& unit = architecture_.units[static_cast<std::size_t>(plan.unit)];
  const Route& route = unit.routes[static_cast<std::size_t>(plan.mnemonic->route)];
  auto shape = std::make_shared<OperationShape>();
  TransferReader reader(route, key, *shape);
  error = reader.read();
  if (!error.empty()) return nullptr;
  shape->links = route.links;
  shape->link_bytes = read_bytes(shape->walk);
  for (std::size_t a = 0; a < shape->accesses.size(); ++a) {
    const AccessShape& access = shape->accesses[a];
    const std::int64_t read = a == 0 ? shape->link_bytes : access.footprint.bytes;
    const std::int64_t moved = access.reads ? read : reader.written();
    add_access_energy(*shape, access, moved);
    if (architecture_.memories[static_cast<std::size_t>(access.memory)].off_chip) shape->off_chip_bytes += moved;
  }
  add_link_energy(*shape);
  add_requests(*shape, true);
  shape->least_cycles = least_cycles(*shape, unit);
  return shape;
}

}  // namespace accord::sim

#include "compiler/tensor_places.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <set>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/mapping/constant_home.h"

namespace accord {

TensorPlaces::TensorPlaces(Compilation& compilation)
    : compilation_(compilation), architecture_(compilation.architecture), network_(compilation.network) {
  for (std::size_t m = 0; m < architecture_.memories.size(); ++m) {
    if (architecture_.memories[m].off_chip)
      off_chip_.emplace_back(architecture_.memories[m], static_cast<int>(m), compilation.keeps_constants);
  }
  if (off_chip_.empty()) throw Error("the machine has no off-chip memory to keep the model in");
}

void TensorPlaces::place_tensors() {
  off_chip_[0].allocate(compilation_.tensor_bytes, "the tensors between layers");
  const auto see = [&](TensorId t) {
    visible_.insert(t);
    if (compilation_.homes[t].side_by_side.count > 1) visible_.insert(compilation_.homes[t].alias);
  };
  std::ranges::for_each(network_.inputs, see);
  for (const auto& layer : compilation_.layers) {
    for (const TensorId t : layer.outputs) {
      if (compilation_.homes[t].memory < 0) see(t);
    }
  }
  std::set<std::int64_t> filled;  // tensors that share a frame have one margin
  for (const TensorId t : visible_) {
    const std::int64_t address = address_of(t);
    const Home& home = compilation_.homes[t];
    if (home.alias < 0 && home.has_margin() && filled.insert(address).second) fill_margin(t);
    add_symbol(t);
  }
  place_constants(compilation_.layers);
  for (const auto& chain : compilation_.chains) place_constants(chain.apart);
}

std::int64_t TensorPlaces::address_of(TensorId tensor) {
  Home& home = compilation_.homes[tensor];
  if (home.address < 0 && home.alias >= 0) home.address = address_of(home.alias) + home.alias_offset;
  assert(home.address >= 0);
  return home.address;
}

/// The margin's value around the tensor; zeros need no bytes in the file.
void TensorPlaces::fill_margin(TensorId tensor) {
  const Home& home = compilation_.homes[tensor];
  const std::int64_t start = home.address - home.origin;
  Image image;
  image.memory = architecture_.memories[off_chip_[0].index()].name;
  image.address = start;
  if (home.outside == 0) {
    image.zeros = home.bytes;
  } else {
    const ElementType type = network_.tensors[tensor].type;
    auto& values = image.bytes.own();
    values.resize(static_cast<std::size_t>(home.bytes));
    for (std::int64_t at = 0; at < home.bytes; at += bytes(type)) {
      store_element(values.data() + at, type, home.outside);
    }
  }
  off_chip_[0].images.push_back(std::move(image));
}

void TensorPlaces::place_late(TensorId tensor) {
  Home& home = compilation_.homes[tensor];
  home.address = off_chip_[0].allocate(home.bytes, network_.tensors[tensor].name) + home.origin;
  if (home.has_margin()) fill_margin(tensor);
  visible_.insert(tensor);
  add_symbol(tensor);
}

void TensorPlaces::place_for_host(TensorId constant) {
  Home& home = compilation_.homes[constant];
  if (home.address < 0) {
    const Tensor& tensor = network_.tensors[constant];
    std::int64_t step = bytes(tensor.type);
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
      home.strides[i] = step;
      step *= tensor.shape[i];
    }
    home.address = off_chip_[0].add_constant(ImageBytes(tensor.data->aligned(), tensor.data), tensor.name);
  }
  add_symbol(constant);
}

namespace {

/// The constant's bytes as its home has them, 0 in the margin.
std::vector<std::byte> at_home(const Tensor& tensor, const Home& home) {
  std::vector<std::byte> image(static_cast<std::size_t>(home.bytes));
  const std::int64_t size = bytes(tensor.type);
  std::vector<std::int64_t> at(tensor.shape.size(), 0);
  std::int64_t offset = home.origin;
  for (std::size_t from = 0; from < tensor.data->size(); from += static_cast<std::size_t>(size)) {
    std::memcpy(image.data() + offset, tensor.data->data() + from, static_cast<std::size_t>(size));
    for (std::size_t i = at.size(); i-- > 0;) {
      offset += home.strides[i];
      if (++at[i] < tensor.shape[i]) break;
      offset -= at[i] * home.strides[i];
      at[i] = 0;
    }
  }
  return image;
}

}  // namespace

/// A home for a constant that a unit reads where it lies. Others lie as the tiles that movers bring.
void TensorPlaces::place_constant(const Use& use, const Work& work) {
  if (!reads_constant_at_home(network_, work, use)) return;
  const TensorId tensor = work.operands[use.access.operand].tensor;
  Home& home = compilation_.homes[tensor];
  if (home.address >= 0) return;
  const std::string& name = network_.tensors[tensor].name;
  const auto memory = std::ranges::find(off_chip_, use.memory, &OffChip::index);
  assert(memory != off_chip_.end());
  const std::int64_t start = memory->keeps_bytes() ? memory->add_constant(at_home(network_.tensors[tensor], home), name)
                                                   : memory->allocate(home.bytes, name);
  home.address = start + home.origin;
}

void TensorPlaces::place_constants(const std::vector<LayerPlan>& layers) {
  for (const auto& layer : layers) {
    if (layer.placement != Placement::machine) continue;
    for (const auto& mapping : layer.mappings) {
      for (const auto& use : mapping.uses) place_constant(use, layer.work);
    }
  }
}

Symbol::Role TensorPlaces::role_of(TensorId tensor) const {
  if (std::ranges::find(network_.inputs, tensor) != network_.inputs.end()) return Symbol::Role::input;
  if (std::ranges::find(network_.outputs, tensor) != network_.outputs.end()) return Symbol::Role::output;
  return network_.tensor(tensor).is_constant() ? Symbol::Role::constant : Symbol::Role::intermediate;
}

/// Rows or columns that lie as channels of another tensor are two dimensions of the symbol.
void TensorPlaces::split(Symbol& symbol, const Home& home) const {
  const SideBySide& parts = home.side_by_side;
  const auto next = static_cast<std::ptrdiff_t>(parts.index) + 1;
  symbol.split = symbol.shape;
  symbol.split[parts.index] /= parts.count;
  symbol.split.insert(symbol.split.begin() + next, parts.count);
  symbol.strides = compilation_.homes[home.alias].strides;
  symbol.strides.insert(symbol.strides.begin() + next, parts.part * symbol.strides[1]);
  symbol.strides[1] *= parts.channel;
}

void TensorPlaces::add_symbol(TensorId tensor) {
  if (!named_.try_emplace(tensor, symbols_.size()).second) return;
  const Home& home = compilation_.homes[tensor];
  const Tensor& t = network_.tensors[tensor];
  Symbol symbol;
  symbol.name = t.name;
  symbol.memory = architecture_.memories[home.memory >= 0 ? home.memory : off_chip_[0].index()].name;
  symbol.address = home.address;
  symbol.type = t.type;
  symbol.shape = t.shape;
  symbol.strides = home.strides;
  if (home.side_by_side.count > 1) split(symbol, home);
  symbol.role = role_of(tensor);
  if (const auto strip = compilation_.strips.find(tensor); strip != compilation_.strips.end()) {
    symbol.whole = network_.tensors[strip->second.whole].name;
    symbol.origin.assign(t.shape.size(), 0);
    symbol.origin[static_cast<std::size_t>(strip->second.index)] = strip->second.first;
  }
  symbols_.push_back(std::move(symbol));
}

TensorPlaces::Mark TensorPlaces::mark() const {
  Mark mark{{}, symbols_.size()};
  for (const auto& memory : off_chip_) mark.off_chip.push_back(memory.mark());
  return mark;
}

void TensorPlaces::rollback(const Mark& mark) {
  for (std::size_t i = 0; i < off_chip_.size(); ++i) off_chip_[i].rollback(mark.off_chip[i]);
  symbols_.resize(mark.symbols);
  std::erase_if(named_, [&](const auto& entry) { return entry.second >= mark.symbols; });
}

std::vector<Image> TensorPlaces::take_images() {
  std::vector<Image> images;
  for (auto& memory : off_chip_) {
    for (auto& image : memory.images) images.push_back(std::move(image));
  }
  return images;
}

}  // namespace accord

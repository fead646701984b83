#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <set>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codegen/encoder.h"
#include "compiler/compilation.h"
#include "compiler/lowering/continuation.h"
#include "compiler/lowering/lower_layer.h"
#include "compiler/lowering/margins.h"
#include "compiler/mapping/constant_home.h"

namespace accord {
namespace {

/// Lowers layer after layer into one program.
class Generator {
 public:
  explicit Generator(Compilation& compilation)
      : compilation_(compilation),
        architecture_(compilation.architecture),
        network_(compilation.network),
        encoder_(architecture_, compilation.machine.limits),
        continuation_(architecture_, compilation.tensor_bytes) {
    for (std::size_t m = 0; m < architecture_.memories.size(); ++m) {
      if (architecture_.memories[m].off_chip)
        off_chip_.emplace_back(architecture_.memories[m], static_cast<int>(m), compilation.keeps_constants);
    }
    if (off_chip_.empty()) throw Error("the machine has no off-chip memory to keep the model in");
  }

  Program run();

 private:
  void place_tensors();
  void place_constant(const Use& use, const Work& work);
  void place_constants(const std::vector<LayerPlan>& layers);
  std::int64_t address_of(TensorId tensor);
  void place_late(TensorId tensor);
  void fill_margin(TensorId tensor);
  bool add_layer(LayerPlan& layer);
  void add_chain(std::size_t first, std::size_t end);
  void fill_margins(const LayerPlan& layer);
  bool append(const OpList& list, const std::vector<std::string>& labels);
  struct Mark;
  Mark mark() const;
  void undo(const Mark& mark);
  void wait_for_all();
  bool try_mapping(LayerPlan& layer, const Mapping& mapping, std::string& why);
  bool try_mapping(LayerPlan& layer, const Mapping& mapping, Reads reads, std::string& why);
  void add_host(const LayerPlan& layer);
  void add_symbol(TensorId tensor);
  bool is_visible(TensorId tensor) const { return visible_.count(tensor) != 0; }

  Compilation& compilation_;
  const Architecture& architecture_;
  const Network& network_;
  Encoder encoder_;
  Continuation continuation_;
  std::vector<OffChip> off_chip_;
  Program program_;
  std::set<TensorId> visible_;
  std::set<TensorId> symbols_;
};

/// The margin's value around the tensor; zeros need no bytes in the file.
void Generator::fill_margin(TensorId tensor) {
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

std::int64_t Generator::address_of(TensorId tensor) {
  Home& home = compilation_.homes[tensor];
  if (home.address < 0 && home.alias >= 0) home.address = address_of(home.alias) + home.alias_offset;
  assert(home.address >= 0);
  return home.address;
}

/// A home off chip for a result that was to stay on chip.
void Generator::place_late(TensorId tensor) {
  Home& home = compilation_.homes[tensor];
  home.address = off_chip_[0].allocate(home.bytes, network_.tensors[tensor].name) + home.origin;
  if (home.has_margin()) fill_margin(tensor);
  visible_.insert(tensor);
  add_symbol(tensor);
}

void Generator::place_tensors() {
  off_chip_[0].allocate(compilation_.tensor_bytes, "the tensors between layers");
  const auto see = [&](TensorId t) {
    visible_.insert(t);
    if (compilation_.homes[t].interleaved > 1) visible_.insert(compilation_.homes[t].alias);
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

/// A home for a constant that a unit reads where it lies. Others lie as the tiles that movers bring.
void Generator::place_constant(const Use& use, const Work& work) {
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

void Generator::place_constants(const std::vector<LayerPlan>& layers) {
  for (const auto& layer : layers) {
    if (layer.placement != Placement::machine) continue;
    for (const auto& mapping : layer.mappings) {
      for (const auto& use : mapping.uses) place_constant(use, layer.work);
    }
  }
}

void Generator::add_symbol(TensorId tensor) {
  if (!symbols_.insert(tensor).second) return;
  const Home& home = compilation_.homes[tensor];
  const Tensor& t = network_.tensors[tensor];
  Symbol symbol;
  symbol.name = t.name;
  symbol.memory = architecture_.memories[home.memory >= 0 ? home.memory : off_chip_[0].index()].name;
  symbol.address = home.address;
  symbol.type = t.type;
  symbol.shape = t.shape;
  symbol.strides = home.strides;
  if (home.interleaved > 1) {
    const HomeStrides& rows = compilation_.homes[home.alias].strides;
    const std::int64_t side_by_side = home.interleaved;
    symbol.split = {t.shape[0], t.shape[1], t.shape[2] / side_by_side, side_by_side, t.shape[3]};
    symbol.strides = {rows[0], rows[1], rows[2], t.shape[1] * rows[1], rows[3]};
  }
  const auto in = [&](const std::vector<TensorId>& list) {
    return std::find(list.begin(), list.end(), tensor) != list.end();
  };
  symbol.role = in(network_.inputs)    ? Symbol::Role::input
                : in(network_.outputs) ? Symbol::Role::output
                : t.is_constant()      ? Symbol::Role::constant
                                       : Symbol::Role::intermediate;
  if (const auto strip = compilation_.strips.find(tensor); strip != compilation_.strips.end()) {
    symbol.whole = network_.tensors[strip->second.whole].name;
    symbol.origin.assign(t.shape.size(), 0);
    symbol.origin[static_cast<std::size_t>(strip->second.index)] = strip->second.first;
  }
  program_.symbols.push_back(std::move(symbol));
}

void Generator::add_host(const LayerPlan& layer) {
  encoder_.end_stage();
  continuation_.fence();
  Stage stage;
  stage.host = true;
  stage.layer = static_cast<int>(program_.layers.size()) - 1;
  const TensorProgram& program = layer.work.program;
  stage.work.statements = statement_texts(program);
  stage.work.iterators = program.iterators;
  for (std::size_t o = 0; o < program.operands.size(); ++o) {
    const WorkOperand& operand = layer.work.operands[o];
    HostOperand host;
    host.name = program.operands[o].name;
    host.type = program.operands[o].type;
    host.outside = operand.outside;
    if (operand.tensor != no_tensor && operand.constant) {
      Home& home = compilation_.homes[operand.tensor];
      if (home.address < 0) {
        // Constants of the host lie as the network has them.
        const Tensor& tensor = network_.tensors[operand.tensor];
        std::int64_t step = bytes(tensor.type);
        for (std::size_t i = tensor.shape.size(); i-- > 0;) {
          home.strides[i] = step;
          step *= tensor.shape[i];
        }
        home.address = off_chip_[0].add_constant(*tensor.data, tensor.name);
      }
      add_symbol(operand.tensor);
      host.symbol = network_.tensors[operand.tensor].name;
    } else if (operand.tensor != no_tensor && is_visible(operand.tensor)) {
      host.symbol = network_.tensors[operand.tensor].name;
    } else {
      host.shape = operand.shape;
    }
    stage.work.operands.push_back(std::move(host));
  }
  encoder_.stages().push_back(std::move(stage));
}

/// A list of the layer that is added now. Whether fences stand within it.
bool Generator::append(const OpList& list, const std::vector<std::string>& labels) {
  const auto ordered = continuation_.order(list);
  const auto inside = ordered.order.begin() + (ordered.order.empty() ? 0 : 1);
  encoder_.append(list, ordered.order, ordered.late, static_cast<int>(program_.layers.size()) - 1, labels);
  continuation_.keep();
  return std::any_of(inside, ordered.order.end(), [](const auto& op) { return op.kind == OrderedOp::Kind::fence; });
}

/// A state to return to.
struct Generator::Mark {
  Encoder::Mark encoder;
  std::vector<OffChip::Mark> off_chip;
  std::int64_t changes = 0;
};

Generator::Mark Generator::mark() const {
  Mark mark{encoder_.mark(), {}, continuation_.changes()};
  for (const auto& memory : off_chip_) mark.off_chip.push_back(memory.mark());
  return mark;
}

void Generator::wait_for_all() {
  encoder_.barrier();
  continuation_.fence();
}

/// Takes back what was added since. Where that was a list or more, nothing is known of what is under way then.
void Generator::undo(const Mark& mark) {
  encoder_.rollback(mark.encoder);
  if (continuation_.changes() != mark.changes) {
    wait_for_all();
  }
  for (std::size_t i = 0; i < off_chip_.size(); ++i) off_chip_[i].rollback(mark.off_chip[i]);
}

/// With shared reads; where those need fences because semaphores do not suffice, behind a fence, which gives all of
/// them back; else without.
bool Generator::try_mapping(LayerPlan& layer, const Mapping& mapping, std::string& why) {
  const bool shares = !mapping.spatial.empty() && !compilation_.machine.multicasts.empty();
  if (shares) {
    if (try_mapping(layer, mapping, Reads::shared, why)) return true;
    const Mark before = mark();
    wait_for_all();
    if (try_mapping(layer, mapping, Reads::shared, why)) return true;
    undo(before);
  }
  return try_mapping(layer, mapping, Reads::own, why);
}

bool Generator::try_mapping(LayerPlan& layer, const Mapping& mapping, Reads reads, std::string& why) {
  const Mark before = mark();
  try {
    fill_margins(layer);
    const bool fenced =
        append(lower_layer(compilation_.machine, network_, layer.work, compilation_.homes, mapping, off_chip_, reads),
               statement_texts(layer.work.program));
    if (reads == Reads::own || !fenced) return true;
    why = "too few semaphores for multicasts";
  } catch (const MemoryFull&) {
    throw;
  } catch (const Error& error) {
    why = error.what();
  }
  undo(before);
  return false;
}

/// Margins of what the layer keeps on chip; nothing else touches them while it runs.
void Generator::fill_margins(const LayerPlan& layer) {
  for (const TensorId t : layer.outputs) {
    const Home& home = compilation_.homes[t];
    if (home.memory < 0) continue;
    const OpList list = accord::fill_margin(compilation_.machine, home, network_.tensors[t], off_chip_);
    append(list, {"margin of the result"});
  }
}

/// The layer on the machine, or else on the host; false where it must not go there because it belongs to a chain.
bool Generator::add_layer(LayerPlan& layer) {
  Layer entry;
  const Operator& last = network_.operators[layer.group.operators.back()];
  entry.name = network_.tensors[last.outputs[0]].name + layer.strip;
  for (const int op : layer.group.operators) {
    if (!entry.op.empty()) entry.op += "+";
    entry.op += network_.operators[op].type;
  }
  entry.macs = layer.macs < 0 ? macs_of(layer.work) : layer.macs;
  for (const TensorId t : layer.outputs) {
    if (layer.chain < 0 && !is_visible(t)) place_late(t);
    if (compilation_.homes[t].memory >= 0) add_symbol(t);
    if (layer.of_model) entry.outputs.push_back(network_.tensors[t].name);
  }
  program_.layers.push_back(entry);
  if (layer.placement == Placement::memory) {
    program_.layers.back().placed_on = "memory";
    program_.layers.back().reason = "shares memory with what it rearranges";
    return true;
  }
  std::string why = layer.reason;
  for (const auto& mapping : layer.mappings) {
    if (layer.placement != Placement::machine) break;
    Layer& now = program_.layers.back();
    now.placed_on = architecture_.units[mapping.steps[0].match.unit].name;
    now.capability = compilation_.machine.capability(mapping.steps[0].match).name;
    now.bound_cycles = layer.bound.cycles;
    now.compute_cycles = std::min(layer.bound.compute_cycles, layer.bound.cycles);
    now.compulsory_bytes = layer.bound.compulsory_bytes;
    if (try_mapping(layer, mapping, why)) return true;
  }
  if (layer.chain >= 0) return false;
  Layer& now = program_.layers.back();
  now.placed_on = "host";
  now.capability.clear();
  now.reason = why;
  now.bound_cycles = now.compute_cycles = now.compulsory_bytes = 0;
  add_host(layer);
  return true;
}

/// All slices of a chain, or, where an encoding cannot express one, its layers each by itself.
void Generator::add_chain(std::size_t first, std::size_t end) {
  const Mark before = mark();
  const std::size_t layers = program_.layers.size();
  const std::size_t symbols = program_.symbols.size();
  bool expressed = true;
  for (std::size_t l = first; l < end && expressed; ++l) expressed = add_layer(compilation_.layers[l]);
  FusedChain& chain = compilation_.chains[compilation_.layers[first].chain];
  if (expressed) {
    program_.layers[layers].fusion = chain.decision;
    return;
  }
  undo(before);
  program_.layers.resize(layers);
  program_.symbols.resize(symbols);
  for (auto& layer : chain.apart) add_layer(layer);
}

Program Generator::run() {
  program_.architecture = architecture_.name;
  program_.architecture_hash = architecture_.hash;
  program_.controller = architecture_.controller.name;
  place_tensors();
  std::size_t done = 0;
  auto& layers = compilation_.layers;
  while (done < layers.size()) {
    compilation_.progress("generate", done, layers.size());
    if (layers[done].chain < 0) {
      add_layer(layers[done++]);
      continue;
    }
    std::size_t end = done;
    while (end < layers.size() && layers[end].chain == layers[done].chain) ++end;
    add_chain(done, end);
    done = end;
  }
  encoder_.end_stage();
  program_.text = encoder_.take_text();
  program_.map = encoder_.take_map();
  program_.stages = std::move(encoder_.stages());
  for (auto& memory : off_chip_) {
    for (auto& image : memory.images) program_.images.push_back(std::move(image));
  }
  return std::move(program_);
}

}  // namespace

Program generate_pass(Compilation& compilation) try {
  return Generator(compilation).run();
} catch (const MemoryFull& error) {
  std::int64_t constants = 0;
  for (const Tensor& tensor : compilation.network.tensors) {
    if (tensor.is_constant()) constants += static_cast<std::int64_t>(tensor.data->size());
  }
  throw Error(fmt::format("{}; the model has {} bytes of tensors at a time and {} of constants", error.what(),
                          compilation.tensor_bytes, constants));
}

}  // namespace accord

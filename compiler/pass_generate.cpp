#include <fmt/format.h>

#include <algorithm>

#include "archdsl/source/error.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codegen/encoder.h"
#include "compiler/compilation.h"
#include "compiler/lowered_layers.h"
#include "compiler/lowering/continuation.h"
#include "compiler/lowering/margins.h"
#include "compiler/lowering/share_transfers.h"
#include "compiler/tensor_places.h"

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
        continuation_(architecture_, compilation.tensor_bytes),
        places_(compilation),
        lowered_(compilation) {}

  Program run();

 private:
  bool add_layer(LayerPlan& layer);
  void add_chain(std::size_t first, std::size_t end);
  void fill_margins(const LayerPlan& layer);
  bool append(LoweredLayers::Lowered& lowered, const std::vector<std::string>& labels);
  struct Mark;
  Mark mark() const;
  void undo(const Mark& mark);
  void wait_for_all();
  bool try_ends(LayerPlan& layer, const Mapping& mapping, std::string& why);
  bool try_mapping(LayerPlan& layer, const Mapping& mapping, LaidFrom from, std::string& why);
  enum class Fences { within, outside };  ///< of a layer's list
  bool try_mapping(LayerPlan& layer, const Mapping& mapping, Reads reads, LaidFrom from, Fences fences,
                   std::string& why);
  void add_host(const LayerPlan& layer);

  Compilation& compilation_;
  const Architecture& architecture_;
  const Network& network_;
  Encoder encoder_;
  Continuation continuation_;
  TensorPlaces places_;
  LoweredLayers lowered_;
  LaidFrom from_ = LaidFrom::low;  ///< of the next layer
  Program program_;
};

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
      places_.place_for_host(operand.tensor);
      host.symbol = network_.tensors[operand.tensor].name;
    } else if (operand.tensor != no_tensor && places_.is_visible(operand.tensor)) {
      host.symbol = network_.tensors[operand.tensor].name;
    } else {
      host.shape = operand.shape;
    }
    stage.work.operands.push_back(std::move(host));
  }
  encoder_.stages().push_back(std::move(stage));
}

/// A list of the layer that is added now. Whether fences stand within it for want of semaphores.
bool Generator::append(LoweredLayers::Lowered& lowered, const std::vector<std::string>& labels) {
  auto& [list, schedules, code] = lowered;
  const auto ordered = continuation_.order(list, schedules);
  encoder_.append(list, ordered.order, ordered.late, static_cast<int>(program_.layers.size()) - 1, labels,
                  code ? &*code : nullptr);
  continuation_.keep();
  return ordered.lacks_semaphores;
}

/// A state to return to.
struct Generator::Mark {
  Encoder::Mark encoder;
  TensorPlaces::Mark places;
  std::int64_t changes = 0;
};

Generator::Mark Generator::mark() const { return {encoder_.mark(), places_.mark(), continuation_.changes()}; }

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
  places_.rollback(mark.places);
}

/// From the end whose turn it is; where that is the high one and fields of addresses are too short for it, the low one.
bool Generator::try_ends(LayerPlan& layer, const Mapping& mapping, std::string& why) {
  for (LaidFrom from = from_;; from = LaidFrom::low) {
    if (try_mapping(layer, mapping, from, why)) {
      from_ = from == LaidFrom::low && compilation_.takes_turns ? LaidFrom::high : LaidFrom::low;
      return true;
    }
    if (from == LaidFrom::low) return false;
  }
}

/// With shared reads; where those need fences because semaphores do not suffice, behind a fence, which gives all of
/// them back; else without, or, where elements cannot load alone, with the fences.
bool Generator::try_mapping(LayerPlan& layer, const Mapping& mapping, LaidFrom from, std::string& why) {
  if (mapping.spatial.empty()) return try_mapping(layer, mapping, Reads::own, from, Fences::within, why);
  const bool together = needs_others(parts_of(compilation_.machine, mapping).front());
  if (together || !compilation_.machine.multicasts.empty()) {
    if (try_mapping(layer, mapping, Reads::shared, from, Fences::outside, why)) return true;
    const Mark before = mark();
    wait_for_all();
    const Fences fences = together ? Fences::within : Fences::outside;
    if (try_mapping(layer, mapping, Reads::shared, from, fences, why)) return true;
    undo(before);
  }
  return !together && try_mapping(layer, mapping, Reads::own, from, Fences::within, why);
}

bool Generator::try_mapping(LayerPlan& layer, const Mapping& mapping, Reads reads, LaidFrom from, Fences fences,
                            std::string& why) {
  const Mark before = mark();
  try {
    fill_margins(layer);
    const bool fenced =
        append(lowered_.lower(layer, mapping, reads, from, places_.off_chip()), statement_texts(layer.work.program));
    if (fences == Fences::within || !fenced) return true;
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
    LoweredLayers::Lowered margin;
    margin.list = accord::fill_margin(compilation_.machine, home, network_.tensors[t], places_.off_chip());
    append(margin, {"margin of the result"});
  }
}

/// The layer on the machine, or else on the host; false where it must not go there because it belongs to a chain.
bool Generator::add_layer(LayerPlan& layer) {
  Layer entry;
  entry.name = name_of(network_, layer) + layer.strip;
  for (const int op : layer.group.operators) {
    if (!entry.op.empty()) entry.op += "+";
    entry.op += network_.operators[op].type;
  }
  entry.macs = layer.macs < 0 ? macs_of(layer.work) : layer.macs;
  for (const TensorId t : layer.outputs) {
    if (layer.chain < 0 && !places_.is_visible(t)) places_.place_late(t);
    if (compilation_.homes[t].memory >= 0) places_.add_symbol(t);
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
    now.placed_on = compilation_.machine.architecture.units[mapping.steps[0].match.unit].name;
    now.capability = compilation_.machine.capability(mapping.steps[0].match).name;
    now.bound_cycles = layer.bound.cycles;
    now.compute_cycles = std::min(layer.bound.compute_cycles, layer.bound.cycles);
    now.compulsory_bytes = layer.bound.compulsory_bytes;
    if (try_ends(layer, mapping, why)) return true;
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
  bool expressed = true;
  for (std::size_t l = first; l < end && expressed; ++l) expressed = add_layer(compilation_.layers[l]);
  FusedChain& chain = compilation_.chains[compilation_.layers[first].chain];
  if (expressed) {
    program_.layers[layers].fusion = chain.decision;
    return;
  }
  undo(before);
  program_.layers.resize(layers);
  for (auto& layer : chain.apart) add_layer(layer);
}

Program Generator::run() {
  program_.architecture = architecture_.name;
  program_.architecture_hash = architecture_.hash;
  program_.controller = architecture_.controller.name;
  places_.place_tensors();
  std::size_t done = 0;
  auto& layers = compilation_.layers;
  while (done < layers.size()) {
    compilation_.progress("generate", done, layers.size());
    if (layers[done].chain < 0) {
      add_layer(layers[done]);
      lowered_.leave(layers[done++]);
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
  program_.symbols = places_.take_symbols();
  program_.images = places_.take_images();
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

#include "compiler/lowered_layers.h"

#include <algorithm>
#include <utility>

#include "compiler/layer_search.h"
#include "compiler/lowering/step_instructions.h"

namespace accord {
namespace {

constexpr std::size_t most_operations = std::size_t{1} << 20;  ///< that stay: a few hundred megabytes

MappedWork mapped(const LayerPlan& layer, const Mapping& mapping) { return {layer.work, mapping}; }

std::vector<OffChipPlace> places_of(const Compilation& compilation, const MappedWork& layer,
                                    const ConstantImages& images) {
  auto places = tensor_places(compilation.network, compilation.homes, layer);
  for (const auto& block : images.blocks()) places.push_back({block.memory, block.address, block.bytes, 0});
  return places;
}

}  // namespace

LoweredLayers::LoweredLayers(const Compilation& compilation) : compilation_(compilation) {
  if (!compilation.options.reuse_lists) return;
  std::map<std::string, Expected*> by_key;
  for (const LayerPlan& layer : compilation.layers) {
    if (layer.placement != Placement::machine || layer.chain >= 0) continue;
    Expected*& expected = by_key[search_key(compilation, layer)];
    if (expected == nullptr) expected = &expected_.emplace_back();
    ++expected->layers;
    of_layer_[&layer] = expected;
  }
}

LoweredLayers::Kept* LoweredLayers::find(Expected& expected, const LayerPlan& layer, const Mapping& mapping,
                                         Reads reads, LaidFrom from) const {
  const auto alike = [&](const Kept& kept) {
    return kept.reads == reads && kept.from == from &&
           lower_alike(compilation_.network, compilation_.homes, mapped(*kept.layer, *kept.mapping),
                       mapped(layer, mapping));
  };
  const auto found = std::ranges::find_if(expected.lists, alike);
  return found == expected.lists.end() ? nullptr : &*found;
}

/// The numbers that the statements' instructions carry.
void LoweredLayers::set_numbers(Kept& kept, const Mapping& mapping) const {
  const auto& mnemonics = compilation_.architecture.isa.mnemonics;
  std::map<int, std::vector<std::int64_t>> numbers;  // by statement
  for (std::size_t s = 0; s < mapping.steps.size(); ++s) {
    const StatementPlan& step = mapping.steps[s];
    const Capability& capability = compilation_.machine.capability(step.match);
    auto now = scalar_arguments(capability, step.match);
    if (now != scalar_arguments(capability, kept.mapping->steps[s].match)) numbers[step.statement] = std::move(now);
  }
  if (numbers.empty()) return;
  OpList& list = kept.lowered.list;
  for (std::uint32_t at = 0; at < list.ops.size(); ++at) {
    const LowOp& op = list.ops[at];
    if (mnemonics[op.mnemonic].meaning != Meaning::run) continue;
    const auto changed = numbers.find(op.statement);
    if (changed == numbers.end()) continue;
    std::ranges::copy(changed->second, list.values.data() + op.first + op.count - changed->second.size());
    kept.lowered.code->vary(at);
  }
}

/// Makes an equal layer's list this one's; false where their bytes off chip lie otherwise to each other.
bool LoweredLayers::adapt(Kept& kept, const LayerPlan& layer, const Mapping& mapping,
                          std::vector<OffChip>& off_chip) const {
  std::vector<OffChip::Mark> marks;
  for (const OffChip& memory : off_chip) marks.push_back(memory.mark());
  const Machine& machine = compilation_.machine;
  ConstantImages images;
  lay_images(machine, compilation_.network, layer.work, compilation_.homes, parts_of(machine, mapping), images,
             off_chip);
  auto places = places_of(compilation_, mapped(layer, mapping), images);
  const auto moved = shifts(kept.places, places);
  if (!moved) {
    for (std::size_t m = 0; m < marks.size(); ++m) off_chip[m].rollback(marks[m]);
    return false;
  }
  for (const auto& [op, value, place] : kept.addresses) *kept.lowered.list.values[value] += (*moved)[place];
  set_numbers(kept, mapping);
  kept.places = std::move(places);
  kept.layer = &layer;
  kept.mapping = &mapping;
  return true;
}

LoweredLayers::Lowered& LoweredLayers::lower(const LayerPlan& layer, const Mapping& mapping, Reads reads, LaidFrom from,
                                             std::vector<OffChip>& off_chip) {
  const auto equal = of_layer_.find(&layer);
  Expected* const expected = equal == of_layer_.end() ? nullptr : equal->second;
  if (expected != nullptr) {
    Kept* kept = find(*expected, layer, mapping, reads, from);
    if (kept != nullptr && adapt(*kept, layer, mapping, off_chip)) return kept->lowered;
  }
  const Machine& machine = compilation_.machine;
  ConstantImages images;
  last_ = {&layer, &mapping, reads, from, {}, {}, {}};
  last_.lowered.list = lower_parts(machine, compilation_.network, layer.work, compilation_.homes,
                                   parts_of(machine, mapping), images, off_chip, reads, from);
  const std::size_t operations = last_.lowered.list.ops.size();
  const bool comes_again = expected != nullptr && expected->layers > 1;
  if (!comes_again || operations_ + operations > most_operations) return last_.lowered;
  last_.places = places_of(compilation_, mapped(layer, mapping), images);
  auto addresses = off_chip_addresses(compilation_.architecture, last_.lowered.list, last_.places);
  if (!addresses) return last_.lowered;
  last_.addresses = std::move(*addresses);
  last_.lowered.code.emplace(operations);
  for (const OffChipAddress& address : last_.addresses) last_.lowered.code->vary(address.op);
  operations_ += operations;
  return expected->lists.emplace_back(std::exchange(last_, {})).lowered;
}

void LoweredLayers::leave(const LayerPlan& layer) {
  const auto equal = of_layer_.find(&layer);
  if (equal == of_layer_.end() || --equal->second->layers > 0) return;
  for (const Kept& kept : equal->second->lists) operations_ -= kept.lowered.list.ops.size();
  equal->second->lists.clear();
}

}  // namespace accord

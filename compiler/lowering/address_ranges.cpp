#include "compiler/lowering/address_ranges.h"

#include <algorithm>

#include "compiler/mapping/plan.h"

namespace accord {
namespace {

/// Widens the range by `steps` steps of so many bytes.
void widen(AddressRange& range, std::int64_t steps, std::int64_t bytes) {
  (steps * bytes < 0 ? range.low : range.high) += steps * bytes;
}

/// Argument values in their order; an absent stride belongs to a dimension of one step.
class Arguments {
 public:
  Arguments(const MaybeValue* values, std::size_t at) : values_(values), at_(at) {}
  std::int64_t next() { return values_[at_++].value_or(0); }

 private:
  const MaybeValue* values_;
  std::size_t at_;
};

}  // namespace

void AddressRanges::in_memories(const OpList& list, const LowOp& op, std::vector<AddressRange>& out) const {
  out.clear();
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[op.mnemonic];
  const MaybeValue* values = list.values.data() + op.first;
  if (mnemonic.meaning == Meaning::transfer) {
    of_transfer(op, values, out);
  } else {
    of_run(op, values, out);
  }
}

void AddressRanges::of(const OpList& list, const LowOp& op, std::vector<AddressRange>& out) const {
  in_memories(list, op, out);
  std::erase_if(out, [&](const AddressRange& range) { return architecture_.memories[range.memory].off_chip; });
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[op.mnemonic];
  if (mnemonic.meaning == Meaning::transfer || !holds_operands(architecture_.units[op.unit])) return;
  const auto held = static_cast<int>(architecture_.memories.size()) + op.unit;
  out.push_back({held, true, true, AddressRange::fixed, 0, 1});
}

void AddressRanges::of_transfer(const LowOp& op, const MaybeValue* values, std::vector<AddressRange>& out) const {
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[op.mnemonic];
  const Route& route = architecture_.units[op.unit].routes[mnemonic.route];
  const std::size_t dims = route.walk.size();
  Arguments strides(values, 2 + dims);
  for (const bool target : {false, true}) {
    const std::uint32_t base = target ? 1 : 0;
    const std::int64_t at = values[base].value_or(0);
    AddressRange range{target ? route.target : route.source, !target, target, base, at, at + values[2].value_or(1)};
    for (std::size_t d = 1; d < dims; ++d) {
      const Step& step = target ? route.walk[d].target : route.walk[d].source;
      const std::int64_t bytes = step.kind == Step::Kind::free ? strides.next() : step.bytes;
      widen(range, values[2 + d].value_or(1) - 1, bytes);
    }
    out.push_back(range);
    if (!target) continue;
    for (const int also : route.also) {
      out.push_back(range);
      out.back().memory = also;
    }
  }
}

void AddressRanges::of_run(const LowOp& op, const MaybeValue* values, std::vector<AddressRange>& out) const {
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[op.mnemonic];
  const Capability& capability = architecture_.units[op.unit].capabilities[mnemonic.capability];
  const Statement& pattern = capability.program.statements.back();
  std::uint32_t base = static_cast<std::uint32_t>(capability.dims.size());
  const auto in_memory = [](const CapabilityOperand& operand) { return operand.memory >= 0; };
  Arguments strides(values, base + static_cast<std::size_t>(std::count_if(capability.operands.begin(),
                                                                          capability.operands.end(), in_memory)));
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const CapabilityOperand& operand = capability.operands[o];
    if (operand.memory < 0) continue;
    const std::int64_t at = values[base].value_or(0);
    const bool target = static_cast<int>(o) == pattern.target.operand;
    AddressRange range{operand.memory,
                       !target || pattern.reduction != Reduction::assign,
                       target,
                       base,
                       at,
                       at + bytes(capability.program.operands[o].type)};
    ++base;
    const Access& access = access_of(capability, static_cast<int>(o));
    for (std::size_t p = 0; p < operand.steps.size(); ++p) {
      const Step& step = operand.steps[p];
      const std::int64_t bytes = step.kind == Step::Kind::free ? strides.next() : step.bytes;
      for (const auto& [dim, coefficient] : access.indices[p].terms) {
        widen(range, coefficient * (values[dim].value_or(1) - 1), bytes);
      }
    }
    out.push_back(range);
  }
}

}  // namespace accord

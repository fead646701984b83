#include "compiler/codegen/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "archdsl/source/error.h"

namespace accord {

Encoder::Encoder(const Architecture& architecture, const Limits& limits)
    : architecture_(architecture),
      limits_(limits),
      emitter_(architecture),
      groups_(architecture.isa),
      known_(static_cast<std::size_t>(architecture.isa.register_count)),
      text_(static_cast<std::size_t>(architecture.isa.width / 8)) {}

void Encoder::write(const Instruction& instruction) {
  encode(architecture_.isa, instruction, text_.add());
  emitter_.track(instruction, known_);
  ++count_;
}

/// Extends or begins the map entry for the instructions from here on.
void Encoder::note(int layer, const std::string& statement) {
  if (!map_.empty() && map_.back().layer == layer && map_.back().statement == statement) return;
  if (!map_.empty()) map_.back().count = count_ - map_.back().first;
  map_.push_back({count_, 0, layer, statement});
}

void Encoder::emit_operation(const OpList& list, const LowOp& op) {
  emit_values(op.mnemonic, {list.values.data() + op.first, op.count}, op.unit);
}

void Encoder::emit_values(int mnemonic, std::span<const MaybeValue> values, int unit) {
  if (!emitter_.emit(mnemonic, values, known_, emission_, unit)) {
    throw Error(fmt::format("{} cannot express what the mapping needs: {}", architecture_.isa.mnemonics[mnemonic].name,
                            emission_.reason));
  }
  if (emitter_.set_at_once(emission_.writes, known_, setting_)) {
    write(setting_);
  } else if (!emission_.writes.empty()) {
    std::string reason;
    const auto settings = emitter_.set_registers(emission_.writes, known_, &reason);
    if (!settings) {
      throw Error(fmt::format("registers of {} cannot be set: {}", architecture_.isa.mnemonics[mnemonic].name, reason));
    }
    for (const auto& setting : *settings) write(setting);
  }
  write(emission_.instruction);
}

/// The operation as it was encoded before, where that is what it becomes.
void Encoder::emit_again(const OpList& list, std::uint32_t op, ListCode& code) {
  const LowOp& low = list.ops[op];
  if (const auto piece = code.next(op, low.mnemonic)) {
    text_.append(piece->text);
    for (const auto& [reg, value] : piece->changes) known_[reg] = value;
    count_ += static_cast<std::int64_t>(piece->text.size()) / (architecture_.isa.width / 8);
    return;
  }
  const std::int64_t before = count_;
  emit_operation(list, low);
  code.note(op, low.mnemonic, text_.from(static_cast<std::size_t>(before)), known_);
}

bool Encoder::can_repeat(const OpList& list) const {
  const auto orders = [](const Mnemonic& m) {
    return m.meaning == Meaning::wait || m.meaning == Meaning::signal || m.meaning == Meaning::fence;
  };
  return list.loops.empty() && std::ranges::none_of(architecture_.isa.mnemonics, [&](const Mnemonic& mnemonic) {
           return orders(mnemonic) && !mnemonic.updates.empty();
         });
}

Instruction Encoder::sync_instruction(const OrderedOp& op) {
  const Meaning meaning = op.kind == OrderedOp::Kind::wait ? Meaning::wait : Meaning::signal;
  const int mnemonic = limits_.mnemonic_for(meaning, op.unit);
  if (mnemonic < 0) {
    throw Error(fmt::format("the instruction set has no {} for {}", meaning == Meaning::wait ? "wait" : "signal",
                            architecture_.units[op.unit].name));
  }
  const std::vector<MaybeValue> values = {op.semaphore};
  if (!emitter_.emit(mnemonic, values, known_, emission_, op.unit)) {
    throw Error(fmt::format("{}: {}", architecture_.isa.mnemonics[mnemonic].name, emission_.reason));
  }
  if (!emission_.writes.empty()) {
    throw Error(
        fmt::format("{} takes its semaphore from a register, which compiled programs do not set; it needs a field",
                    architecture_.isa.mnemonics[mnemonic].name));
  }
  return emission_.instruction;
}

void Encoder::append(const OpList& list, const std::vector<OrderedOp>& order, const std::vector<LateSignal>& late,
                     int layer, const std::vector<std::string>& labels, ListCode* code) {
  const auto loops_at = [&](std::uint32_t op) -> LoopSpan {
    const auto loop = std::lower_bound(list.loops.begin(), list.loops.end(), op,
                                       [](const LowLoop& l, std::uint32_t at) { return l.first < at; });
    if (loop == list.loops.end() || loop->first != op) return {};
    return with_inner(LoopSpan(list.loops).subspan(static_cast<std::size_t>(loop - list.loops.begin())));
  };
  const auto label = [&](const LowOp& op) -> const std::string& {
    return labels.at(static_cast<std::size_t>(op.statement));
  };
  if (code != nullptr && !can_repeat(list)) code = nullptr;
  if (code != nullptr) code->begin(groups_, known_);
  list_start_ = count_;
  Places places{count_, count_, std::vector<std::vector<std::int64_t>>(architecture_.units.size())};
  std::vector<char> waiting(architecture_.units.size(), 0);  // by unit: whether waits of its next operation stand there
  if (!list.ops.empty()) note(layer, label(list.ops.front()));  // what stands before the first operation is the layer's
  for (std::size_t i = 0; i < order.size(); ++i) {
    const OrderedOp& ordered = order[i];
    if (ordered.kind == OrderedOp::Kind::fence) {
      barrier();
    } else if (ordered.kind == OrderedOp::Kind::signal) {
      write(sync_instruction(ordered));
    } else if (ordered.kind == OrderedOp::Kind::wait) {
      if (!std::exchange(waiting[ordered.unit], 1)) places.begins[ordered.unit].push_back(count_);
      write(sync_instruction(ordered));
    } else if (const LoopSpan loops = loops_at(ordered.op); !loops.empty()) {
      emit_loop(list, loops, layer, labels);
      i += loops.front().length - 1;
    } else {
      const LowOp& op = list.ops[ordered.op];
      note(layer, label(op));
      if (!std::exchange(waiting[op.unit], 0)) places.begins[op.unit].push_back(count_);
      if (code != nullptr) {
        emit_again(list, ordered.op, *code);
      } else {
        emit_operation(list, op);
      }
    }
  }
  if (code != nullptr) code->end();
  places.end = count_;
  if (!map_.empty()) map_.back().count = count_ - map_.back().first;
  insert(late, places);
  places_ = std::move(places);
}

/// Signals into the last list; what follows moves on.
void Encoder::insert(const std::vector<LateSignal>& late, Places& places) {
  if (late.empty()) return;
  std::vector<std::pair<std::int64_t, Instruction>> added;  // before the instruction with this number
  for (const auto& signal : late) {
    const auto& begins = places_.begins[signal.unit];
    const auto next = static_cast<std::size_t>(signal.after) + 1;
    const std::int64_t at = next < begins.size() ? begins[next] : places_.end;
    added.emplace_back(at, sync_instruction({OrderedOp::Kind::signal, signal.unit, signal.semaphore, 0}));
  }
  std::stable_sort(added.begin(), added.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto before = [&](std::int64_t instruction) {
    const auto end = std::upper_bound(added.begin(), added.end(), instruction,
                                      [](std::int64_t at, const auto& one) { return at < one.first; });
    return static_cast<std::int64_t>(end - added.begin());
  };
  const auto size = static_cast<std::size_t>(architecture_.isa.width / 8);
  const auto from = static_cast<std::size_t>(added.front().first);
  const std::vector<std::byte> tail = text_.from(from);
  text_.cut(from);
  std::size_t copied = 0;
  const auto copy_until = [&](std::size_t end) {
    text_.append(std::span(tail).subspan(copied, end - copied));
    copied = end;
  };
  for (const auto& [at, instruction] : added) {
    copy_until((static_cast<std::size_t>(at) - from) * size);
    encode(architecture_.isa, instruction, text_.add());
  }
  copy_until(tail.size());
  const auto moved = static_cast<std::int64_t>(added.size());
  count_ += moved;
  for (auto entry = map_.rbegin(); entry != map_.rend(); ++entry) {
    const std::int64_t end = entry->first + entry->count;
    if (end < added.front().first) break;
    // A signal after an entry's last operation belongs to it.
    const std::int64_t moved_end = end + before(end);
    entry->first += before(entry->first);
    entry->count = moved_end - entry->first;
  }
  for (auto& unit : places.begins) {
    for (auto& begin : unit) begin += moved;
  }
  places.first += moved;
  places.end += moved;
}

Encoder::Mark Encoder::mark() const {
  const bool may_grow = architecture_.sync.kind == Sync::Kind::semaphores;  // by signals into the list before
  const std::int64_t kept = may_grow ? places_.first : count_;
  Mark mark{kept, {}, {}, map_.size(), count_, known_, places_, stages_.size(), stage_start_};
  mark.text = text_.from(static_cast<std::size_t>(kept));
  while (mark.entries > 0 && map_[mark.entries - 1].first + map_[mark.entries - 1].count > places_.first) {
    --mark.entries;
  }
  mark.map.assign(map_.begin() + static_cast<std::ptrdiff_t>(mark.entries), map_.end());
  return mark;
}

void Encoder::rollback(const Mark& mark) {
  text_.cut(static_cast<std::size_t>(mark.kept));
  text_.append(mark.text);
  map_.resize(mark.entries);
  map_.insert(map_.end(), mark.map.begin(), mark.map.end());
  count_ = mark.count;
  known_ = mark.known;
  places_ = mark.places;
  stages_.resize(mark.stages);
  stage_start_ = mark.stage_start;
}

void Encoder::barrier() {
  if (count_ == stage_start_) return;  // a stage begins when all before is done
  const int fence = limits_.mnemonic_for(Meaning::fence);
  if (fence < 0) {
    end_stage();
    return;
  }
  write({fence, std::vector<std::int64_t>(architecture_.isa.mnemonics[fence].fields.size(), 0)});
  if (!map_.empty()) map_.back().count = count_ - map_.back().first;
}

void Encoder::end_stage() {
  if (count_ == stage_start_) return;
  Stage stage;
  stage.first = stage_start_;
  stage.count = count_ - stage_start_;
  stages_.push_back(std::move(stage));
  stage_start_ = count_;
}

}  // namespace accord

#include "simulator/kernels/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "simulator/kernels/walk_cursor.h"

namespace accord::sim {

namespace {

// Copies element by element, the first dimension innermost; returns the end of what it wrote.
std::byte* gather(std::byte* to, const std::byte* from, std::span<const Stride> dims, std::size_t element) {
  if (dims.empty() || (dims.size() == 1 && dims[0].step == static_cast<std::int64_t>(element))) {
    const std::size_t length = dims.empty() ? element : static_cast<std::size_t>(dims[0].count) * element;
    std::memcpy(to, from, length);
    return to + length;
  }
  const Stride outer = dims.back();
  for (std::int64_t i = 0; i < outer.count; ++i)
    to = gather(to, from + i * outer.step, dims.first(dims.size() - 1), element);
  return to;
}

// Copies the points that `iterators` span, element by element.
void copy_points(StridedOperand to, StridedOperand from, std::span<const std::size_t> iterators,
                 const std::vector<std::int64_t>& extents, std::size_t element) {
  if (iterators.empty()) {
    std::memcpy(to.base, from.base, element);
    return;
  }
  const std::size_t iterator = iterators.front();
  for (std::int64_t i = 0; i < extents[iterator]; ++i) {
    copy_points(to, from, iterators.subspan(1), extents, element);
    to.base += to.step[iterator];
    from.base += from.step[iterator];
  }
}

std::int64_t load_integer(const std::byte* at, ElementType type) {
  const auto size = static_cast<std::size_t>(bytes(type));
  std::uint64_t value = 0;
  std::memcpy(&value, at, size);
  if (type == ElementType::u8) return static_cast<std::int64_t>(value);
  const int unused = 64 - 8 * static_cast<int>(size);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

Evaluator::Evaluator(const Architecture& architecture, const Binder& binder, std::vector<ByteStore*> stores,
                     Report unwritten)
    : architecture_(architecture), binder_(binder), stores_(std::move(stores)), unwritten_(std::move(unwritten)) {}

void Evaluator::evaluate(const Operation& operation) {
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[static_cast<std::size_t>(operation.mnemonic)];
  if (mnemonic.meaning == Meaning::transfer) {
    fill(operation);
    return move(operation, 0, operation.shape->walk.bytes);
  }
  run(operation, binder_.capability(operation.unit, mnemonic.capability));
}

void Evaluator::report_unwritten(const Operation& operation, int memory, std::int64_t address, std::int64_t length) {
  unwritten_(operation, fmt::format("reads address {} of {}, which nothing has written",
                                    store(memory).first_unwritten(address, length),
                                    architecture_.memories[static_cast<std::size_t>(memory)].name));
}

bool Evaluator::read_list(Operation& operation, std::string& error) {
  const OperationShape& shape = *operation.shape;
  operation.indices.clear();
  if (shape.walk.gather < 0 || shape.list.entries == 0) return true;
  const AccessShape& access = shape.accesses.back();
  check_read(operation, access.memory, operation.low(access), access.footprint.extent);
  const std::byte* from = store(access.memory).data() + operation.low(access);
  for (std::int64_t i = 0; i < shape.list.entries; ++i) {
    const std::int64_t index = load_integer(from + i * bytes(shape.list.type), shape.list.type);
    operation.indices.push_back(index);
    if (index >= 0 && index < shape.list.rows) continue;
    error = fmt::format("index {} of the list is {}; the table has {} rows", i, index, shape.list.rows);
    return false;
  }
  return true;
}

void Evaluator::fill(const Operation& operation) {
  const Filling& filling = operation.shape->filling;
  if (filling.boxes.empty()) return;
  make_filled_row(filling, row_);
  for_each_filled(filling, [&](std::int64_t offset, std::int64_t position, std::int64_t n) {
    for (const AccessShape& target : targets_of(*operation.shape)) {
      ByteStore& to = store(target.memory);
      std::memcpy(to.data() + operation.base[1] + offset, row_.data() + position, static_cast<std::size_t>(n));
      to.mark_written(operation.base[1] + offset, n);
    }
  });
}

void Evaluator::move(const Operation& operation, std::int64_t first, std::int64_t last) {
  const AccessShape& source = operation.shape->accesses[0];
  ByteStore& from = store(source.memory);
  for_each_piece(operation, first, last, [&](std::int64_t s, std::int64_t t, std::int64_t n) {
    check_read(operation, source.memory, operation.base[0] + s, n);
    for (const AccessShape& target : targets_of(*operation.shape)) {
      ByteStore& to = store(target.memory);
      std::memmove(to.data() + operation.base[1] + t, from.data() + operation.base[0] + s, static_cast<std::size_t>(n));
      to.mark_written(operation.base[1] + t, n);
    }
  });
}

void Evaluator::run(const Operation& operation, const PreparedCapability& capability) {
  const OperationShape& shape = *operation.shape;
  if (unwritten_) {
    for (const AccessShape& access : shape.accesses) {
      if (!access.reads) continue;
      for_each_run(access.footprint, operation.base_of(access), [&](std::int64_t address, std::int64_t length) {
        check_read(operation, access.memory, address, length);
      });
    }
  }
  operands_.resize(shape.placements.size());
  scalars_ = operation.scalar;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!place_operand(operation, capability, i)) return;
  }
  keep_sources(operation, capability);
  for (const Kernel& kernel : capability.prepared.kernels) kernel.run(shape.extents, operands_);
  hold_results(operation, capability);
  for (const AccessShape& access : shape.accesses) {
    if (!access.writes) continue;
    ByteStore& to = store(access.memory);
    for_each_run(access.footprint, operation.base_of(access),
                 [&](std::int64_t address, std::int64_t length) { to.mark_written(address, length); });
  }
}

void Evaluator::keep_sources(const Operation& operation, const PreparedCapability& capability) {
  copies_.clear();
  const auto& accesses = operation.shape->accesses;
  const auto overlaps = [&](const AccessShape& source, const AccessShape& target) {
    if (!target.writes || target.memory != source.memory || target.operand == source.operand) return false;
    const std::int64_t low = operation.low(source), written = operation.low(target);
    return low < written + target.footprint.extent && written < low + source.footprint.extent &&
           !in_same_place(operation, capability, source, target);
  };
  for (const AccessShape& source : accesses) {
    if (!source.reads || source.writes) continue;
    if (std::ranges::any_of(accesses, [&](const AccessShape& target) { return overlaps(source, target); }))
      copy_source(operation, capability, source);
  }
}

/// Each element of the one is read and written at the same point.
bool Evaluator::in_same_place(const Operation& operation, const PreparedCapability& capability,
                              const AccessShape& source, const AccessShape& target) const {
  const auto& uses = capability.prepared.uses;
  const auto use_of = [&](const AccessShape& access) {
    return std::ranges::find(uses, access.operand, &AccessUse::operand);
  };
  const auto once = [&](const AccessShape& access) {
    return std::ranges::count(uses, access.operand, &AccessUse::operand) == 1;
  };
  if (!once(source) || !once(target)) return false;
  const auto from = static_cast<std::size_t>(use_of(source) - uses.begin());
  const auto to = static_cast<std::size_t>(use_of(target) - uses.begin());
  const auto& operands = capability.prepared.program.operands;
  if (operands_[from].base != operands_[to].base || bytes(operands[from].type) != bytes(operands[to].type))
    return false;
  const auto& extents = operation.shape->extents;
  std::int64_t points = bytes(operands[to].type);
  for (const std::int64_t extent : extents) points *= extent;
  if (target.footprint.bytes != points) return false;  // one element at several points
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] > 1 && operands_[from].step[d] != operands_[to].step[d]) return false;
  }
  return true;
}

void Evaluator::copy_source(const Operation& operation, const PreparedCapability& capability,
                            const AccessShape& source) {
  const std::byte* const first = store(source.memory).data() + operation.low(source);
  const std::byte* const end = first + source.footprint.extent;
  std::vector<std::byte>& copy = copies_.emplace_back(first, end);
  const auto& uses = capability.prepared.uses;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].operand != source.operand || uses[i].writes) continue;
    StridedOperand& operand = operands_[i];
    if (operand.base >= first && operand.base < end) operand.base = copy.data() + (operand.base - first);
  }
}

bool Evaluator::place_operand(const Operation& operation, const PreparedCapability& capability, std::size_t operand) {
  const auto original = static_cast<std::size_t>(capability.prepared.uses[operand].operand);
  const CapabilityOperand& spec = capability.spec->operands[original];
  const Placement& placement = operation.shape->placements[operand];
  if (spec.memory < 0) {
    operands_[operand] = {reinterpret_cast<std::byte*>(&scalars_[original]), placement.step};
    return true;
  }
  const bool kept = spec.held && operation.shape->loads[original] == 0;
  if (kept && !capability.prepared.uses[operand].writes) return use_tile(operation, capability, operand);
  operands_[operand] = {store(spec.memory).data() + operation.base[original] + placement.offset, placement.step};
  if (kept && capability.prepared.uses[operand].reads) return put_tile(operation, capability, operand);
  if (spec.held) hold(operation, capability, operand);
  return true;
}

void Evaluator::hold(const Operation& operation, const PreparedCapability& capability, std::size_t operand) {
  load_tile(tiles_[{&capability, operand}], operands_[operand].base, operation, capability, operand);
}

void Evaluator::hold_results(const Operation& operation, const PreparedCapability& capability) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const AccessUse& use = capability.prepared.uses[i];
    if (use.writes && capability.spec->operands[static_cast<std::size_t>(use.operand)].held) {
      hold(operation, capability, i);
    }
  }
}

void Evaluator::load_tile(Tile& tile, const std::byte* from, const Operation& operation,
                          const PreparedCapability& capability, std::size_t operand) {
  const Access& access = capability.prepared.uses[operand].access;
  const std::vector<std::int64_t>& step = operation.shape->placements[operand].step;
  const auto element = bytes(capability.prepared.program.operands[operand].type);
  tile.extents.assign(step.size(), 1);
  for (const AffineIndex& index : access.indices) {
    for (const auto& term : index.terms) {
      const auto iterator = static_cast<std::size_t>(term.first);
      tile.extents[iterator] = operation.shape->extents[iterator];
    }
  }
  // Laid out as it lies in memory, so that it is copied in few pieces.
  tile_order_.clear();
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (tile.extents[i] > 1) tile_order_.push_back(i);
  }
  std::ranges::sort(tile_order_, {}, [&](std::size_t i) { return std::abs(step[i]); });
  tile.step.assign(step.size(), 0);
  tile_dims_.clear();
  std::int64_t dense = element;
  for (const std::size_t i : tile_order_) {
    tile.step[i] = dense;
    dense *= tile.extents[i];
    if (!tile_dims_.empty() && step[i] == tile_dims_.back().count * tile_dims_.back().step) {
      tile_dims_.back().count *= tile.extents[i];
    } else {
      tile_dims_.push_back({tile.extents[i], step[i]});
    }
  }
  tile.bytes.resize(static_cast<std::size_t>(dense));
  gather(tile.bytes.data(), from, tile_dims_, static_cast<std::size_t>(element));
}

bool Evaluator::put_tile(const Operation& operation, const PreparedCapability& capability, std::size_t operand) {
  const StridedOperand memory = operands_[operand];
  if (!use_tile(operation, capability, operand)) return false;
  const StridedOperand tile = std::exchange(operands_[operand], memory);
  tile_order_.clear();
  for (const AffineIndex& index : capability.prepared.uses[operand].access.indices) {
    for (const auto& term : index.terms) {
      const auto iterator = static_cast<std::size_t>(term.first);
      if (std::ranges::count(tile_order_, iterator) == 0) tile_order_.push_back(iterator);
    }
  }
  const auto element = static_cast<std::size_t>(bytes(capability.prepared.program.operands[operand].type));
  copy_points(memory, tile, tile_order_, operation.shape->extents, element);
  return true;
}

bool Evaluator::use_tile(const Operation& operation, const PreparedCapability& capability, std::size_t operand) {
  const auto found = tiles_.find({&capability, operand});
  bool holds = found != tiles_.end();
  for (const AffineIndex& index : capability.prepared.uses[operand].access.indices) {
    for (const auto& term : index.terms) {
      const auto iterator = static_cast<std::size_t>(term.first);
      holds = holds && operation.shape->extents[iterator] <= found->second.extents[iterator];
    }
  }
  if (!holds) {
    if (unwritten_) {
      unwritten_(operation, fmt::format("uses more of operand {} than was ever loaded",
                                        capability.prepared.program.operands[operand].name));
    }
    return false;
  }
  operands_[operand] = {found->second.bytes.data(), found->second.step};
  return true;
}

}  // namespace accord::sim

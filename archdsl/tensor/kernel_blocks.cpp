#include "archdsl/tensor/kernel_blocks.h"

#include <algorithm>

#include "archdsl/tensor/kernel_outer.h"

namespace accord {
namespace {

std::int64_t lane_bytes(ElementType type) { return lane_type(type) == LaneType::i64 ? 8 : 4; }

// Memory that already looks like lanes.
bool is_direct(ElementType type, const std::byte* from, Block block, BlockSteps steps) {
  const std::int64_t size = bytes(type);
  if (size != lane_bytes(type) || steps.column != size) return false;
  if (block.rows > 1 && steps.row != size * block.columns) return false;
  return reinterpret_cast<std::uintptr_t>(from) % static_cast<std::uintptr_t>(size) == 0;
}

ExprOp operation(Reduction reduction) {
  return reduction == Reduction::add ? ExprOp::add : reduction == Reduction::max ? ExprOp::max : ExprOp::min;
}

}  // namespace

BlockRunner::BlockRunner(const CompiledStatement& statement, KernelScratch& scratch)
    : statement_(statement), scratch_(scratch), table_(lane_table()) {}

void BlockRunner::run() {
  const Tape& tape = statement_.tape;
  loops_ = choose_block(scratch_.nest, statement_.sizes, statement_.rules,
                        {lanes, 5.0 * static_cast<double>(tape.steps.size() + 2 * statement_.sizes.size())});
  folds_ = loops_.column >= 0 && scratch_.nest.target_step(static_cast<std::size_t>(loops_.column)) == 0;
  const auto registers = static_cast<std::size_t>(tape.registers) + 1;
  const std::size_t lines = registers * register_bytes / sizeof(KernelScratch::Line);
  if (scratch_.lanes.size() < lines) scratch_.lanes.resize(lines);
  lanes_ = scratch_.lanes.data()->bytes;
  scratch_.registers.resize(registers);
  for (std::size_t r = 0; r < registers; ++r) scratch_.registers[r] = slot(static_cast<int>(r));
  for (std::size_t c = 0; c < tape.constants.size(); ++c)
    scratch_.registers[tape.access_types.size() + c] = reinterpret_cast<const std::byte*>(&tape.constants[c]);
  scratch_.loaded.assign(tape.access_types.size(), {});
  bind_scalars();
  scratch_.outer.clear();
  for (std::size_t loop = 0; loop < scratch_.nest.loops.size(); ++loop)
    if (static_cast<int>(loop) != loops_.column && static_cast<int>(loop) != loops_.row) scratch_.outer.push_back(loop);
  for_each_outer(scratch_.nest, scratch_.outer, scratch_.counters, scratch_.pointers, [this] { run_blocks(); });
}

BlockSteps BlockRunner::steps(std::size_t slot_index) const {
  const LoopNest& nest = scratch_.nest;
  return {loops_.column < 0 ? 0 : nest.step(static_cast<std::size_t>(loops_.column), slot_index),
          loops_.row < 0 ? 0 : nest.step(static_cast<std::size_t>(loops_.row), slot_index)};
}

void BlockRunner::bind_scalars() {
  const Tape& tape = statement_.tape;
  scratch_.is_scalar.assign(static_cast<std::size_t>(tape.registers), 0);
  for (std::size_t a = 0; a < tape.access_types.size(); ++a) {
    const BlockSteps step = steps(a);
    scratch_.is_scalar[a] = step.column == 0 && step.row == 0;
  }
  for (std::size_t c = 0; c < tape.constants.size(); ++c) scratch_.is_scalar[tape.access_types.size() + c] = 1;
  scratch_.steps.resize(tape.steps.size());
  char* is_scalar = scratch_.is_scalar.data();
  for (std::size_t i = 0; i < tape.steps.size(); ++i) {
    scratch_.steps[i] = bind(tape.steps[i], is_scalar);
    is_scalar[tape.steps[i].out] = scratch_.steps[i].is_scalar;
  }
}

BoundStep BlockRunner::bind(const TapeStep& step, const char* is_scalar) {
  BoundStep bound{&step};
  const bool a = is_scalar[step.a] != 0;
  const bool b = is_scalar[step.b] != 0;
  if (step.unary) {
    bound.is_scalar = a;
  } else if (step.binary) {
    bound.is_scalar = a && b;
    bound.binary = step.binary[a == b ? LaneTable::vector_vector
                               : a    ? LaneTable::scalar_vector
                                      : LaneTable::vector_scalar];
  } else {
    const bool c = is_scalar[step.c] != 0;
    bound.is_scalar = a && b && c;
    bound.fill_a = a && !bound.is_scalar;
    bound.fill_b = b && !bound.is_scalar;
    bound.fill_c = c && !bound.is_scalar;
  }
  return bound;
}

void BlockRunner::run_blocks() {
  const LoopNest& nest = scratch_.nest;
  if (loops_.column < 0) return run_block(0, 0, {1, 1});
  const std::int64_t columns = nest.loops[static_cast<std::size_t>(loops_.column)].extent;
  if (loops_.row < 0) {
    for (std::int64_t c = 0; c < columns; c += lanes) run_block(c, 0, {std::min(lanes, columns - c), 1});
    return;
  }
  const std::int64_t rows = nest.loops[static_cast<std::size_t>(loops_.row)].extent;
  const std::int64_t most = lanes / columns;
  for (std::int64_t r = 0; r < rows; r += most) run_block(0, r, {columns, std::min(most, rows - r)});
}

void BlockRunner::run_block(std::int64_t column, std::int64_t row, Block block) {
  load_accesses(column, row, block);
  compute(block.columns * block.rows);
  const std::size_t target = scratch_.nest.slots - 1;
  const BlockSteps step = steps(target);
  std::byte* at = scratch_.pointers[target] + column * step.column + row * step.row;
  if (folds_)
    combine_rows(at, block);
  else
    combine(at, block);
}

void BlockRunner::load_accesses(std::int64_t column, std::int64_t row, Block block) {
  const std::vector<ElementType>& types = statement_.tape.access_types;
  for (std::size_t a = 0; a < types.size(); ++a) {
    const BlockSteps step = steps(a);
    const std::byte* from = scratch_.pointers[a] + column * step.column + row * step.row;
    const Block taken = scratch_.is_scalar[a] ? Block{} : block;
    if (!scratch_.is_scalar[a] && is_direct(types[a], from, taken, step)) {
      scratch_.registers[a] = from;
      continue;
    }
    scratch_.registers[a] = slot(static_cast<int>(a));
    KernelScratch::Loaded& loaded = scratch_.loaded[a];
    if (loaded.from == from && loaded.count == taken.columns * taken.rows) continue;
    loaded = {statement_.rules.reads_target ? nullptr : from, taken.columns * taken.rows};
    table_.load[at(types[a])](slot(static_cast<int>(a)), from, taken, step);
  }
}

const std::byte* BlockRunner::full(int reg, LaneType type, bool fill, std::int64_t count) {
  const std::byte* lanes_of = scratch_.registers[static_cast<std::size_t>(reg)];
  if (!fill) return lanes_of;
  table_.fill[at(type)](slot(reg), lanes_of, count);
  return slot(reg);
}

void BlockRunner::compute(std::int64_t count) {
  const auto in = [this](int reg) { return scratch_.registers[static_cast<std::size_t>(reg)]; };
  for (const BoundStep& bound : scratch_.steps) {
    const TapeStep& step = *bound.step;
    const std::int64_t taken = bound.is_scalar ? 1 : count;
    if (step.unary)
      step.unary(slot(step.out), in(step.a), taken);
    else if (step.binary)
      bound.binary(slot(step.out), in(step.a), in(step.b), taken);
    else
      step.select(slot(step.out), full(step.a, step.a_type, bound.fill_a, taken),
                  full(step.b, step.b_type, bound.fill_b, taken), full(step.c, step.c_type, bound.fill_c, taken),
                  taken);
  }
}

void BlockRunner::combine(std::byte* to, Block block) {
  const ElementType type = statement_.target;
  const LaneType lane = lane_type(type);
  const BlockSteps step = steps(scratch_.nest.slots - 1);
  const std::int64_t count = block.columns * block.rows;
  const int result = statement_.tape.result;
  const bool is_scalar = scratch_.is_scalar[static_cast<std::size_t>(result)] != 0;
  if (statement_.reduction == Reduction::assign)
    return table_.store[at(type)](to, full(result, lane, is_scalar && count > 1, count), block, step);
  const ExprOp op = operation(statement_.reduction);
  std::byte* old = slot(statement_.tape.registers);
  table_.load[at(type)](old, to, block, step);
  const auto mode = is_scalar ? LaneTable::vector_scalar : LaneTable::vector_vector;
  table_.binary[static_cast<std::size_t>(op)][at(lane)][mode](
      old, old, scratch_.registers[static_cast<std::size_t>(result)], count);
  if (op == ExprOp::add && table_.narrow[at(type)]) table_.narrow[at(type)](old, old, count);
  table_.store[at(type)](to, old, block, step);
}

void BlockRunner::combine_rows(std::byte* to, Block block) {
  const ElementType type = statement_.target;
  const BlockSteps step = steps(scratch_.nest.slots - 1);
  const int result = statement_.tape.result;
  const bool is_scalar = scratch_.is_scalar[static_cast<std::size_t>(result)] != 0;
  const std::byte* value = full(result, lane_type(type), is_scalar, block.columns * block.rows);
  std::byte* accumulator = slot(statement_.tape.registers);
  const Block targets{block.rows, 1};
  const BlockSteps target_step{step.row, 0};
  table_.load[at(type)](accumulator, to, targets, target_step);
  table_.fold[static_cast<std::size_t>(statement_.reduction)][at(type)](accumulator, value, block);
  table_.store[at(type)](to, accumulator, targets, target_step);
}

}  // namespace accord

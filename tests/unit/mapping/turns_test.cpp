// Does a list do the same operations when turns of a loop are rolled up, copied, or stand side by side?
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "compiler/lowering/repetition.h"
#include "compiler/lowering/turn_overlap.h"

using namespace accord;

namespace {

constexpr unsigned turns_seed = 1988;

/// What the machine is told, loops run out.
using Told = std::vector<std::pair<int, std::vector<MaybeValue>>>;

/// Runs operations [first, last) as so many loops around them have grown their values.
void run(const OpList& list, std::size_t first, std::size_t last, LoopSpan loops, std::vector<std::int64_t>& grown,
         Told& told) {
  for (std::size_t at = first; at < last;) {
    while (!loops.empty() && loops.front().first < at) loops = loops.subspan(1);
    if (loops.empty() || loops.front().first != at) {
      const LowOp& op = list.ops[at++];
      std::vector<MaybeValue> values(list.values.begin() + op.first, list.values.begin() + op.first + op.count);
      for (std::size_t v = 0; v < values.size(); ++v) {
        if (values[v]) *values[v] += grown[op.first + v];
      }
      told.emplace_back(op.mnemonic, std::move(values));
      continue;
    }
    const LowLoop& loop = loops.front();
    const std::size_t values = list.ops[loop.first].first;
    for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
      run(list, at, at + loop.length, loops.subspan(1), grown, told);
      for (std::size_t v = 0; v < loop.deltas.size(); ++v) grown[values + v] += loop.deltas[v];
    }
    for (std::size_t v = 0; v < loop.deltas.size(); ++v) grown[values + v] -= loop.turns * loop.deltas[v];
    at += loop.length;
  }
}

Told told_by(const OpList& list) {
  std::vector<std::int64_t> grown(list.values.size(), 0);
  Told told;
  run(list, 0, list.ops.size(), list.loops, grown, told);
  return told;
}

void add(OpList& list, int mnemonic, std::vector<MaybeValue> values) {
  LowOp op;
  op.mnemonic = mnemonic;
  op.unit = 0;
  op.first = static_cast<std::uint32_t>(list.values.size());
  op.count = static_cast<std::uint32_t>(values.size());
  list.values.insert(list.values.end(), values.begin(), values.end());
  list.ops.push_back(op);
}

/// Operations of random values, each its own mnemonic, in one loop.
OpList random_loop(std::mt19937& engine, std::size_t length, std::int64_t turns) {
  OpList list;
  LowLoop loop{0, length, turns, {}};
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t from = list.values.size();
    std::vector<MaybeValue> values(1 + engine() % 3);
    for (auto& value : values) value = engine() % 1000;
    add(list, static_cast<int>(i), values);
    for (std::size_t v = from; v < list.values.size(); ++v) loop.deltas.push_back(engine() % 64);
  }
  list.loops.push_back(loop);
  return list;
}

/// A mover between memory off chip and one on chip; `move` is its only mnemonic.
Architecture mover_machine() {
  Architecture architecture;
  architecture.memories.resize(2);
  architecture.memories[0].off_chip = true;
  Route route;
  route.source = 0;
  route.target = 1;
  route.walk.resize(1);
  Unit unit;
  unit.kind = UnitKind::mover;
  unit.routes = {route};
  architecture.units = {unit};
  Mnemonic move;
  move.meaning = Meaning::transfer;
  move.unit = 0;
  move.route = 0;
  architecture.isa.mnemonics = {move};
  return architecture;
}

void move(OpList& list, std::int64_t from, std::int64_t to, std::int64_t bytes) { add(list, 0, {from, to, bytes}); }

}  // namespace

TEST_CASE("is a copied list the list, loops in loops too") {
  OpList list;
  for (int i = 0; i < 4; ++i) add(list, i, {10 * i, std::nullopt});
  list.loops = {{0, 4, 3, {1, 0, 2, 0, 3, 0, 4, 0}}, {1, 2, 5, {7, 0, 9, 0}}};
  ListCopy copy(list);
  copy.range(0, list.ops.size(), list.loops);
  const OpList copied = copy.take();
  CHECK(copied.loops.size() == 2);
  CHECK(told_by(copied) == told_by(list));
  CHECK(told_by(list).size() == 3 * (1 + 5 * 2 + 1));
}

TEST_CASE("do turns side by side stand in their blocks, each with its turn's values") {
  std::mt19937 engine(turns_seed);
  INFO("turns_seed ", turns_seed);
  int rolled = 0;
  for (int i = 0; i < 500; ++i) {
    const std::size_t length = 1 + engine() % 6;
    const auto turns = static_cast<std::int64_t>(1 + engine() % 9);
    const OpList list = random_loop(engine, length, turns);
    TurnOrder order;
    for (std::size_t x = 0; x < length; ++x) {
      order.order.push_back(x);
      order.stage.push_back(engine() % 4);
    }
    std::shuffle(order.order.begin(), order.order.end(), engine);
    ListCopy copy(list);
    const LowLoop& loop = list.loops.front();
    lay_out_turns(loop, order, copy, [&](std::size_t x, std::int64_t turn) { copy.operation(x, &loop, turn); });
    const OpList laid_out = copy.take();
    rolled += laid_out.loops.empty() ? 0 : 1;

    const Told plain = told_by(list);  // turn by turn
    Told expected;
    for (std::int64_t block = 0; block < turns + 4; ++block) {
      for (const std::size_t x : order.order) {
        const std::int64_t turn = block - order.stage[x];
        if (turn >= 0 && turn < turns) expected.push_back(plain[static_cast<std::size_t>(turn) * length + x]);
      }
    }
    REQUIRE(told_by(laid_out) == expected);
  }
  CHECK(rolled > 100);
}

TEST_CASE("are turns that repeat a loop, with what only the first does before it") {
  const Architecture architecture = mover_machine();
  const AddressRanges ranges(architecture);
  OpList list;
  const ListMark first = mark(list);
  move(list, 0, 0, 16);
  add(list, 0, {5000, 512, 4, 1});  // another count of values: like no other
  move(list, 100, 64, 16);
  const ListMark second = mark(list);
  move(list, 16, 0, 16);
  move(list, 132, 96, 16);
  const auto repetition = repeat(list, first, second, ranges);
  REQUIRE(repetition);
  CHECK(repetition->before == std::vector<std::size_t>{1});
  CHECK(repetition->deltas == std::vector<std::int64_t>{16, 0, 0, 32, 32, 0});
  apply(list, first, second, *repetition, 3);
  const Told expected = {{0, {5000, 512, 4, 1}}, {0, {0, 0, 16}},  {0, {100, 64, 16}}, {0, {16, 0, 16}},
                         {0, {132, 96, 16}},     {0, {32, 0, 16}}, {0, {164, 128, 16}}};
  CHECK(told_by(list) == expected);
}

TEST_CASE("does what would pass an operation on the same addresses keep turns from a loop") {
  const Architecture architecture = mover_machine();
  const AddressRanges ranges(architecture);
  for (const bool apart : {true, false}) {
    OpList list;
    const ListMark first = mark(list);
    move(list, 0, 0, 16);
    add(list, 0, {5000, apart ? 16 : 15, 16, 1});
    const ListMark second = mark(list);
    move(list, 16, 0, 16);
    CHECK(repeat(list, first, second, ranges).has_value() == apart);
  }
}

TEST_CASE("are turns of other operations no loop") {
  const Architecture architecture = mover_machine();
  const AddressRanges ranges(architecture);
  OpList list;
  const ListMark first = mark(list);
  move(list, 0, 0, 16);
  const ListMark second = mark(list);
  CHECK(!repeat(list, first, second, ranges));  // no second turn
  move(list, 16, 0, 16);
  move(list, 32, 0, 16);
  CHECK(!repeat(list, first, second, ranges));  // more than the first had
}

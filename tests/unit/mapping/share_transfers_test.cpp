// Does weaving lists of several elements, with multicasts in place of equal transfers, leave each element what it had?
#include "compiler/lowering/share_transfers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "archdsl/source/error.h"
#include "compiler/lowering/instructions.h"
#include "tests/bus_cores.h"
#include "tests/draw.h"
#include "tests/shipped.h"

using namespace accord;

namespace {

constexpr std::uint64_t share_seed = 37;

/// An element's own transfer from off-chip memory into its memory of that name, and its compute unit.
struct Element {
  Hop load;
  int mac = -1;
  int memory = -1;
};

std::vector<Element> elements_of(const Architecture& architecture) {
  std::vector<Element> elements;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    if (unit.kind == UnitKind::compute) elements.push_back({{}, static_cast<int>(u), -1});
  }
  for (Element& element : elements) {
    const std::string& mac = architecture.units[element.mac].name;
    const std::string place = mac.substr(0, mac.find('.'));
    for (std::size_t u = 0; u < architecture.units.size(); ++u) {
      const auto& routes = architecture.units[u].routes;
      for (std::size_t r = 0; r < routes.size(); ++r) {
        if (!routes[r].also.empty() || architecture.memories[routes[r].target].name != place + ".inputs") continue;
        element.load = {static_cast<int>(u), static_cast<int>(r)};
        element.memory = routes[r].target;
      }
    }
    REQUIRE(element.load.unit >= 0);
  }
  return elements;
}

/// Each with a place of its own in the memory that the element loads into.
void give_buffers(OpList& list, const Element& element, int count) {
  for (int b = 0; b < count; ++b) list.buffers.push_back({element.memory, 64 * b, 64});
}

void load(const Machine& machine, OpList& list, const Element& element, std::int64_t source, int buffer) {
  TransferPiece piece;
  piece.extent = {64, 1, 1};
  piece.source_stride = piece.target_stride = {0, 0, 0};
  piece.bytes = piece.source_bytes = piece.contiguous = 64;
  append_transfer(machine, list, element.load, piece, {source}, {64 * buffer, buffer});
}

void compute(OpList& list, const Element& element, int buffer) {
  LowOp op;
  op.mnemonic = 0;
  op.unit = element.mac;
  op.first = static_cast<std::uint32_t>(list.values.size());
  op.touch(buffer, false);
  list.ops.push_back(op);
}

/// The cores of a bus that reaches all of them: by it comes what they read.
std::vector<Element> bus_elements(const Architecture& architecture) {
  std::vector<Element> elements;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    if (unit.kind != UnitKind::compute) continue;
    const std::string memory = unit.name.substr(0, unit.name.find('.')) + ".a";
    const auto at = std::ranges::find(architecture.memories, memory, &Memory::name) - architecture.memories.begin();
    elements.push_back({{}, static_cast<int>(u), static_cast<int>(at)});
  }
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const auto& routes = architecture.units[u].routes;
    if (routes.empty() || routes.front().also.empty()) continue;
    for (Element& element : elements) element.load = {static_cast<int>(u), 0};
  }
  return elements;
}

/// What happens to a buffer: a source that comes in, or -1 for a read by the element's compute unit.
using Events = std::map<int, std::vector<std::int64_t>>;

Events events_of(const OpList& list) {
  Events events;
  for (const LowOp& op : list.ops) {
    for (const BufferAccess& access : op.buffers())
      events[access.buffer].push_back(access.write ? list.values[op.first].value() : -1);
  }
  return events;
}

/// Of three elements that have a tile's place together.
std::vector<OpList> lists_in_one_place(const Element& element) {
  std::vector<OpList> lists(3);
  for (OpList& list : lists) give_buffers(list, element, 1);
  return lists;
}

}  // namespace

TEST_CASE("does every buffer see the same bytes and readers in the same order, by the fewest transfers") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  test::Draw draw(share_seed);
  constexpr int steps = 12, buffers = 3;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    // In each step all load, from a place of their own, their row's, their column's or all elements'; then all compute.
    std::vector<OpList> lists(elements.size());
    std::size_t own = 0, least = 0;
    for (int step = 0; step < steps; ++step) {
      const int buffer = static_cast<int>(draw.from(0, buffers - 1));
      const std::int64_t sharing = draw.from(0, 3), base = 4096 * (step + 1);
      for (std::size_t e = 0; e < elements.size(); ++e) {
        const auto place = static_cast<std::int64_t>(sharing == 0   ? e
                                                     : sharing == 1 ? e / 4
                                                     : sharing == 2 ? e % 4
                                                                    : 0);
        load(machine, lists[e], elements[e], base + 64 * place, buffer);
        compute(lists[e], elements[e], buffer);
      }
      own += elements.size();
      least += sharing == 0 ? elements.size() : 4;
    }
    Events expected;
    for (std::size_t e = 0; e < lists.size(); ++e) {
      give_buffers(lists[e], elements[e], buffers);
      for (const auto& [buffer, events] : events_of(lists[e]))
        expected[static_cast<int>(e) * buffers + buffer] = events;
    }
    const OpList woven = share_transfers(machine, lists);
    CHECK(woven.buffers.size() == elements.size() * buffers);
    CHECK(events_of(woven) == expected);
    CHECK(woven.ops.size() == least + own);
  }
}

TEST_CASE("does a multicast write just the memories of its readers, in the time of its own way") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  std::vector<OpList> lists(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    give_buffers(lists[e], elements[e], 1);
    load(machine, lists[e], elements[e], 0, 0);
  }
  const OpList woven = share_transfers(machine, lists);
  std::set<int> reached;
  for (const LowOp& op : woven.ops) {
    const Mnemonic& mnemonic = architecture.isa.mnemonics[op.mnemonic];
    const Route& route = architecture.units[op.unit].routes[mnemonic.route];
    std::set<int> targets(route.also.begin(), route.also.end()), wanted;
    targets.insert(route.target);
    for (const BufferAccess& access : op.buffers()) {
      const Element& reader = elements[access.buffer];
      wanted.insert(architecture.units[reader.load.unit].routes[reader.load.route].target);
      CHECK(reached.insert(access.buffer).second);
    }
    CHECK(targets == wanted);
    // 64 bytes over links of 8 bytes a cycle, and no more than all hops of the mesh on the way.
    CHECK(op.link == 8);
    CHECK(op.latency >= op.busy);
  }
  CHECK(reached.size() == elements.size());
}

TEST_CASE("do lists of other lengths share what all of a multicast's targets want") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  constexpr std::int64_t steps = 6, fewer = 4;
  std::vector<OpList> lists(4);  // a row's
  for (std::size_t e = 0; e < lists.size(); ++e) {
    give_buffers(lists[e], elements[e], 2);
    for (std::int64_t step = 0; step < (e == 3 ? fewer : steps); ++step) {
      load(machine, lists[e], elements[e], 4096 * step, static_cast<int>(step % 2));
      for (std::size_t times = 0; times <= e; ++times) compute(lists[e], elements[e], static_cast<int>(step % 2));
    }
  }
  const OpList woven = share_transfers(machine, lists);
  const auto loads = std::ranges::count_if(woven.ops, [](const LowOp& op) { return op.mnemonic != 0; });
  CHECK(loads == fewer + 3 * (steps - fewer));  // a row's multicast would reach the fourth, which is done
}

TEST_CASE("do lists that want the same in another order get it all the same") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  std::vector<OpList> lists(4);
  Events expected;
  for (std::size_t e = 0; e < lists.size(); ++e) {
    give_buffers(lists[e], elements[e], 2);
    for (const int step : {0, 1}) {
      const int tile = e == 3 ? 1 - step : step;
      load(machine, lists[e], elements[e], 4096 * tile, tile);
      compute(lists[e], elements[e], tile);
    }
    for (const auto& [buffer, events] : events_of(lists[e])) expected[static_cast<int>(e) * 2 + buffer] = events;
  }
  CHECK(events_of(share_transfers(machine, lists)) == expected);
}

TEST_CASE("do elements that only a bus reaches wait for each other, whatever else each does") {
  const Architecture architecture = test::bus_cores({{test::Bus::all}, {test::Bus::own}, 2, false});
  const Machine machine(architecture);
  const auto elements = bus_elements(architecture);
  constexpr int steps = 10;
  test::Draw draw(share_seed);
  std::vector<OpList> lists(elements.size());
  std::size_t computed = 0;
  Events expected;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    give_buffers(lists[e], elements[e], 2);
    for (int step = 0; step < steps; ++step) {
      load(machine, lists[e], elements[e], 4096 * step, step % 2);
      const std::int64_t times = draw.from(0, 3);
      for (std::int64_t t = 0; t < times; ++t) compute(lists[e], elements[e], step % 2);
      computed += static_cast<std::size_t>(times);
    }
    for (const auto& [buffer, events] : events_of(lists[e])) expected[static_cast<int>(e) * 2 + buffer] = events;
  }
  const OpList woven = share_transfers(machine, lists);
  CHECK(events_of(woven) == expected);
  CHECK(woven.ops.size() == steps + computed);
}

TEST_CASE("is it refused that a bus brings some what others do not want") {
  const Architecture architecture = test::bus_cores({{test::Bus::all}, {test::Bus::own}, 2, false});
  const Machine machine(architecture);
  const auto elements = bus_elements(architecture);
  std::vector<OpList> lists(2);
  for (std::size_t e = 0; e < lists.size(); ++e) {
    give_buffers(lists[e], elements[e], 1);
    load(machine, lists[e], elements[e], 4096 * static_cast<std::int64_t>(e), 0);
  }
  CHECK_THROWS_AS(share_transfers(machine, lists), Error);
}

TEST_CASE("is a place that elements share filled once, for all of them") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  std::vector<OpList> lists = lists_in_one_place(elements[0]);
  for (std::size_t e = 0; e < lists.size(); ++e) {
    load(machine, lists[e], elements[0], 0, 0);
    compute(lists[e], elements[e], 0);
  }
  const OpList woven = share_transfers(machine, lists);
  CHECK(woven.buffers.size() == 1);
  CHECK(woven.ops.size() == 4);
}

TEST_CASE("is a shared place not filled anew before all have read it") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  std::vector<OpList> lists = lists_in_one_place(elements[0]);
  for (std::size_t e = 0; e < lists.size(); ++e) {
    for (int step = 0; step < 4; ++step) {
      load(machine, lists[e], elements[0], 64 * step, 0);
      for (std::size_t times = 0; times <= e; ++times) compute(lists[e], elements[e], 0);
    }
  }
  const OpList woven = share_transfers(machine, lists);
  std::map<int, int> reads;  // by unit
  int loads = 0;
  for (const LowOp& op : woven.ops) {
    if (op.mnemonic == 0) {
      ++reads[op.unit];
      continue;
    }
    for (std::size_t e = 0; e < lists.size(); ++e) CHECK(reads[elements[e].mac] == loads * static_cast<int>(e + 1));
    ++loads;
  }
  CHECK(loads == 4);
}

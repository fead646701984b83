// Does weaving lists of several elements, with multicasts in place of equal transfers, leave each element what it had?
#include "compiler/lowering/share_transfers.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <utility>

#include "compiler/lowering/instructions.h"
#include "tests/draw.h"
#include "tests/shipped.h"

using namespace accord;

namespace {

constexpr std::uint64_t share_seed = 37;

/// An element's own transfer from off-chip memory into its memory of that name, and its compute unit.
struct Element {
  Hop load;
  int mac = -1;
};

std::vector<Element> elements_of(const Architecture& architecture) {
  std::vector<Element> elements;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    if (unit.kind == UnitKind::compute) elements.push_back({{}, static_cast<int>(u)});
  }
  for (Element& element : elements) {
    const std::string& mac = architecture.units[element.mac].name;
    const std::string place = mac.substr(0, mac.find('.'));
    for (std::size_t u = 0; u < architecture.units.size(); ++u) {
      const auto& routes = architecture.units[u].routes;
      for (std::size_t r = 0; r < routes.size(); ++r) {
        if (routes[r].also.empty() && architecture.memories[routes[r].target].name == place + ".inputs")
          element.load = {static_cast<int>(u), static_cast<int>(r)};
      }
    }
    REQUIRE(element.load.unit >= 0);
  }
  return elements;
}

void load(const Machine& machine, OpList& list, const Element& element, std::int64_t source, int buffer) {
  TransferPiece piece;
  piece.extent = {64, 1, 1};
  piece.source_stride = piece.target_stride = {0, 0, 0};
  piece.bytes = piece.source_bytes = piece.contiguous = 64;
  append_transfer(machine, list, element.load, piece, source, 64 * buffer).touch(buffer, true);
}

void compute(OpList& list, const Element& element, int buffer) {
  LowOp op;
  op.mnemonic = 0;
  op.unit = element.mac;
  op.first = static_cast<std::uint32_t>(list.values.size());
  op.touch(buffer, false);
  list.ops.push_back(op);
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
      lists[e].buffers.resize(buffers);
      for (const auto& [buffer, events] : events_of(lists[e]))
        expected[static_cast<int>(e) * buffers + buffer] = events;
    }
    const auto woven = share_transfers(machine, lists);
    REQUIRE(woven.size() == 1);
    CHECK(woven.front().buffers.size() == elements.size() * buffers);
    CHECK(events_of(woven.front()) == expected);
    CHECK(woven.front().ops.size() == least + own);
  }
}

TEST_CASE("does a multicast write just the memories of its readers, in the time of its own way") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  std::vector<OpList> lists(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    lists[e].buffers.resize(1);
    load(machine, lists[e], elements[e], 0, 0);
  }
  const auto woven = share_transfers(machine, lists);
  REQUIRE(woven.size() == 1);
  std::set<int> reached;
  for (const LowOp& op : woven.front().ops) {
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

TEST_CASE("do lists that go other steps stay apart") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto elements = elements_of(architecture);
  std::vector<OpList> lists(4);
  for (std::size_t e = 0; e < lists.size(); ++e) {
    lists[e].buffers.resize(1);
    load(machine, lists[e], elements[e], 0, 0);
  }
  compute(lists[3], elements[3], 0);
  const auto woven = share_transfers(machine, lists);
  REQUIRE(woven.size() == 2);
  CHECK(woven[0].ops.size() == 3);  // a row's multicast would reach the fourth
  CHECK(woven[1].ops.size() == 2);
}

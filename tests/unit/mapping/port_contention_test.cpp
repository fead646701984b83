// How long do operations wait for the ports of a memory on chip, and for whose words?
#include "compiler/lowering/port_contention.h"

#include <doctest/doctest.h>

#include <vector>

using namespace accord;

namespace {

/// Two compute units and a mover on a memory of two banks.
Architecture units_on(int read_ports, int write_ports, bool shared = false) {
  Architecture architecture;
  architecture.units.resize(3);
  architecture.units[2].kind = UnitKind::mover;
  Memory memory;
  memory.capacity = 2048;
  memory.banks = 2;
  memory.word = 16;
  memory.read_ports = read_ports;
  memory.write_ports = write_ports;
  memory.shared_ports = shared;
  architecture.memories = {memory};
  return architecture;
}

LowOp operation(int unit, int cycles, int buffer, bool write, int words) {
  LowOp op;
  op.unit = unit;
  op.busy = op.latency = cycles;
  op.touch(buffer, write, words);
  return op;
}

/// A buffer in each bank.
OpList list_of(std::vector<LowOp> ops) {
  OpList list;
  list.ops = std::move(ops);
  list.buffers = {{0, 0, 512}, {0, 1024, 512}};
  return list;
}

/// Of the second operation, behind the first, which begins at once and waits for nobody.
PortContention::Delay behind(const Architecture& architecture, const LowOp& first, const LowOp& second,
                             std::int64_t start) {
  const OpList list = list_of({first, second});
  PortContention ports(architecture, list);
  CHECK(ports.begin(list.ops[0], 0).unit == 0);
  return ports.begin(list.ops[1], start);
}

}  // namespace

TEST_CASE("does a unit by itself wait for nobody") {
  const LowOp read = operation(0, 8, 0, false, 8);
  CHECK(behind(units_on(1, 1), read, read, 8).unit == 0);
}

TEST_CASE("do units wait that read one bank at once, but not those in different ones") {
  for (const int other : {0, 1}) {
    CAPTURE(other);
    const PortContention::Delay delay =
        behind(units_on(1, 1), operation(0, 8, 0, false, 8), operation(1, 8, other, false, 8), 3);
    CHECK(delay.unit == (other == 0 ? 5 : 0));
  }
}

TEST_CASE("do several ports serve as many words at once") {
  // Five words each over four ports: together they take two and a half cycles, of which each has two.
  CHECK(behind(units_on(4, 1), operation(0, 2, 0, false, 5), operation(1, 2, 0, false, 5), 0).unit == 1);
}

TEST_CASE("does a transfer leave the cycles between its words to others") {
  const Architecture architecture = units_on(1, 1);
  const LowOp load = operation(2, 64, 0, false, 16);  // a word every fourth cycle
  for (const int words : {16, 12, 4}) {
    CAPTURE(words);
    const OpList list = list_of({load, operation(0, 16, 0, false, words)});
    PortContention ports(architecture, list);
    CHECK(ports.begin(list.ops[0], 0).unit == 0);
    CHECK(ports.begin(list.ops[1], 8).unit == (words == 16 ? 6 : 0));  // 16 words in three quarters of the cycles
    CHECK(ports.begin(list.ops[1], 64).unit == 0);                     // when the transfer is over
  }
}

TEST_CASE("do transfers that ask for more than there is share it") {
  const Architecture architecture = units_on(1, 1);
  LowOp other = operation(2, 32, 0, false, 32);
  const OpList list = list_of({other, operation(0, 1, 0, false, 1), other});
  PortContention ports(architecture, list);
  CHECK(ports.begin(list.ops[0], 0).unit == 0);
  CHECK(ports.begin(list.ops[2], 0).unit == 32);
}

TEST_CASE("do results that wait for ports come later, and hold up no unit") {
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    const PortContention::Delay delay =
        behind(units_on(1, 1, shared), operation(0, 8, 0, true, 8), operation(1, 8, 0, true, 8), 0);
    CHECK(delay.unit == 0);
    CHECK(delay.results == 8);
  }
}

TEST_CASE("do reads wait for writes where they share a port, and only there") {
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    const PortContention::Delay delay =
        behind(units_on(1, 1, shared), operation(0, 8, 0, true, 8), operation(1, 8, 0, false, 8), 0);
    CHECK(delay.unit == (shared ? 8 : 0));
  }
}

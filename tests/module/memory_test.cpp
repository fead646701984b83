// How do a memory's ports serve words that come at once?
#include "simulator/modules/memory.h"

#include <doctest/doctest.h>

#include "simulator/modules/systemc_session.h"

using namespace accord;
using namespace accord::sim;

namespace {

/// A memory with so many read ports per bank, and what it accounts to.
struct Bench {
  explicit Bench(int read_ports, bool shared = false, int banks = 1) : store(1024) {
    spec.name = "memory";
    spec.capacity = 1024;
    spec.word = 16;
    spec.banks = banks;
    spec.read_ports = spec.write_ports = read_ports;
    spec.shared_ports = shared;
    memory = std::make_unique<MemoryModule>("memory", graph, 0, spec, store, StallAccount(layers, settled));
  }
  Cycle end(std::int64_t words, bool write = false) { return memory->access(write, 0, 16 * words, words, Time()).end; }

  SystemcSession session;
  DependenceGraph graph;
  Memory spec;
  ByteStore store;
  Layers layers{0, ComponentNumbers(Architecture{})};
  Cycle settled = 0;
  std::unique_ptr<MemoryModule> memory;
};

}  // namespace

TEST_CASE("do two accesses of half the ports pass at once") {
  Bench bench(4);
  CHECK(bench.end(2) == 1);
  CHECK(bench.end(2) == 1);
  CHECK(bench.end(1) == 2);
}

TEST_CASE("do reads and writes take turns on shared ports, and only there") {
  for (const int ports : {1, 2}) {
    Bench apart(ports), shared(ports, true);
    CHECK(apart.end(8) == 8 / ports);
    CHECK(apart.end(8, true) == 8 / ports);
    CHECK(shared.end(8) == 8 / ports);
    CHECK(shared.end(8, true) == 16 / ports);
    CHECK(shared.end(4) == 20 / ports);
  }
}

TEST_CASE("does a memory move a word per port and cycle, however the words are divided") {
  for (const int ports : {1, 2, 3, 5}) {
    CAPTURE(ports);
    Bench bench(ports);
    std::int64_t words = 0;
    Cycle end = 0;
    for (const std::int64_t now : {1, 4, 2, 7, 3, 3, 5, 1, 6, 8}) {
      words += now;
      end = std::max(end, bench.end(now));
      CHECK(end == (words + ports - 1) / ports);
    }
  }
}

TEST_CASE("do the words of each bank wait for its own ports") {
  Bench bench(1, false, 4);  // of 16 words each
  const std::vector<Stride> rows = {{20, 16}};
  const Footprint ten_and_ten = *make_footprint(16, 6 * 16, rows), fifteen_and_five = *make_footprint(16, 16, rows);
  CHECK(bench.memory->access(false, 0, ten_and_ten, Time()).end == 10);
  CHECK(bench.memory->access(false, 0, fifteen_and_five, Time()).end == 25);
  CHECK(bench.memory->access(true, 512, fifteen_and_five, Time()).end == 15);
}

#include <doctest/doctest.h>

#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t cycles(const Architecture& machine, const Assembler& assembler) {
  const SimulateResult result = simulate(machine, assembler.program, {});
  for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
  SimulateOptions cycle;
  cycle.fidelity = Fidelity::cycle;
  CHECK(simulate(machine, assembler.program, {}, cycle).total_cycles == result.total_cycles);
  return result.total_cycles;
}

}  // namespace

TEST_CASE("does a transfer take set-up, latency and beats") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    for (const std::int64_t bytes : {16, 64, 256, 1024}) {
      Product product(machine, 1);
      product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", bytes}});
      CHECK(cycles(machine, product.assembler) == 20 + 32 + bytes / 16);
    }
  }
}

TEST_CASE("do requests in flight bound bandwidth") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  machine.units[0].in_flight = 1;  // each 64-byte request waits for the one before: 32 + 4 cycles
  Product product(machine, 1);
  product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", 256}});
  CHECK(cycles(machine, product.assembler) == 20 + 4 * (32 + 4));
}

TEST_CASE("does set-up overlap with the transfer before") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.load_zeros();
  product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", 1024}, {"dst.base", 1024}});
  CHECK(cycles(machine, product.assembler) == 20 + 32 + 64 + 64);
}

TEST_CASE("do products follow each other every 16 cycles") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    std::int64_t one = 0;
    for (const int pairs : {1, 2, 3, 50}) {
      Product product(machine, 1);
      product.load();
      product.assembler.emit("fence");
      for (int i = 0; i < pairs; ++i) product.multiply();
      const std::int64_t total = cycles(machine, product.assembler);
      if (pairs == 1) one = total;
      CHECK(total - one == 16 * (pairs - 1));
    }
  }
}

TEST_CASE("is a product done after start, interval and drain") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product loads(machine, 1), both(machine, 1);
  for (Product* product : {&loads, &both}) {
    product->load();
    product->assembler.emit("fence");
  }
  both.multiply();
  CHECK(cycles(machine, both.assembler) == cycles(machine, loads.assembler) + 14 + 16 + 34);
}

TEST_CASE("does a port that two operands share lengthen reading") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product apart(machine, 1), together(machine, 1);
  for (Product* product : {&apart, &together}) {
    product->load();
    product->load_tile(1024, 1024);  // b again, in a's bank
    product->assembler.emit("fence");
  }
  apart.multiply();
  together.assembler.emit("matmul",
                          {{"i", 16}, {"j", 16}, {"k", 16}, {"b.base", 1024}, {"a.stride0", 16}, {"b.load", 1}});
  CHECK(cycles(machine, together.assembler) == cycles(machine, apart.assembler) + 16);
}

TEST_CASE("do loads run while the mesh works, and wait where they would overwrite") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  const auto with_load_to = [&](std::int64_t address) {
    Product product(machine, 1);
    product.load();
    product.assembler.emit("fence");
    for (int i = 0; i < 10; ++i) product.multiply();
    product.load_tile(0, address);
    return cycles(machine, product.assembler);
  };
  Product alone(machine, 1);
  alone.load();
  alone.assembler.emit("fence");
  for (int i = 0; i < 10; ++i) alone.multiply();
  CHECK(with_load_to(8192) == cycles(machine, alone.assembler));
  CHECK(with_load_to(0) == cycles(machine, alone.assembler) + 20 + 32 + 16);
}

TEST_CASE("do directions share a bus that is not duplex") {
  for (const bool duplex : {true, false}) {
    Architecture machine = matrix_machine(Sync::Kind::interlock);
    machine.links[0].duplex = duplex;
    machine.memories[2].read_ports = machine.memories[2].write_ports = 4;
    Product product(machine, 1);
    product.load_zeros();
    product.assembler.emit("fence");
    const std::int64_t before = cycles(machine, product.assembler);
    product.store();
    for (int i = 0; i < 4; ++i)
      product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", 1024}, {"dst.base", 1024}});
    const std::int64_t total = cycles(machine, product.assembler) - before;
    CHECK(total >= (duplex ? 4 : 5) * 64);
    CHECK(total <= (duplex ? 4 : 5) * 64 + 20 + 32 + 2);
  }
}

TEST_CASE("does a full queue hold the controller and lose nothing") {
  for (const int queue : {1, 2, 16}) {
    Architecture machine = matrix_machine(Sync::Kind::interlock);
    machine.units[2].queue = queue;
    machine.sync.entries = 64;
    Product product(machine, 1);
    product.load();
    for (int i = 0; i < 30; ++i) product.multiply(i == 0);
    product.store();
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    CHECK(result.hazards.empty());
    CHECK(result.broken_invariants.empty());
    CHECK(product.matches(result.outputs.at("y"), 30));
    CHECK(result.stalls.at("control").count("waiting: queue of mesh") == 1);
  }
}

TEST_CASE("do scoreboard entries bound what is under way") {
  std::int64_t last = 0;
  for (const int entries : {1, 2, 8}) {
    Architecture machine = matrix_machine(Sync::Kind::interlock);
    machine.sync.entries = entries;
    Product product(machine, 1);
    product.load();
    for (int i = 0; i < 20; ++i) product.multiply(i == 0);
    const std::int64_t total = cycles(machine, product.assembler);
    if (entries == 1) CHECK(total >= 20 * (14 + 16 + 34));
    if (last) CHECK(total < last);
    last = total;
  }
}

TEST_CASE("do layers' cycles and leaves sum to the whole") {
  for (const Sync::Kind sync : {Sync::Kind::in_order, Sync::Kind::interlock}) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 1);
    product.load();
    product.multiply();
    product.assembler.layer("first");
    product.multiply(0);
    product.store();
    product.assembler.layer("second", {"y"});
    std::vector<int> ended;
    Value seen;
    SimulateOptions options;
    options.on_layer = [&](int layer, const Values& outputs) {
      ended.push_back(layer);
      if (layer == 1) seen = outputs.at("y");
    };
    const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
    CHECK(result.broken_invariants == std::vector<std::string>{});
    CHECK(ended == std::vector<int>{0, 1});
    CHECK(product.matches(seen, 2));
    CHECK(result.layers[0].cycles > 0);
    CHECK(result.layers[1].cycles > 0);
    CHECK(result.layers[0].cycles + result.layers[1].cycles == result.total_cycles);
    CHECK(result.layers[0].lane_macs == 4096);
    CHECK(result.link_bytes.at("bus") == 256 + 256 + 1024 + 1024);
    CHECK(result.layers[1].link_bytes.at("bus") == 1024);
    CHECK(result.energy_pj == doctest::Approx(result.layers[0].energy_pj + result.layers[1].energy_pj));
  }
}

TEST_CASE("is a unit whose reads take longer than its interval no slower for a shorter one") {
  std::int64_t before = 0;
  for (const char* interval : {"1", "4", "16"}) {
    Architecture machine = matrix_machine(Sync::Kind::interlock);
    machine.units.back().capabilities[0].interval = Formula(interval, {});
    machine.memories[1].read_ports = 1;
    machine.memories[1].banks = 1;
    machine.memories[1].word = 4;
    Product product(machine, 1);
    product.load();
    product.assembler.emit("fence");
    product.multiply();
    const std::int64_t total = simulate(machine, product.assembler.program, {}).total_cycles;
    if (before > 0) CHECK(total == before);  // 128 words of four bytes through one port, whatever the interval
    before = total;
  }
}

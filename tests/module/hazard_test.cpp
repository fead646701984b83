#include <doctest/doctest.h>

#include <algorithm>

#include "archdsl/source/error.h"
#include "hazards.h"
#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("is a missing wait a race and a wrong value") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.load();
  product.assembler.emit("fence");
  for (int i = 0; i < 4; ++i) product.multiply(i == 0);
  product.store();
  product.assembler.layer("product");
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  const Hazard* race = hazard_of(result, "race");
  REQUIRE(race);
  CHECK(race->mnemonic == "store");
  CHECK(race->message.find("instruction 4 (matmul) of mesh") != std::string::npos);
  CHECK(race->layer == "product");
  CHECK(race->statement == "product.statement");
  CHECK(race->where == "machine.yaml:3");
  CHECK(!product.matches(result.outputs.at("y"), 4));
}

TEST_CASE("is a race with a write found after another write of its neighbour bytes") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  for (const std::int64_t read : {8192, 8196, 8200}) {
    CAPTURE(read);
    Product product(machine, 1);
    product.load_zeros();
    product.assembler.emit("fence");
    for (const std::int64_t written : {8192, 8196})
      product.assembler.emit("store", {{"dst.base", written}, {"n0", 4}, {"n1", 1}});
    for (int i = 0; i < 8; ++i) product.load_tile(0, 8192);  // the stores are long done then
    product.assembler.emit("load", {{"src.base", read}, {"n0", 4}, {"n1", 1}, {"n2", 1}});
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    CHECK((hazard_of(result, "race") != nullptr) == (read < 8200));
  }
}

TEST_CASE("is a race with a read found after the same unit's read of its neighbour bytes") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  for (const bool opened : {true, false}) {  // whether something has been written nearby before
    for (const std::int64_t written : {8192, 8196, 8200}) {
      CAPTURE(opened);
      CAPTURE(written);
      Product product(machine, 1);
      product.load_zeros();
      product.assembler.emit("fence");
      if (opened) product.assembler.emit("store", {{"dst.base", 8256}, {"n0", 4}, {"n1", 1}});
      product.assembler.emit("fence");
      for (const std::int64_t read : {8192, 8196})
        product.assembler.emit("load", {{"src.base", read}, {"n0", 4}, {"n1", 1}, {"n2", 1}});
      for (int i = 0; i < 8; ++i)  // the loads are long done then
        product.assembler.emit("store", {{"dst.base", 12288}, {"n0", 64}, {"n1", 16}});
      product.assembler.emit("store", {{"dst.base", written}, {"n0", 4}, {"n1", 1}});
      const SimulateResult result = simulate(machine, product.assembler.program, {});
      const Hazard* race = hazard_of(result, "race");
      REQUIRE((race != nullptr) == (written < 8200));
      if (race) CHECK(race->mnemonic == "store");
    }
  }
}

TEST_CASE("is a race found that this run's timing hides") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.load();
  product.assembler.emit("signal_load", {{"semaphore", 0}});
  product.assembler.emit("wait_mesh", {{"semaphore", 0}});
  product.multiply();
  for (int i = 0; i < 8; ++i) product.load_tile(0, 8192);  // long enough for the mesh to end, and ordered with nothing
  product.load_tile(0, 0);
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  REQUIRE(hazard_of(result, "race"));
  CHECK(hazard_of(result, "race")->mnemonic == "load");
}

TEST_CASE("does a unit that waits twice see what two units have signalled") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  for (const bool twice : {true, false}) {
    Product product(machine, 1);
    product.load();
    product.assembler.emit("signal_load", {{"semaphore", 0}});
    product.assembler.emit("signal_store", {{"semaphore", 0}});
    product.assembler.emit("wait_mesh", {{"semaphore", 0}});
    if (twice) product.assembler.emit("wait_mesh", {{"semaphore", 0}});
    product.multiply();
    if (!twice) product.assembler.emit("wait_mesh", {{"semaphore", 0}});
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    CHECK(result.hazards.empty() == twice);
    if (!twice) CHECK(hazard_of(result, "race")->mnemonic == "matmul");  // the store's signal alone may have come
  }
}

TEST_CASE("is a signal that may be taken for another unit's reported") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  for (const bool after : {true, false}) {
    Product product(machine, 1);
    product.load();
    product.assembler.emit("signal_load", {{"semaphore", 0}});
    product.assembler.emit("wait_mesh", {{"semaphore", 0}});
    product.multiply();
    product.assembler.emit("signal_mesh", {{"semaphore", 1}});
    if (after) product.assembler.emit("wait_store", {{"semaphore", 1}});
    for (int i = 0; i < 8; ++i)  // the signal comes long after the mesh's wait, here
      product.assembler.emit("store", {{"src.base", 4096}, {"dst.base", 12288}, {"n0", 64}, {"n1", 16}});
    product.assembler.emit("signal_store", {{"semaphore", 0}});
    product.assembler.emit("wait_store", {{"semaphore", 0}});
    if (!after) product.assembler.emit("wait_load", {{"semaphore", 1}});
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    const Hazard* found = hazard_of(result, "ambiguous_signal");
    CHECK((found == nullptr) == after);
    if (found == nullptr) continue;
    CHECK(found->mnemonic == "signal_store");
    CHECK(found->message.find("a wait of mesh") != std::string::npos);
  }
}

TEST_CASE("is what a wait has seen the same whichever of two waiting units takes a signal") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  for (const bool all_loaded : {true, false}) {
    Product product(machine, 1);
    product.load_zeros();
    if (all_loaded) product.load_a();
    if (all_loaded) product.load_b();
    product.assembler.emit("signal_load", {{"semaphore", 0}});
    if (!all_loaded) product.load_a();
    if (!all_loaded) product.load_b();
    product.assembler.emit("signal_load", {{"semaphore", 0}});
    product.assembler.emit("wait_store", {{"semaphore", 0}});
    product.assembler.emit("wait_mesh", {{"semaphore", 0}});  // takes the second signal here, the first elsewhere
    product.multiply();
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    CHECK((hazard_of(result, "race") == nullptr) == all_loaded);
  }
}

TEST_CASE("does a fence order units") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.fenced();
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  CHECK(result.hazards.empty());
  CHECK(product.matches(result.outputs.at("y")));
}

TEST_CASE("is off-chip order the program's business under interlock") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  for (const bool fenced : {false, true}) {
    Product product(machine, 1);
    product.load();
    product.multiply();
    product.store();
    if (fenced) product.assembler.emit("fence");
    product.load_tile(8192, 8192);
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    CHECK((hazard_of(result, "race") == nullptr) == fenced);
  }
}

TEST_CASE("is what an interlock orders by ranges on chip ordered off chip") {
  for (const Sync::Kind sync : {Sync::Kind::interlock, Sync::Kind::semaphores}) {
    const Architecture machine = matrix_machine(sync);
    for (const bool same : {true, false}) {
      Product product(machine, 1);
      product.load();
      product.assembler.emit("fence");
      // Sums are brought to where the store finds them, or beside it.
      product.assembler.emit("load_acc", {{"src.base", 8192}, {"dst.base", same ? 0 : 2048}, {"n0", 1024}});
      product.store();
      const SimulateResult result = simulate(machine, product.assembler.program, {});
      CAPTURE(same);
      CHECK((hazard_of(result, "race") == nullptr) == (same && sync == Sync::Kind::interlock));
    }
  }
}

TEST_CASE("does the order that an interlock makes reach over units between") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  for (const bool multiplies : {true, false}) {
    Product product(machine, 1);
    product.load_zeros();
    product.load_a();
    product.assembler.emit("fence");
    product.load_tile(8192, 4096);  // the store writes there what is made of that
    if (multiplies) product.multiply();
    product.store();
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    CAPTURE(multiplies);
    CHECK((hazard_of(result, "race") == nullptr) == multiplies);
  }
}

TEST_CASE("is a semaphore above its maximum told where nothing waits for it") {
  Architecture machine = matrix_machine(Sync::Kind::semaphores);
  machine.sync.semaphore_max = 2;
  Assembler assembler(machine);
  for (int i = 0; i < 3; ++i) assembler.emit("signal_load", {{"semaphore", 0}});
  const SimulateResult result = simulate(machine, assembler.program, {});
  CHECK(hazard_of(result, "semaphore_overflow") != nullptr);
  CHECK(hazard_of(result, "unmatched_signal") != nullptr);
}

TEST_CASE("is a circle of waits named") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.assembler.emit("wait_load", {{"semaphore", 0}});
  product.load_a();
  product.assembler.emit("signal_load", {{"semaphore", 1}});
  product.assembler.emit("wait_mesh", {{"semaphore", 1}});
  product.multiply();
  product.assembler.emit("signal_mesh", {{"semaphore", 0}});
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  const Hazard* deadlock = hazard_of(result, "deadlock");
  REQUIRE(deadlock);
  INFO(deadlock->message);
  CHECK(deadlock->message.find("load waits for semaphore 0 at instruction 0 (wait_load)") != std::string::npos);
  CHECK(deadlock->message.find("mesh waits for semaphore 1 at instruction 3 (wait_mesh)") != std::string::npos);
}

TEST_CASE("is a wait without signal a deadlock") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.assembler.emit("wait_store", {{"semaphore", 3}});
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  REQUIRE(hazard_of(result, "deadlock"));
  CHECK(hazard_of(result, "deadlock")->mnemonic == "wait_store");
}

TEST_CASE("is a semaphore above its greatest count reported") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  for (int i = 0; i < 3; ++i) product.assembler.emit("signal_load", {{"semaphore", 2}});
  product.assembler.emit("fence");
  product.assembler.emit("wait_mesh", {{"semaphore", 2}});
  REQUIRE(hazard_of(simulate(machine, product.assembler.program, {}), "semaphore_overflow"));
}

TEST_CASE("is a read of bytes never written reported on every sync kind") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 1);
    product.load_a();
    product.assembler.emit("fence");
    product.load_zeros();
    product.assembler.emit("fence");
    product.multiply();
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    const Hazard* hazard = hazard_of(result, "uninitialised_read");
    REQUIRE(hazard);
    CHECK(hazard->instruction == 4);
    CHECK(hazard->message.find("4096 of spad") != std::string::npos);
    SimulateOptions off;
    off.check_hazards = false;
    CHECK(simulate(machine, product.assembler.program, {}, off).hazards.empty());
  }
}

TEST_CASE("is an address beyond the memory reported and the run ended") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    for (const std::int64_t address : {std::int64_t{16 << 10} - 255, std::int64_t{-1}, std::int64_t{1} << 62}) {
      Product product(machine, 1);
      product.load_tile(0, address);
      product.load_a();
      const SimulateResult result = simulate(machine, product.assembler.program, {});
      REQUIRE(hazard_of(result, "out_of_range"));
      CHECK(hazard_of(result, "out_of_range")->instruction == 0);
    }
    Product product(machine, 1);
    product.load_tile(0, (16 << 10) - 256);
    CHECK(simulate(machine, product.assembler.program, {}).hazards.empty());
  }
}

TEST_CASE("is an extent beyond the capability reported") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.assembler.emit("matmul", {{"i", 17}, {"j", 16}, {"k", 16}});
  REQUIRE(hazard_of(simulate(machine, product.assembler.program, {}), "out_of_range"));
}

TEST_CASE("are strides that overflow reported") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.assembler.emit("load", {{"n0", 16},
                                  {"n1", 16},
                                  {"n2", 16},
                                  {"src.stride1", std::int64_t{1} << 62},
                                  {"src.stride2", std::int64_t{-1} << 63}});
  REQUIRE(hazard_of(simulate(machine, product.assembler.program, {}), "out_of_range"));
}

TEST_CASE("is an undefined opcode reported and the run ended") {
  for (const Sync::Kind sync : {Sync::Kind::in_order, Sync::Kind::interlock}) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 1);
    product.load_a();
    product.load_b();
    product.assembler.program.text[static_cast<std::size_t>(machine.isa.width / 8)] = std::byte{99};
    const SimulateResult result = simulate(machine, product.assembler.program, {});
    REQUIRE(hazard_of(result, "undefined_opcode"));
    CHECK(hazard_of(result, "undefined_opcode")->instruction == 1);
  }
}

TEST_CASE("are loops that nest too deep or leave their stage reported") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product deep(machine, 1);
  for (int i = 3; i > 0; --i) deep.assembler.emit("loop", {{"count", 2}, {"length", i}});
  deep.load_a();
  REQUIRE(hazard_of(simulate(machine, deep.assembler.program, {}), "loop_overflow"));
  Product wide(machine, 1);
  wide.assembler.emit("loop", {{"count", 2}, {"length", 2}});
  wide.load_a();
  REQUIRE(hazard_of(simulate(machine, wide.assembler.program, {}), "loop_overflow"));
  Product backwards(machine, 1);
  backwards.assembler.emit("loop", {{"count", -3}, {"length", 1}});
  backwards.load_a();
  const SimulateResult result = simulate(machine, backwards.assembler.program, {});
  REQUIRE(hazard_of(result, "loop_overflow"));
  CHECK(hazard_of(result, "loop_overflow")->message.find("a loop of -3 turns") != std::string::npos);
}

TEST_CASE("does a run end at the cycle that the user allows") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 1);
    product.fenced();
    const std::int64_t cycles = simulate(machine, product.assembler.program, {}).total_cycles;
    SimulateOptions options;
    options.most_cycles = cycles;
    CHECK(simulate(machine, product.assembler.program, {}, options).hazards.empty());
    for (const std::int64_t fewer : {cycles - 1, cycles / 2, std::int64_t{1}}) {
      options.most_cycles = fewer;
      const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
      REQUIRE(hazard_of(result, "cycle_limit"));
      CHECK(result.hazards.size() == 1);
    }
  }
}

TEST_CASE("do loops and instructions that take ages end at once where the cycles are limited") {
  for (const Sync::Kind sync : sync_kinds) {
    Architecture machine = matrix_machine(sync);
    for (WalkDim& dim : machine.units[0].routes[0].walk) dim.max = std::int64_t{1} << 32;
    machine.units[0].routes[0].walk[2].target.bytes = 0;
    SimulateOptions options;
    options.most_cycles = 10'000;
    Product looping(machine, 1);
    looping.assembler.emit("loop", {{"count", std::int64_t{1} << 60}, {"length", 1}});
    looping.load_a();
    Product idle(machine, 1);
    idle.assembler.emit("loop", {{"count", std::int64_t{1} << 60}, {"length", 1}});
    idle.assembler.emit("fence");
    Product moving(machine, 1);
    moving.assembler.emit("load", {{"n0", 16}, {"n1", 1 << 20}, {"n2", 1 << 16}});
    for (const Product* product : {&looping, &idle, &moving}) {
      const SimulateResult result = simulate(machine, product->assembler.program, {}, options);
      for (const Hazard& hazard : result.hazards) INFO(hazard.kind << ": " << hazard.message);
      REQUIRE(result.hazards.size() == 1);
      CHECK(result.hazards.front().kind == "cycle_limit");
    }
  }
}

TEST_CASE("is a program that will surely execute too many instructions ended long before") {
  constexpr int base = 100'001;  // 10^10 is a little below its square
  constexpr std::int64_t many = 4'000'000'000;
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  machine.controller.loop_depth = 3;
  for (const std::vector<std::int64_t>& counts :
       std::vector<std::vector<std::int64_t>>{{std::int64_t{1} << 60}, {base, base}, {many, many, many}}) {
    Product product(machine, 1);
    for (std::size_t i = 0; i < counts.size(); ++i)
      product.assembler.emit("loop", {{"count", counts[i]}, {"length", static_cast<std::int64_t>(counts.size() - i)}});
    product.assembler.emit("fence");
    std::int64_t told = 0;
    SimulateOptions options;
    options.on_long_run = [&](std::int64_t least) { told = least; };
    CHECK_THROWS_AS(simulate(machine, product.assembler.program, {}, options), Error);
    CHECK(told > 10'000'000'000);
    options.most_cycles = 1'000'000'000;
    const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
    REQUIRE(hazard_of(result, "cycle_limit"));
    CHECK(hazard_of(result, "cycle_limit")->message.find("at least") != std::string::npos);
  }
}

TEST_CASE("is a program within the limits not ended before") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.assembler.emit("loop", {{"count", 3'000'000}, {"length", 3}});
  product.assembler.emit("loop", {{"count", 0}, {"length", 1}});
  product.assembler.emit("fence");
  product.assembler.emit("fence");
  SimulateOptions options;
  options.on_long_run = [](std::int64_t) { FAIL("not that long"); };
  options.most_cycles = 6'000'001;
  const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
  CHECK(result.hazards.empty());
  CHECK(result.instructions == 6'000'001);
}

TEST_CASE("do programs that do not fit the machine throw") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  const Product product(machine, 1);
  Program program = product.assembler.program;
  program.architecture_hash = "other";
  CHECK_THROWS_AS(simulate(machine, program, {}), Error);
  program = product.assembler.program;
  program.symbols.front().address = 1 << 20;
  CHECK_THROWS_AS(simulate(machine, program, {}), Error);
  program = product.assembler.program;
  program.images.front().memory = "nowhere";
  CHECK_THROWS_AS(simulate(machine, program, {}), Error);
  program = product.assembler.program;
  program.symbols.front().role = Symbol::Role::input;
  CHECK_THROWS_AS(simulate(machine, program, {}), Error);
  program = product.assembler.program;
  program.text.push_back(std::byte{0});
  CHECK_THROWS_AS(simulate(machine, program, {}), Error);
  CHECK_THROWS_AS(simulate(machine, product.assembler.program, {{"x", Value{}}}), Error);
}

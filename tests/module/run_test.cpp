#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"
#include "matrix_case.h"
#include "tests/scratch.h"

using namespace accord;
using namespace accord::test;

namespace {

Symbol symbol(const std::string& name, std::int64_t address, Shape shape, std::vector<std::int64_t> strides,
              Symbol::Role role) {
  return {name, "dram", address, ElementType::i8, std::move(shape), std::move(strides), role};
}

Stage host_stage(int layer, HostWork work) {
  Stage stage;
  stage.layer = layer;
  stage.host = true;
  stage.work = std::move(work);
  return stage;
}

/// y[p] = max over r of x[p + r - 1], beyond the shape -128.
Program host_program(const Architecture& machine) {
  Assembler assembler(machine);
  Program& program = assembler.program;
  program.symbols.push_back(symbol("x", 100, {4}, {3}, Symbol::Role::input));
  program.symbols.push_back(symbol("y", 200, {4}, {2}, Symbol::Role::output));
  program.layers.resize(1);
  program.layers[0].name = "window";
  program.layers[0].outputs = {"y"};
  HostWork work;
  work.statements = {"t[p] = -128", "t[p] max= x[p + r - 1]", "y[p] = t[p]"};
  work.operands = {
      {"x", ElementType::i8, "x", {}, -128}, {"t", ElementType::i8, "", {4}, 0}, {"y", ElementType::i8, "y", {}, 0}};
  work.iterators = {{"p", 4}, {"r", 3}};
  program.stages.push_back(host_stage(0, work));
  return program;
}

Values input() {
  Value x{ElementType::i8, {4}, {}};
  for (const int value : {-7, -9, 5, -128}) x.data.push_back(static_cast<std::byte>(value));
  return {{"x", x}};
}

}  // namespace

TEST_CASE("does the host read beyond shapes, keep temporaries and respect strides") {
  for (const Sync::Kind sync : {Sync::Kind::in_order, Sync::Kind::interlock}) {
    const Architecture machine = matrix_machine(sync);
    int ended = 0;
    SimulateOptions options;
    options.on_layer = [&](int, const Values&) { ++ended; };
    const SimulateResult result = simulate(machine, host_program(machine), input(), options);
    std::vector<int> y;
    for (const std::byte byte : result.outputs.at("y").data) y.push_back(static_cast<std::int8_t>(byte));
    CHECK(y == std::vector<int>{-7, 5, 5, 5});
    CHECK(result.layers[0].cycles == 0);
    CHECK(ended == 1);
  }
}

TEST_CASE("does wrong host work throw") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  for (const char* statement : {"y[p + 1] = x[p]", "y[p] = ", "y[p] = z[p]", "y[q] = x[q]", "y[p] = x[p, p]"}) {
    Program program = host_program(machine);
    program.stages[0].work.statements = {statement};
    CHECK_THROWS_AS(simulate(machine, program, input()), Error);
  }
}

TEST_CASE("do layers without instructions end with the layer before") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.assembler.layer("alias of the input");
  product.load();
  product.assembler.layer("work");
  product.assembler.layer("reshape");
  product.multiply();
  product.assembler.layer("more");
  std::vector<int> ended;
  SimulateOptions options;
  options.on_layer = [&](int layer, const Values&) { ended.push_back(layer); };
  const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
  CHECK(ended == std::vector<int>{0, 1, 2, 3});
  CHECK(result.layers[2].cycles == 0);
  CHECK(result.broken_invariants == std::vector<std::string>{});
}

TEST_CASE("are stages run one after another") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.load();
  product.multiply();
  product.store();
  Program& program = product.assembler.program;
  for (const auto& [first, count] : {std::pair{0, 3}, std::pair{3, 1}, std::pair{4, 1}}) {
    program.stages.emplace_back();
    program.stages.back().first = first;
    program.stages.back().count = count;
  }
  const SimulateResult result = simulate(machine, program, {});
  CHECK(result.hazards.empty());
  CHECK(product.matches(result.outputs.at("y")));
  program.stages.back().count = 2;
  CHECK_THROWS_AS(simulate(machine, program, {}), Error);
}

TEST_CASE("does energy follow from bytes and points") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.load_a();
  product.load_b();
  product.load_zeros();
  const double loaded = simulate(machine, product.assembler.program, {}).energy_pj;
  CHECK(loaded == doctest::Approx(1536 * (1 + 2 + 3)));  // read, write, link
  product.multiply();
  const double multiplied = simulate(machine, product.assembler.program, {}).energy_pj - loaded;
  CHECK(multiplied == doctest::Approx(512 * 1 + 1024 * (1 + 2) + 4096 * 0.5));
}

TEST_CASE("is all energy some component's, and static energy every cycle's") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.assembler.layer("loads");
  product.load();
  product.assembler.layer("product");
  product.multiply();
  const SimulateResult dynamic = simulate(machine, product.assembler.program, {});
  CHECK(dynamic.energy_shares.at("bus") == doctest::Approx(1536 * 3));
  CHECK(dynamic.energy_shares.at("dram") == doctest::Approx(1536 * 1));
  CHECK(dynamic.energy_shares.at("mesh") == doctest::Approx(4096 * 0.5));
  CHECK(dynamic.layers[0].energy_shares.count("mesh") == 0);
  CHECK(dynamic.static_energy_pj == 0);

  machine.memories[1].silicon.static_pj = 2;
  machine.memories[1].period = {2, 1};  // its cycle is two of the reference's
  machine.controller.silicon.static_pj = 0.25;
  machine.links[0].period = {1, 4};  // a beat is no clock cycle
  machine.links[0].silicon.static_pj = 8;
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  const auto cycles = static_cast<double>(result.total_cycles);
  CHECK(result.broken_invariants.empty());
  CHECK(result.static_energy_pj == doctest::Approx(cycles * (2.0 / 2 + 0.25 + 8)));
  CHECK(result.energy_pj == doctest::Approx(dynamic.energy_pj + result.static_energy_pj));
  CHECK(result.energy_shares.at("control") == doctest::Approx(cycles * 0.25));
  CHECK(result.layers[1].energy_shares.at("control") ==
        doctest::Approx(static_cast<double>(result.layers[1].cycles) * 0.25));
  SimulateOptions values;
  values.fidelity = Fidelity::function;
  CHECK(simulate(machine, product.assembler.program, {}, values).energy_pj == doctest::Approx(dynamic.energy_pj));
}

TEST_CASE("are a bound and compulsory bytes that do not hold reported") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.load();
  product.assembler.layer("loads");
  Layer& layer = product.assembler.program.layers[0];
  layer.bound_cycles = 1000;
  layer.compulsory_bytes = 1537;
  CHECK(simulate(machine, product.assembler.program, {}).broken_invariants.size() == 2);
  layer.bound_cycles = 10;
  layer.compulsory_bytes = 1536;
  CHECK(simulate(machine, product.assembler.program, {}).broken_invariants.empty());
}

TEST_CASE("does the trace show operations in layers and statements, and what holds words for how long") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.load();
  product.multiply();
  product.assembler.layer("with \"quotes\"");
  product.assembler.program.map.back().statement = "c += a * b";
  SimulateOptions options;
  const Scratch scratch("trace.json");
  options.trace = scratch.path;
  const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
  std::ifstream file(options.trace);
  const auto trace = nlohmann::json::parse(file);
  std::map<int, std::string> processes;
  std::vector<std::string> begun;
  std::vector<std::pair<std::int64_t, std::int64_t>> operations;  // from the begin until done, in the file's order
  double in_use = 0, last = 0;
  std::int64_t at = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph"), name = event.value("name", "");
    if (name == "process_name") processes[event.at("pid")] = event.at("args").at("name");
    if (phase == "B") begun.push_back(name);
    if (phase == "X" && event.contains("args")) operations.emplace_back(event.at("ts"), event.at("args").at("done"));
    if (phase != "C" || name != "in use" || processes.at(event.at("pid")) != "spad") continue;
    const std::int64_t now = event.at("ts");
    in_use += last * static_cast<double>(now - at);
    last = event.at("args").at("bytes");
    at = now;
  }
  const std::vector<std::string> nested = {"with \"quotes\"", "c += a * b"};
  REQUIRE(begun.size() == 4);  // of load and mesh
  CHECK(std::equal(nested.begin(), nested.end(), begun.begin()));
  REQUIRE(operations.size() == 4);
  std::ranges::sort(operations);
  // Both tiles of 256 bytes from the begin of their load to the end of the product, which is the run's.
  CHECK(operations[3].second == result.total_cycles);
  CHECK(in_use == 256.0 * static_cast<double>(2 * result.total_cycles - operations[0].first - operations[1].first));
}

TEST_CASE("does a run without values and checks need no address space for its memories") {
  for (const Sync::Kind sync : sync_kinds) {
    Architecture machine = matrix_machine(sync);
    const Product product(machine, 1);
    SimulateOptions options;
    options.check_hazards = false;
    options.values = false;
    const std::int64_t cycles = simulate(machine, product.assembler.program, {}, options).total_cycles;
    for (Memory& memory : machine.memories) memory.capacity = std::int64_t{1} << 50;
    CHECK(simulate(machine, product.assembler.program, {}, options).total_cycles == cycles);
    options.values = true;
    CHECK_THROWS_WITH_AS(simulate(machine, product.assembler.program, {}, options), doctest::Contains("address space"),
                         Error);
  }
}

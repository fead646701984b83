// Do params, expressions, files and tables mean what docs/covenant.md says?
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/accept/accepted.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("params of every type give their values where they are used") {
  const Architecture a = accepted("param_types");
  CHECK(a.clock_hz == 500e6);
  CHECK(memory(a, "dram").latency == 50);
  CHECK(memory(a, "buf").capacity == 2048);
  CHECK(memory(a, "buf").latency == 2);
  CHECK(memory(a, "buf").energy.read_pj == 2);
  CHECK(unit(a, "dma").setup == 12);
  CHECK(bytes_per_reference_cycle(link(a, "bus")) == 16);
  CHECK(link(a, "bus").duplex);
  CHECK(link(a, "bus").arbitration == Arbitration::round_robin);
}

TEST_CASE("a param's short form is its value") {
  const Architecture a = accepted("param_short_forms");
  CHECK(memory(a, "dram").latency == 1000);
  CHECK(memory(a, "buf").capacity == 2048);
  CHECK(memory(a, "buf").word == 64);
  CHECK(link(a, "bus").duplex);
  CHECK(link(a, "bus").arbitration == Arbitration::priority);
}

TEST_CASE("overrides obey values and take the param's unit") {
  CHECK(capability(unit(accepted("param_values"), "alu"), "relu").dims.at(0).maximum == 8);
  CHECK(memory(accepted("param_unit"), "buf").capacity == 4096);
  const auto file = repository() / "tests/accept/extends_sets_param.yaml";
  const LoadResult result = load_architecture(file, {{"lanes", "16"}});
  REQUIRE(result.architecture.has_value());
  CHECK(result.architecture->units.at(1).capabilities.at(0).dims.at(0).maximum == 16);
}

TEST_CASE("params use those that stand behind them") {
  const Architecture a = accepted("param_forward");
  CHECK(memory(a, "buf").capacity == 1024);
  CHECK(memory(a, "buf").word == 16);
}

TEST_CASE("units go through expressions") {
  const Architecture a = accepted("expression_units");
  CHECK(memory(a, "dram").word == 16);
  CHECK(memory(a, "buf").capacity == 2048);
  CHECK(memory(a, "buf").latency == 2);
  CHECK(unit(a, "dma").request == 32);
  CHECK(unit(a, "dma").setup == 100);
}

TEST_CASE("functions and operators compute") {
  const Architecture functions = accepted("expression_functions");
  CHECK(memory(functions, "dram").latency == 10);
  CHECK(memory(functions, "buf").capacity == 1024);
  CHECK(memory(functions, "buf").latency == 9);
  CHECK(unit(functions, "dma").in_flight == 11);
  CHECK(unit(functions, "dma").queue == 22);
  const Architecture operators = accepted("expression_operators");
  CHECK(memory(operators, "dram").latency == 9);
  CHECK(memory(operators, "buf").latency == 5);
  CHECK(unit(operators, "dma").in_flight == 3);
  CHECK(unit(operators, "dma").setup == 7);
}

TEST_CASE("expressions stand inside other text") {
  const Architecture a = accepted("expression_inside_text");
  CHECK(memory(a, "buf").word == 16);
  const Capability& relu = capability(unit(a, "alu"), "relu");
  CHECK(relu.dims.at(0).minimum == 4);
  CHECK(relu.dims.at(0).maximum == 8);
  CHECK(relu.interval.evaluate(std::vector<std::int64_t>{5}) == 1);
  CHECK(relu.drain.evaluate(std::vector<std::int64_t>{5}) == 4);
}

TEST_CASE("whole numbers stay exact beyond the doubles, zeros in front do not make octal") {
  const Architecture a = accepted("whole_numbers_stay_exact");
  CHECK(memory(a, "dram").latency == 993);
  CHECK(memory(a, "buf").latency == 7);
  const Architecture b = accepted("numbers_hexadecimal");
  CHECK(memory(b, "buf").latency == 10);
  CHECK(memory(b, "buf").word == 16);
  CHECK(mnemonic(b, "relu").opcode == 254);
}

TEST_CASE("line ends of Windows and a byte order mark change nothing") {
  const std::string hash = accepted("smallest").hash;
  CHECK(accepted("line_ends_crlf").hash == hash);
  CHECK(accepted("byte_order_mark").hash == hash);
}

TEST_CASE("included sections join") {
  CHECK(accepted("include_parts").units.size() == 4);
  CHECK(memory(accepted("include_one"), "core[1].buf").capacity == 2048);
  const Architecture nested = accepted("include_of_includes");
  CHECK(nested.name == "include_of_includes");
  CHECK(nested.source.empty());
  CHECK(nested.units.size() == 6);
  const Architecture both = accepted("extends_with_include");
  CHECK(mnemonic(both, "copy").opcode == 9);
  CHECK(mnemonic(both, "relu").opcode == 4);
  CHECK(both.isa.registers.size() == 2);
}

TEST_CASE("what extends replaces key by key, removes and may be extended again") {
  const Architecture a = accepted("extends_replaces");
  CHECK(a.source == "laid over the small machine");
  CHECK(a.clock_hz == 2e9);
  CHECK(memory(a, "dram").word == 32);
  CHECK(memory(a, "dram").capacity == 1 << 20);
  CHECK(unit(a, "dma").in_flight == 8);
  REQUIRE(unit(a, "dma").routes.size() == 2);
  CHECK(a.memories.at(static_cast<std::size_t>(unit(a, "dma").routes[0].source)).name == "buf");
  const Architecture b = accepted("extends_of_extends");
  CHECK(memory(b, "dram").latency == 60);
  CHECK(memory(b, "dram").word == 32);
  const Architecture c = accepted("extends_removes");
  CHECK(c.memories.size() == 2);
  CHECK(c.units.size() == 2);
  CHECK(c.isa.mnemonics.size() == 4);
  CHECK(c.isa.registers.size() == 1);
}

TEST_CASE("shipped covenants are found from anywhere, others over ACCORD_PATH") {
  CHECK(capability(unit(accepted("extends_shipped"), "mesh"), "matmul").dims.at(0).maximum == 32);
  const auto file = repository() / "tests/accept/search_path/machine.yaml";
  const std::string folders = "/nonexistent:" + (file.parent_path() / "library").string();
  CHECK_FALSE(load_architecture(file).architecture.has_value());
  REQUIRE(setenv("ACCORD_PATH", folders.c_str(), 1) == 0);
  const Architecture a = load(file);
  unsetenv("ACCORD_PATH");
  CHECK(memory(a, "buf").capacity == 2048);
  CHECK(memory(a, "buf").latency == 9);
}

TEST_CASE("figures come from tables, between two points of a curve by the power law") {
  const Architecture values = accepted("table_values");
  CHECK(memory(values, "dram").latency == 30);
  CHECK(memory(values, "dram").energy.read_pj == doctest::Approx(1));
  CHECK(memory(values, "dram").energy.write_pj == doctest::Approx(0.5));
  CHECK(capability(unit(values, "alu"), "relu").pj_per_point == 0.25);
  const Architecture curve = accepted("table_curve");
  CHECK(memory(curve, "buf").energy.read_pj == doctest::Approx(std::sqrt(2.0)));
  CHECK(memory(curve, "buf").energy.write_pj == doctest::Approx(2));
  CHECK(capability(unit(accepted("tables_two"), "alu"), "relu").pj_per_point == doctest::Approx(0.375));
}

TEST_CASE("numerics name their types and parameters") {
  const Architecture a = accepted("numerics_shift");
  CHECK(a.numerics.integer);
  CHECK(a.numerics.storage == ElementType::i8);
  CHECK(a.numerics.weight == ElementType::i8);
  CHECK(a.numerics.accumulator == ElementType::i32);
  REQUIRE(a.numerics.parameters.size() == 2);
  CHECK(a.numerics.parameters[0].name == "mult");
  CHECK(a.numerics.parameters[0].per_channel);
  CHECK_FALSE(a.numerics.parameters[1].per_channel);
  const Architecture f = accepted("float_sixteen_bits");
  CHECK_FALSE(f.numerics.integer);
  CHECK(f.numerics.weight == ElementType::fp8e4m3);
}

// Does `transaction`, which reserves ports and links for whole requests and operands, take the cycles that `cycle`
// counts word by word, beat by beat and row by row? And do all fidelities leave the same values?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/numeric.h"
#include "cli/validation/benches.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr double close_percent = 2;  ///< of the cycles that `cycle` counts: what agrees
constexpr double most_percent = 16;  ///< of any program: known deviations (docs/validation.md)
constexpr double least_share = 0.9;  ///< of the programs agree
constexpr std::size_t least_close = 50;

/// Other programs, or more of each kind.
std::uint64_t programs_of_a_kind(std::uint64_t usual) { return asked("ACCORD_RANDOM_PROGRAMS", usual); }

/// How many programs were held against each other, and how many agree.
struct Tally {
  std::size_t programs = 0, close = 0;
};

/// One row per program, to the file that ACCORD_FIDELITY_TABLE names, else to nobody.
void tabulate(const std::string& kind, const std::string& machine, const std::string& program, double transaction,
              double cycle) {
  const char* file = std::getenv("ACCORD_FIDELITY_TABLE");
  if (file == nullptr) return;
  std::ofstream(file, std::ios::app) << fmt::format("{},{},\"{}\",{},{},{:.2f}\n", kind, machine, program, transaction,
                                                    cycle, 100 * (transaction / cycle - 1));
}

SimulateResult simulate_at(Fidelity fidelity, const Architecture& machine, const Program& program,
                           const Values& inputs) {
  SimulateOptions options;
  options.fidelity = fidelity;
  return simulate(machine, program, inputs, options);
}

bool equal(const Values& a, const Values& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return x.first == y.first && x.second.data == y.second.data; });
}

/// Runs the program at all fidelities and holds them against each other.
void hold(Tally& tally, const std::string& kind, const std::string& name, const Architecture& machine,
          const Program& program, const Values& inputs) {
  const SimulateResult values = simulate_at(Fidelity::function, machine, program, inputs);
  const SimulateResult transaction = simulate_at(Fidelity::transaction, machine, program, inputs);
  const SimulateResult cycle = simulate_at(Fidelity::cycle, machine, program, inputs);
  CAPTURE(name);
  CAPTURE(machine.name);
  CHECK(equal(values.outputs, transaction.outputs));
  CHECK(equal(cycle.outputs, transaction.outputs));
  for (const auto* result : {&values, &transaction, &cycle}) {
    for (const Hazard& hazard : result->hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
    for (const std::string& broken : result->broken_invariants) FAIL_CHECK(broken);
  }
  const auto ours = static_cast<double>(transaction.total_cycles), truth = static_cast<double>(cycle.total_cycles);
  tabulate(kind, machine.name, name, ours, truth);
  const double percent = truth > 0 ? 100 * (ours / truth - 1) : 0;
  const auto message =
      fmt::format("{} on {}: transaction {}, cycle {}: {:+.2f} %", name, machine.name, ours, truth, percent);
  CHECK_MESSAGE(std::abs(percent) <= most_percent, message);
  const bool close = std::abs(percent) <= close_percent;
  if (!close) MESSAGE(message);
  ++tally.programs;
  tally.close += close;
}

void hold_compiled(Tally& tally, const std::string& kind, const Architecture& machine, std::uint64_t seed) {
  std::string what;
  const Network network = random_network(seed, what);
  const Values inputs = seeded_inputs_of(network, seed);
  try {
    const Program program = compile(machine, to_numeric(machine, network, inputs));
    hold(tally, kind, fmt::format("{} (seed {})", what, seed), machine, program, inputs);
  } catch (const Error& error) {
    MESSAGE(machine.name, ", seed ", seed, ": ", std::string(error.what()));  // too small for anything
  }
}

void hold_shipped(Tally& tally) {
  for (const auto& name : shipped_names()) {
    const Architecture shipped = machine(name);
    const std::uint64_t count = programs_of_a_kind(2);
    for (std::uint64_t seed = first_seed(); seed < first_seed() + count; ++seed)
      hold_compiled(tally, "compiled", shipped, seed * 31 + name.size());
  }
}

void hold_changed(Tally& tally) {
  for (const auto& name : shipped_names()) {
    const std::uint64_t count = programs_of_a_kind(1);
    for (std::uint64_t seed = first_seed(); seed < first_seed() + count; ++seed) {
      const LoadResult loaded = load_text(random_covenant(name, seed));
      if (loaded.architecture)
        hold_compiled(tally, fmt::format("changed {}", seed), *loaded.architecture, seed * 37 + name.size());
    }
  }
}

void hold_benches(Tally& tally) {
  std::set<std::tuple<std::string, std::map<std::string, std::string>, std::string>> held;
  for (const Bench& bench : benches()) {
    if (bench.tables.empty()) continue;
    const CsvTable table(validation_folder() / bench.tables.front());
    std::vector<CsvRow> rows;
    for (const CsvRow& row : table.rows()) {
      if (!bench.takes || bench.takes(row)) rows.push_back(row);
    }
    const std::size_t count = programs_of_a_kind(4);
    for (std::size_t r = 0; r < count && r < rows.size(); ++r) {
      const BenchRun run = bench.run(rows[r * rows.size() / count]);
      // benches of other figures of the same programs are no other programs
      if (!run.network.empty() || !held.emplace(bench.machine, run.params, run.assembly).second) continue;
      const LoadResult loaded = load_architecture(validation_folder() / bench.machine, run.params);
      REQUIRE(loaded.architecture);
      const Program program = assemble(*loaded.architecture, run.assembly, run.row);
      try {
        hold(tally, "bench " + bench.name, run.row, *loaded.architecture, program, {});
      } catch (const Error& error) {
        MESSAGE(run.row, ": ", std::string(error.what()));  // too large
      }
    }
  }
}

/// Loads and results go through the same write ports.
void hold_tile_registers(Tally& tally) {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/tile_registers.yaml");
  for (const std::string ports : {"write: 1", "write: 2", "write: 3"}) {
    const Architecture machine = loaded(replaced(text, "write: 2", ports));
    for (const auto& [rows, sum, results] : {std::tuple{48, 96, 80}, {20, 200, 50}, {64, 64, 64}}) {
      const Network network = test::product(7, rows, sum, results);
      const Values inputs = seeded_inputs_of(network, 7);
      const Program program = compile(machine, to_numeric(machine, network, inputs));
      const std::string name = fmt::format("{}x{}x{}, {}", rows, sum, results, ports);
      const std::size_t close = tally.close;
      hold(tally, "tile registers", name, machine, program, inputs);
      if (ports != "write: 1") CHECK_MESSAGE(tally.close > close, name);
    }
  }
}

}  // namespace

TEST_CASE("does transaction agree with cycle, and do all fidelities leave the same values") {
  Tally tally;
  hold_shipped(tally);
  hold_changed(tally);
  hold_benches(tally);
  hold_tile_registers(tally);
  MESSAGE("seeds from ", first_seed(), ": ", tally.close, " of ", tally.programs, " programs within ", close_percent,
          " %");
  CHECK(tally.close >= least_close);
  CHECK(static_cast<double>(tally.close) >= least_share * static_cast<double>(tally.programs));
}

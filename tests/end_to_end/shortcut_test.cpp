// Does the simulator find the same where it keeps nothing of what repeats?
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/numeric.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_machines.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

SimulateResult simulated(const Architecture& machine, const Program& program, const Values& inputs, bool shortcuts) {
  SimulateOptions options;
  options.shortcuts = shortcuts;
  return simulate(machine, program, inputs, options);
}

void check_equal(const SimulateResult& with, const SimulateResult& without) {
  CHECK(with.total_cycles == without.total_cycles);
  CHECK(with.instructions == without.instructions);
  CHECK(with.stalls == without.stalls);
  CHECK(with.link_bytes == without.link_bytes);
  CHECK(with.energy_shares == without.energy_shares);
  CHECK(with.hazards.size() == without.hazards.size());
  CHECK(with.broken_invariants.empty());
  CHECK(without.broken_invariants.empty());
  REQUIRE(with.layers.size() == without.layers.size());
  for (std::size_t l = 0; l < with.layers.size(); ++l) {
    CHECK(with.layers[l].cycles == without.layers[l].cycles);
    CHECK(with.layers[l].overlap == without.layers[l].overlap);
    CHECK(with.layers[l].stalls == without.layers[l].stalls);
  }
  REQUIRE(with.outputs.size() == without.outputs.size());
  for (const auto& [name, value] : with.outputs) CHECK(value.data == without.outputs.at(name).data);
}

/// False where the machine is too small for the network.
bool hold(const Architecture& machine, std::uint64_t seed) {
  std::string what;
  const Network network = random_network(seed, what);
  const Values inputs = seeded_inputs_of(network, seed);
  INFO(machine.name << ", seed " << seed << ": " << what);
  try {
    const Program program = compile(machine, to_numeric(machine, network, inputs));
    check_equal(simulated(machine, program, inputs, true), simulated(machine, program, inputs, false));
    return true;
  } catch (const Error& error) {
    MESSAGE(machine.name, ", seed ", seed, ": ", std::string(error.what()));
    return false;
  }
}

}  // namespace

TEST_CASE("do shortcuts change no figure and no value") {
  std::size_t held = 0;
  for (const auto& name : shipped_names()) {
    const std::uint64_t last = first_seed() + asked("ACCORD_RANDOM_PROGRAMS", 2);
    for (std::uint64_t seed = first_seed(); seed < last; ++seed) {
      held += hold(machine(name), seed * 41 + name.size());
      const LoadResult changed = load_text(random_covenant(name, seed));
      if (changed.architecture) held += hold(*changed.architecture, seed * 43 + name.size());
    }
  }
  MESSAGE(held, " programs, seeds from ", first_seed());
  CHECK(held >= 40);
}

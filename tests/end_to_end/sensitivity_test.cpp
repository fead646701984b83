// Does the prediction from one recorded run agree with real runs of the same binary on the changed machine?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "archdsl/graph/components.h"
#include "cli/numeric.h"
#include "compiler/compile.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t sensitivity_seed = 2026;
constexpr int wanted = 100;
constexpr double tolerance = 0.10;     ///< of the real change
constexpr double floor_share = 0.001;  ///< of the total: differences below it are no error

const std::vector<std::string> tried = {"gemmini16",   "dnnweaver64", "hvx",      "bf16npu", "vta",         "tpu_v1",
                                        "genesys",     "nvdla_small", "simba",    "eyeriss", "nvdla_large", "tpu_v4",
                                        "avx512_vnni", "ethos_u55",   "timeloop", "onnxim",  "gemmini16x4"};

/// That of the name, or all elements of an array (`core[*].spad`).
template <class Component>
std::vector<Component*> named(std::vector<Component>& components, const std::string& name) {
  std::vector<Component*> found;
  for (Component& component : components) {
    if (component.name == name || without_indices(component.name) == name) found.push_back(&component);
  }
  return found;
}

Formula halved(const Formula& formula, const Capability& capability) {
  std::vector<std::string> variables;
  for (const CapabilityDim& dim : capability.dims) variables.push_back(dim.name);
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    if (capability.operands[o].held) variables.push_back(capability.program.operands[o].name + ".load");
  }
  return formula.text().empty() ? formula : Formula("ceil_div(" + formula.text() + ", 2)", variables);
}

void change_unit(Unit& unit, const std::string& change) {
  if (change == "set-up zero") unit.setup = 0;
  if (change == "twice as many requests in flight") unit.in_flight *= 2;
  if (change == "queue twice as long") unit.queue *= 2;
  for (Capability& capability : unit.capabilities) {
    if (change == "interval halved") capability.interval = halved(capability.interval, capability);
    if (change == "start and drain zero") capability.start = capability.drain = Formula();
  }
  if (change == "clock domain crossings zero") {
    for (Route& route : unit.routes) route.crossing = 0;
  }
}

void change_memory(Memory& memory, const std::string& change) {
  if (change == "latency zero") memory.latency = 0;
  if (change == "twice as many ports") {
    memory.read_ports *= 2;
    memory.write_ports *= 2;
  }
}

void change_link(Link& link, const std::string& change) {
  if (change == "twice as wide") link.width *= 2;
  if (change == "latency zero") link.latency = 0;
}

/// The machine with that one thing changed; false where it is none that a covenant has (a private wire).
bool apply(Architecture& machine, const Explanation::Sensitivity& row) {
  const auto units = named(machine.units, row.component);
  const auto memories = named(machine.memories, row.component);
  const auto links = named(machine.links, row.component);
  for (Unit* const unit : units) change_unit(*unit, row.change);
  for (Memory* const memory : memories) change_memory(*memory, row.change);
  for (Link* const link : links) change_link(*link, row.change);
  if (!units.empty() || !memories.empty() || !links.empty()) return true;
  if (row.component == machine.controller.name) {
    Controller& controller = machine.controller;
    if (row.change == "latency zero") controller.latency = 0;
    if (row.change == "twice as many interlock entries") machine.sync.entries *= 2;
    if (row.change == "issue twice as wide") controller.issue_width *= 2;
    if (row.change == "issue interval halved") controller.issue_interval = (controller.issue_interval + 1) / 2;
    return true;
  }
  return false;
}

struct Recorded {
  Architecture machine;
  Program program;
  Values inputs;
  SimulateResult result;
};

/// A network on a machine, run once with its dependences recorded.
Recorded record(const std::string& name, const Network& network) {
  Recorded recorded{machine(name), {}, seeded_inputs_of(network, sensitivity_seed), {}};
  const Network numeric = to_numeric(recorded.machine, network, recorded.inputs);
  recorded.program = compile(recorded.machine, numeric, {});
  SimulateOptions options;
  options.sensitivities = true;
  recorded.result = simulate(recorded.machine, recorded.program, recorded.inputs, options);
  CHECK(recorded.result.broken_invariants.empty());
  return recorded;
}

std::int64_t rerun(const Recorded& recorded, const Explanation::Sensitivity& row) {
  Architecture changed = recorded.machine;
  if (!apply(changed, row)) return -1;
  return simulate(changed, recorded.program, recorded.inputs, {}).total_cycles;
}

/// By how much the prediction misses, as a share of what really changed.
double error(std::int64_t total, std::int64_t predicted, std::int64_t real) {
  const auto miss = static_cast<double>(std::abs(predicted - real));
  if (miss <= std::max(2.0, floor_share * static_cast<double>(total))) return 0;
  return miss / std::max(1.0, static_cast<double>(std::abs(real - total)));
}

}  // namespace

TEST_CASE("do predicted sensitivities agree with real runs on changed machines") {
  Draw draw(sensitivity_seed);
  const auto networks = small_networks(sensitivity_seed);
  std::map<std::pair<std::size_t, std::size_t>, Recorded> runs;
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> drawn;
  std::vector<double> errors;
  std::vector<std::string> lines;
  for (int tries = 0; static_cast<int>(errors.size()) < wanted && tries < 40 * wanted; ++tries) {
    const auto m = static_cast<std::size_t>(draw.from(0, std::ssize(tried) - 1));
    const auto n = static_cast<std::size_t>(draw.from(0, std::ssize(networks) - 1));
    auto run = runs.find({m, n});
    if (run == runs.end()) run = runs.emplace(std::pair(m, n), record(tried[m], networks[n].network)).first;
    const Recorded& recorded = run->second;
    const auto& rows = recorded.result.explanation->sensitivities;
    if (rows.empty()) continue;
    const auto r = static_cast<std::size_t>(draw.from(0, std::ssize(rows) - 1));
    if (!drawn.emplace(m, n, r).second) continue;
    const auto& row = rows[r];
    const std::int64_t total = recorded.result.total_cycles, real = rerun(recorded, row);
    // Changes that neither say matters would only flatter.
    const std::int64_t gain = std::max(std::abs(total - real), std::abs(total - row.total_cycles));
    if (real < 0 || static_cast<double>(gain) <= std::max(2.0, floor_share * static_cast<double>(total))) continue;
    errors.push_back(error(total, row.total_cycles, real));
    lines.push_back(fmt::format("{:>6.1f}%  {} on {}: {} {}: {} -> {}, predicted {}", 100 * errors.back(),
                                networks[n].name, tried[m], row.component, row.change, total, real, row.total_cycles));
  }
  std::ranges::sort(lines);
  std::ranges::sort(errors);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  MESSAGE("seed " << sensitivity_seed << "\n" << text);
  REQUIRE(static_cast<int>(errors.size()) == wanted);
  const auto within = std::ranges::upper_bound(errors, tolerance) - errors.begin();
  MESSAGE("within 10 %: " << within << " of " << wanted << "; median error " << 100 * errors[wanted / 2]
                          << " %, 90th percentile " << 100 * errors[wanted * 9 / 10] << " %");
  CHECK(within >= 80);
}

TEST_CASE("is half an interval predicted where words pass as long, longer and shorter") {
  const std::string covenant = std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/read_as_long.yaml";
  const auto with = [&](int word, int interval) {
    LoadResult loaded =
        load_architecture(covenant, {{"word", std::to_string(word)}, {"interval", std::to_string(interval)}});
    REQUIRE(loaded.architecture);
    return std::move(*loaded.architecture);
  };
  std::string text = ".image buf 0 zeros 65536\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("dbl x={}, y={}, n=256\n", i % 4 * 256, (i % 4 + 1) * 256);
  for (const int word : {4, 8, 16, 32}) {
    for (const int interval : {8, 16, 24, 32, 40, 64, 96}) {
      CAPTURE(word);
      CAPTURE(interval);
      const Architecture machine = with(word, interval);
      SimulateOptions options;
      options.sensitivities = true;
      const SimulateResult result = simulate(machine, assemble(machine, text, "dbl.s"), {}, options);
      const Architecture quicker = with(word, interval / 2);
      const std::int64_t real = simulate(quicker, assemble(quicker, text, "dbl.s"), {}, {}).total_cycles;
      for (const auto& row : result.explanation->sensitivities) {
        if (row.component != "alu" || row.change != "interval halved") continue;
        CHECK(row.total_cycles <= result.total_cycles);
        CHECK(row.total_cycles == doctest::Approx(real).epsilon(0.05));
      }
    }
  }
}

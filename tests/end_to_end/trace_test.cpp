// Does the Chrome trace say what the report says, on random programs of random machines?
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"
#include "cli/architecture.h"
#include "cli/numeric.h"
#include "cli/scratch_file.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_machines.h"
#include "tests/environment.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

using nlohmann::json;

constexpr std::int64_t open_end = std::numeric_limits<std::int64_t>::max();

struct Slice {
  std::string name;
  std::int64_t from = 0, until = 0;
};

/// One track's slices: those written whole do not overlap, and lie within those that have begun and not ended.
struct Track {
  std::vector<Slice> whole, ended;
  std::vector<Slice> open;

  void begin(const std::string& name, std::int64_t at) {
    CHECK(at >= last_end());
    open.push_back({name, at, open_end});
  }
  void end(std::int64_t at) {
    REQUIRE(!open.empty());
    CHECK(at >= std::max(last_end(), open.back().from));
    ended.push_back({open.back().name, open.back().from, at});
    open.pop_back();
  }
  void add(const std::string& name, std::int64_t from, std::int64_t length) {
    CHECK(length >= 0);
    CHECK(from >= last_end());
    if (!open.empty()) CHECK(from >= open.back().from);
    whole.push_back({name, from, from + length});
  }
  std::int64_t last_end() const {
    const std::int64_t whole_end = whole.empty() ? 0 : whole.back().until;
    return ended.empty() ? whole_end : std::max(whole_end, ended.back().until);
  }
};

using Counter = std::vector<std::pair<std::int64_t, double>>;  ///< values, each from a cycle on

/// The events of a file by name: PROCESS/THREAD, PROCESS/COUNTER.
struct Trace {
  std::map<std::string, Track> tracks;
  std::map<std::string, Counter> counters;
};

Trace read_trace(const std::filesystem::path& file) {
  std::ifstream in(file);
  const json events = json::parse(in).at("traceEvents");
  std::map<int, std::string> processes, threads;
  Trace trace;
  for (const json& event : events) {
    const std::string phase = event.at("ph");
    const int process = event.at("pid"), thread = event.value("tid", 0);
    if (phase == "M") {
      if (event.at("name") == "process_name") processes[process] = event.at("args").at("name");
      if (event.at("name") == "thread_name") {
        threads[thread] = processes.at(process) + "/" + event.at("args").at("name").get<std::string>();
        CHECK(trace.tracks.emplace(threads[thread], Track()).second);
      }
      continue;
    }
    const std::int64_t at = event.at("ts");
    if (phase == "C") {
      const std::string name = processes.at(process) + "/" + event.at("name").get<std::string>();
      REQUIRE(event.at("args").size() == 1);
      trace.counters[name].emplace_back(at, event.at("args").begin()->get<double>());
      continue;
    }
    REQUIRE(threads.contains(thread));
    Track& track = trace.tracks.at(threads.at(thread));
    if (phase == "B") track.begin(event.at("name"), at);
    if (phase == "E") track.end(at);
    if (phase == "X") track.add(event.at("name"), at, event.at("dur"));
    CHECK_MESSAGE(std::string("BEX").find(phase) != std::string::npos, "an event that is not expected: ", event.dump());
  }
  for (const auto& [name, track] : trace.tracks) CHECK_MESSAGE(track.open.empty(), name);
  return trace;
}

double integral(const Counter& counter) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < counter.size(); ++i)
    sum += counter[i].second * static_cast<double>(counter[i + 1].first - counter[i].first);
  return sum;
}

/// Begins with the run, changes with every entry, ends at 0 by the run's end, and never goes beyond `most`.
void check_counter(const Counter& counter, std::int64_t total, double most) {
  REQUIRE(!counter.empty());
  CHECK(counter.front().first == 0);
  CHECK(counter.back().first <= total);
  CHECK(counter.back().second == 0);
  for (std::size_t i = 0; i < counter.size(); ++i) {
    CHECK(counter[i].second >= 0);
    CHECK(counter[i].second <= most);
    if (i > 0) CHECK(counter[i].first > counter[i - 1].first);
    if (i > 0) CHECK(counter[i].second != counter[i - 1].second);
  }
}

void check_layer_slices(const Trace& trace, const Program& program, const SimulateResult& result) {
  std::map<std::string, std::int64_t> cycles, expected;
  std::int64_t at = 0;
  for (const Slice& slice : trace.tracks.at("program/layers").whole) {
    CHECK(slice.from == at);
    at = slice.until;
    cycles[slice.name] += slice.until - slice.from;
  }
  CHECK(at == result.total_cycles);
  for (std::size_t i = 0; i < program.layers.size(); ++i) expected[program.layers[i].name] += result.layers[i].cycles;
  for (const auto& [name, count] : expected) CHECK_MESSAGE(cycles[name] == count, name);
}

void check_states(const Trace& trace, const SimulateResult& result) {
  for (const auto& [component, leaves] : result.stalls) {
    StallLeaves told;
    for (const Slice& slice : trace.tracks.at(component + "/state").whole) told[slice.name] += slice.until - slice.from;
    StallLeaves wanted = leaves;
    wanted.erase("nothing to do");
    CHECK_MESSAGE(told == wanted, component);
  }
}

/// Every operation lies in its layer's slice and its statement's.
void check_operations(const Trace& trace, const Architecture& machine, const Program& program,
                      const SimulateResult& result) {
  std::set<std::string> layers, statements;
  for (const Layer& layer : program.layers) layers.insert(layer.name);
  for (const MapEntry& entry : program.map) statements.insert(entry.statement);
  for (const Unit& unit : machine.units) {
    const Track& track = trace.tracks.at(unit.name + "/operations");
    CHECK(track.last_end() <= result.total_cycles);
    std::int64_t in_layers = 0, in_operations = 0;
    for (const Slice& slice : track.ended) {
      const bool layer = layers.contains(slice.name);
      CHECK((layer || statements.contains(slice.name)));
      if (layer) in_layers += slice.until - slice.from;
    }
    for (const Slice& slice : track.whole) in_operations += slice.until - slice.from;
    CHECK(in_operations <= in_layers);
    CHECK(in_layers <= result.total_cycles);
  }
}

void check_counters(const Trace& trace, const Architecture& machine, const SimulateResult& result) {
  const std::int64_t total = result.total_cycles;
  for (const Link& link : machine.links) {
    const Counter& counter = trace.counters.at(link.name + "/bandwidth");
    check_counter(counter, total, std::numeric_limits<double>::max());
    CHECK(integral(counter) == doctest::Approx(static_cast<double>(result.link_bytes.at(link.name))).epsilon(1e-9));
  }
  for (const Memory& memory : machine.memories) {
    const std::string name = memory.name + "/in use";
    CHECK(trace.counters.contains(name) == !memory.off_chip);
    if (!memory.off_chip) check_counter(trace.counters.at(name), total, static_cast<double>(memory.capacity));
  }
  for (const Unit& unit : machine.units) {
    const std::string name = unit.name + "/queue";
    CHECK(trace.counters.contains(name) == (machine.sync.kind != Sync::Kind::in_order));
    if (trace.counters.contains(name)) check_counter(trace.counters.at(name), total, std::max(1, unit.queue));
  }
}

/// False where the program is too large for the fidelity.
bool check_run(const Architecture& machine, const Program& program, const Values& inputs, Fidelity fidelity) {
  const ScratchFile file;
  SimulateOptions options;
  options.fidelity = fidelity;
  options.trace = file.path();
  try {
    const SimulateResult result = simulate(machine, program, inputs, options);
    const Trace trace = read_trace(file.path());
    check_layer_slices(trace, program, result);
    check_states(trace, result);
    check_operations(trace, machine, program, result);
    check_counters(trace, machine, result);
    return true;
  } catch (const Error& error) {
    MESSAGE(machine.name, ": ", std::string(error.what()));
    return false;
  }
}

/// A random network on a shipped machine (seed 0) or one with some numbers changed; how many runs were held.
int check_machine(const std::string& name, std::uint64_t seed, std::uint64_t changed) {
  const std::string covenant = changed > 0 ? random_covenant(name, changed) : file_text(find_covenant(name));
  const LoadResult loaded = load_text(covenant);
  if (!loaded.architecture) return 0;
  const Architecture& machine = *loaded.architecture;
  std::string what;
  const Network network = random_network(seed, what);
  const Values inputs = seeded_inputs_of(network, seed);
  CAPTURE(name);
  CAPTURE(seed);
  CAPTURE(what);
  Program program;
  try {
    program = compile(machine, to_numeric(machine, network, inputs));
  } catch (const Error& error) {
    MESSAGE(name, ", seed ", seed, ": ", std::string(error.what()));  // too small for anything
    return 0;
  }
  return check_run(machine, program, inputs, Fidelity::transaction) +
         check_run(machine, program, inputs, Fidelity::cycle);
}

}  // namespace

TEST_CASE("does the trace of a random program say what its report says") {
  const std::uint64_t first = first_seed();
  int runs = 0;
  for (const std::string name : {"gemmini16", "gemmini16x4", "dnnweaver64", "vta", "hvx", "simba", "tpu_v1"}) {
    for (const std::uint64_t changed : {std::uint64_t{0}, first})
      runs += check_machine(name, first * 41 + name.size(), changed);
  }
  MESSAGE("seeds from ", first, ": ", runs, " runs");
  CHECK(runs >= 10);
}

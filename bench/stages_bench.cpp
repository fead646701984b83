// How long does each main stage take? One benchmark per stage, on gemmini16 and small networks.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>
#include <string>

#include "archdsl/check/load.h"
#include "archdsl/export/show.h"
#include "archdsl/isa/program.h"
#include "cli/architecture.h"
#include "cli/inputs.h"
#include "cli/numeric.h"
#include "cli/scratch_file.h"
#include "compiler/compile.h"
#include "compiler/frontends/load_model.h"
#include "compiler/frontends/zoo.h"
#include "compiler/network/canonicalise.h"
#include "compiler/reference/execute.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/small_networks.h"

namespace {

using namespace accord;

/// A layer of ResNet's second stage: 64 -> 64 channels, 3x3, 28x28.
Network conv_network() {
  test::NetworkBuilder builder(1);
  return builder.finish(builder.relu(builder.conv(builder.input({1, 64, 28, 28}), 64, 3, 1, 1)));
}

/// What the later stages start from.
struct Fixture {
  Architecture architecture = load_or_report({default_accelerator, {}});
  Network canonical = conv_network();
  Values inputs = seeded_inputs_of(canonical, 1);
  Network numeric = to_numeric(architecture, canonical, inputs);
};

void load_covenant(benchmark::State& state) {
  const auto file = find_covenant(default_accelerator);
  for (auto _ : state) benchmark::DoNotOptimize(load_architecture(file));
}
BENCHMARK(load_covenant)->Unit(benchmark::kMillisecond);

/// A mesh of side x side cores: 434 components at 8, 10034 at 38.
void load_mesh(benchmark::State& state) {
  const std::filesystem::path file = ACCORD_SOURCE_DIR "/tests/accept/mesh_of_64_cores.yaml";
  const std::map<std::string, std::string> overrides = {{"side", std::to_string(state.range(0))}};
  for (auto _ : state) benchmark::DoNotOptimize(load_architecture(file, overrides));
}
BENCHMARK(load_mesh)->Arg(8)->Arg(38)->Unit(benchmark::kMillisecond);

void draw_mesh(benchmark::State& state) {
  const std::filesystem::path file = ACCORD_SOURCE_DIR "/tests/accept/mesh_of_64_cores.yaml";
  const std::map<std::string, std::string> overrides = {{"side", std::to_string(state.range(0))}};
  const Architecture architecture = load_architecture(file, overrides).architecture.value();
  for (auto _ : state) benchmark::DoNotOptimize(to_dot(architecture));
}
BENCHMARK(draw_mesh)->Arg(8)->Arg(38)->Unit(benchmark::kMillisecond);

void import_mobilenet(benchmark::State& state) {
  const ScratchFile file;
  write_zoo("mobilenet_v2", file.path());
  for (auto _ : state) {
    auto network = load_model(file.path());
    canonicalise(network);
    benchmark::DoNotOptimize(network);
  }
}
BENCHMARK(import_mobilenet)->Unit(benchmark::kMillisecond);

void quantise_network(benchmark::State& state) {
  const Fixture fixture;
  for (auto _ : state) {
    benchmark::DoNotOptimize(to_numeric(fixture.architecture, fixture.canonical, fixture.inputs));
  }
}
BENCHMARK(quantise_network)->Unit(benchmark::kMillisecond);

void reference(benchmark::State& state) {
  const Fixture fixture;
  for (auto _ : state)
    benchmark::DoNotOptimize(execute(fixture.numeric, fixture.inputs, {.threads = 1, .observer = {}}));
}
BENCHMARK(reference)->Unit(benchmark::kMillisecond);

void compile_network(benchmark::State& state) {
  const Fixture fixture;
  for (auto _ : state) benchmark::DoNotOptimize(compile(fixture.architecture, fixture.numeric));
}
BENCHMARK(compile_network)->Unit(benchmark::kMillisecond);

void assemble_program(benchmark::State& state) {
  const Fixture fixture;
  const auto text = disassemble(fixture.architecture, compile(fixture.architecture, fixture.numeric));
  for (auto _ : state) benchmark::DoNotOptimize(assemble(fixture.architecture, text, "bench"));
}
BENCHMARK(assemble_program)->Unit(benchmark::kMillisecond);

void simulate_program(benchmark::State& state) {
  const Fixture fixture;
  const auto program = compile(fixture.architecture, fixture.numeric);
  SimulateOptions options;
  options.fidelity = state.range(0) == 0 ? Fidelity::function : Fidelity::transaction;
  std::int64_t instructions = 0;
  for (auto _ : state) instructions += simulate(fixture.architecture, program, fixture.inputs, options).instructions;
  state.counters["instructions/s"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}
BENCHMARK(simulate_program)->ArgName("transaction")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

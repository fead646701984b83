#include "cli/main_job.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "cli/measure.h"
#include "cli/numeric.h"
#include "cli/own_operators.h"
#include "cli/reference_run.h"
#include "cli/scratch_file.h"
#include "cli/stopwatch.h"
#include "compiler/compilation.h"

namespace accord {

namespace {

constexpr std::size_t reference_budget = std::size_t{512} << 20;

std::map<std::string, Delivery> deliveries(const Program& program) {
  std::map<std::string, const Symbol*> symbols;
  for (const auto& symbol : program.symbols) symbols.emplace(symbol.name, &symbol);
  std::map<std::string, Delivery> all;
  for (const auto& layer : program.layers) {
    for (const auto& name : layer.outputs) {
      const auto symbol = symbols.find(name);
      const bool part = symbol != symbols.end() && !symbol->second->whole.empty();
      all[name] = part ? Delivery{symbol->second->whole, symbol->second->origin, symbol->second->shape}
                       : Delivery{name, {}, {}};
    }
  }
  return all;
}

void show(const MainJobOptions& options, const std::string& text) {
  if (options.progress) options.progress(text);
}

/// Compiles and reads the program back from its file: what is simulated is what the file holds. `compiled`: the network
/// with what the compiler made of it.
Program compile_to_file(const Architecture& architecture, const Network& numeric, const MainJobOptions& options,
                        const std::filesystem::path& file, Network& compiled) {
  CompileOptions compile_options;
  compile_options.searcher = options.searcher;
  compile_options.dump_after = options.dump_after;
  compile_options.dump = options.dump;
  compile_options.fuse = options.fuse;
  compile_options.measure = measure_cycles;
  compile_options.progress = [&](const std::string& pass, int done, int total) {
    show(options, fmt::format("compile: {} {}/{}", pass, done, total));
  };
  Compilation compilation(architecture, numeric, compile_options);
  write_program(compile_layers(compilation), file);
  compiled = std::move(compilation.network);
  return read_program(file);
}

SimulateResult simulate_into(const Architecture& architecture, const Program& program, const Values& inputs,
                             const MainJobOptions& options, Verifier& verifier, OwnOperators& own) {
  SimulateOptions simulate_options;
  simulate_options.fidelity = options.fidelity;
  request(options.recordings, simulate_options);
  simulate_options.on_layer = [&](int layer, const Values& outputs) {
    show(options, fmt::format("simulate: layer {}/{} {}", layer + 1, program.layers.size(),
                              program.layers[static_cast<std::size_t>(layer)].name));
    if (!options.verify) return;
    for (const auto& [name, value] : outputs) {
      own.from_machine(name, value);
      verifier.from_machine(name, value);
    }
  };
  auto result = simulate(architecture, program, inputs, simulate_options);
  verifier.close();
  write_critical_path(options.recordings, architecture, program, result);
  return result;
}

/// A layer is verified when all tensors that it completes are.
void add_verdicts(RunReport& report, const Program& program, const std::map<std::string, TensorVerdict>& verdicts) {
  report.verified = true;
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    auto& layer = report.layers[i];
    layer.verified = true;
    for (const auto& name : program.layers[i].outputs) {
      const auto& verdict = verdicts.at(name);
      layer.mismatches += verdict.mismatches;
      if (verdict.ok()) continue;
      layer.verified = report.verified = false;
      layer.verdict += fmt::format("{}'{}': {}", layer.verdict.empty() ? "" : "; ", name, describe(verdict));
    }
    report.mismatches += layer.mismatches;
  }
}

}  // namespace

MainJobResult run_main_job(const Architecture& architecture, const Network& canonical, const Values& inputs,
                           const MainJobOptions& options) {
  const Stopwatch total;
  show(options, "calibrate");
  const Network numeric = to_numeric(architecture, canonical, inputs);
  const double numeric_s = total.seconds();

  const double tolerance = options.tolerance.value_or(default_tolerance(architecture.numerics.storage));
  Verifier verifier(tolerance, reference_budget);
  std::optional<ReferenceRun> reference;
  if (options.verify) reference.emplace(numeric, options.model ? *options.model : canonical, inputs, verifier);

  const Stopwatch compiling;
  const ScratchFile file(options.binary);
  Network compiled;
  const Program program = compile_to_file(architecture, numeric, options, file.path(), compiled);
  verifier.expect(deliveries(program));
  OwnOperators own(compiled, numeric, deliveries(program));
  const double compile_s = compiling.seconds();

  const Stopwatch simulating;
  auto result = simulate_into(architecture, program, inputs, options, verifier, own);
  MainJobResult job{make_report(architecture, program, result), std::move(result.outputs), {}};
  job.report.simulate_s = simulating.seconds();
  job.report.compile_s = numeric_s + compile_s;
  job.report.binary_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.path()));
  if (reference) {
    show(options, "reference");
    reference->finish();
    own.evaluate(inputs, verifier);
    add_verdicts(job.report, program, verifier.verdicts());
    job.report.tolerance = architecture.numerics.integer ? 0 : tolerance;
    job.report.reference_s = reference->seconds();
    job.fp32_outputs = reference->fp32_outputs();
  }
  job.report.warnings = numeric.warnings;
  job.report.total_s = total.seconds();
  return job;
}

}  // namespace accord

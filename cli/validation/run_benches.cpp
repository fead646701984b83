#include "cli/validation/run_benches.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "archdsl/check/load.h"
#include "archdsl/source/error.h"
#include "cli/measure.h"
#include "cli/model.h"
#include "cli/numeric.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"

namespace accord {

namespace {

constexpr std::size_t most_figures = 16;
constexpr std::size_t longest_reason = 512;

/// What a worker leaves where its parent sees it.
struct Slot {
  bool done;
  Ending ending;
  double values[most_figures];
  char reason[longest_reason];
};

/// Memory that parent and workers share: the next job to take, and a slot per job.
class SharedSlots {
 public:
  explicit SharedSlots(std::size_t jobs) : bytes_(sizeof(std::atomic<std::size_t>) + jobs * sizeof(Slot)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    next = new (memory_) std::atomic<std::size_t>(0);
    slots = reinterpret_cast<Slot*>(static_cast<std::byte*>(memory_) + sizeof(std::atomic<std::size_t>));
  }
  ~SharedSlots() { munmap(memory_, bytes_); }
  SharedSlots(const SharedSlots&) = delete;
  SharedSlots& operator=(const SharedSlots&) = delete;

  std::atomic<std::size_t>* next;
  Slot* slots;

 private:
  std::size_t bytes_;
  void* memory_;
};

std::string first_error(const LoadResult& loaded) {
  const auto error = std::ranges::find(loaded.diagnostics, Severity::error, &Diagnostic::severity);
  return error == loaded.diagnostics.end() ? "not a covenant" : render(*error);
}

/// A machine with the row's parameters, and the row's program on it.
struct Loaded {
  Architecture machine;
  Program program;
  Values inputs = {};
};

Loaded compiled(Architecture machine, const std::string& network) {
  LoadedModel model = load_chosen({network, {}, {}});
  CompileOptions options;
  options.measure = measure_cycles;
  Program program = compile(machine, to_numeric(machine, model.network, model.inputs), options);
  return {std::move(machine), std::move(program), std::move(model.inputs)};
}

Loaded load(const RunJob& job) {
  if (!job.refusal.empty()) throw Error(job.refusal);
  LoadResult loaded = load_architecture(job.machine, job.run.params);
  if (!loaded.architecture) throw Error(job.where + ": " + first_error(loaded));
  if (!job.run.network.empty()) return compiled(std::move(*loaded.architecture), job.run.network);
  Program program = assemble(*loaded.architecture, job.run.assembly, job.run.row);
  return {std::move(*loaded.architecture), std::move(program)};
}

bool counts(const Figure& figure, const Program& program, std::size_t layer) {
  if (figure.without.empty()) return std::ranges::find(figure.layers, static_cast<int>(layer)) != figure.layers.end();
  return std::ranges::find(figure.without, program.layers[layer].name) == figure.without.end();
}

double share_of(const LayerResult& layer, const Figure& figure) {
  std::int64_t cycles = 0;
  for (const auto& [leaf, of_leaf] : layer.stalls.at(figure.component)) {
    if (leaf.starts_with(figure.leaf)) cycles += of_leaf;
  }
  return 100 * static_cast<double>(cycles) / static_cast<double>(std::max<std::int64_t>(1, layer.cycles));
}

double value_of(const LayerResult& layer, const Figure& figure) {
  switch (figure.kind) {
    case FigureKind::cycles: return static_cast<double>(layer.cycles);
    case FigureKind::energy: return layer.energy_pj * 1e-6;
    case FigureKind::share: return share_of(layer, figure);
  }
  return 0;
}

std::vector<double> values_of(const Loaded& loaded, const std::vector<Figure>& figures) {
  const SimulateResult result = simulate(loaded.machine, loaded.program, loaded.inputs);
  if (!result.hazards.empty()) throw Error(fmt::format("{}: {}", result.hazards[0].kind, result.hazards[0].message));
  if (!result.broken_invariants.empty()) throw Error(result.broken_invariants[0]);
  std::vector<double> values;
  for (const Figure& figure : figures) {
    values.push_back(0);
    for (std::size_t layer = 0; layer < result.layers.size(); ++layer) {
      if (counts(figure, loaded.program, layer)) values.back() += value_of(result.layers[layer], figure);
    }
  }
  return values;
}

void run_into(const RunJob& job, Slot& slot) {
  slot.ending = Ending::refused;
  try {
    const Loaded loaded = load(job);
    slot.ending = Ending::failed;
    const std::vector<double> values = values_of(loaded, job.run.figures);
    std::ranges::copy(values, slot.values);
    slot.ending = Ending::compared;
  } catch (const std::exception& error) {
    std::strncpy(slot.reason, error.what(), longest_reason - 1);
  }
  slot.done = true;
}

[[noreturn]] void work(const std::vector<RunJob>& jobs, SharedSlots& shared) {
  for (std::size_t j = (*shared.next)++; j < jobs.size(); j = (*shared.next)++) run_into(jobs[j], shared.slots[j]);
  _exit(0);
}

RunOutcome outcome_of(const RunJob& job, const Slot& slot) {
  if (!slot.done) return {Ending::failed, {}, "the simulation ended before its time"};
  if (slot.ending != Ending::compared) return {slot.ending, {}, slot.reason};
  return {Ending::compared, {slot.values, slot.values + job.run.figures.size()}, {}};
}

}  // namespace

std::vector<RunOutcome> run_jobs(const std::vector<RunJob>& jobs, int workers) {
  SharedSlots shared(jobs.size());
  std::vector<pid_t> children;
  for (int w = 0; w < workers; ++w) {
    const pid_t child = fork();
    if (child == 0) work(jobs, shared);
    if (child > 0) children.push_back(child);
  }
  if (children.empty()) throw Error("cannot start a process to simulate in");
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  std::vector<RunOutcome> outcomes;
  for (std::size_t j = 0; j < jobs.size(); ++j) outcomes.push_back(outcome_of(jobs[j], shared.slots[j]));
  return outcomes;
}

}  // namespace accord

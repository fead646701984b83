// How far is the default search from the optimum? Draws small layers, maps each with the default searcher and with the
// exhaustive one, and simulates both.
//
//     accord_gap [PROBLEMS [SEED]]
//
// The optimum is the quickest, when simulated, of the exhaustive search's `candidates` best mappings by prediction and
// the default's own. Layers with too many mappings to search are drawn anew. Definitions: docs/figures.md.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "cli/architecture.h"
#include "cli/inputs.h"
#include "cli/measure.h"
#include "compiler/compile.h"
#include "compiler/mapping/exhaustive_searcher.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/random_layers.h"

namespace {

using namespace accord;

constexpr std::size_t candidates_simulated = 12;
constexpr std::int64_t most_mappings = 60'000;
const std::vector<std::string> machines = {"gemmini16", "dnnweaver64", "hvx", "bf16npu", "vta", "nvdla_small"};

/// Keeps what another searcher found.
class Recorder : public Searcher {
 public:
  explicit Recorder(std::shared_ptr<const Searcher> searcher) : searcher_(std::move(searcher)) {}
  SearchResult search(const SearchProblem& problem) const override { return result = searcher_->search(problem); }
  mutable SearchResult result;

 private:
  std::shared_ptr<const Searcher> searcher_;
};

/// Gives one mapping back.
class Chosen : public Searcher {
 public:
  explicit Chosen(SearchResult::Found found) : found_(std::move(found)) {}
  SearchResult search(const SearchProblem&) const override { return {{found_}, {}}; }

 private:
  SearchResult::Found found_;
};

struct Problem {
  std::string what;
  std::int64_t found = 0;
  std::int64_t optimum = 0;
  double gap() const { return static_cast<double>(found) / static_cast<double>(optimum) - 1; }
};

std::optional<std::int64_t> cycles_of(const Architecture& architecture, const Network& network,
                                      std::shared_ptr<const Searcher> searcher) {
  CompileOptions options;
  options.searcher = std::move(searcher);
  options.measure = measure_cycles;
  const Program program = compile(architecture, network, options);
  if (program.layers.back().placed_on == "host") return std::nullopt;
  return simulate(architecture, program, seeded_inputs_of(network, 1)).total_cycles;
}

/// Nothing where the layer goes to the host or has too many mappings.
std::optional<Problem> solve(const Architecture& architecture, const test::RandomLayer& layer) {
  const auto found = cycles_of(architecture, layer.network, make_searcher("default"));
  if (!found) return std::nullopt;
  const auto all =
      std::make_shared<Recorder>(std::make_shared<ExhaustiveSearcher>(candidates_simulated, most_mappings));
  try {
    if (!cycles_of(architecture, layer.network, all)) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  Problem problem{layer.what, *found, *found};
  const std::size_t count = std::min(candidates_simulated, all->result.found.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto cycles = cycles_of(architecture, layer.network, std::make_shared<Chosen>(all->result.found[i]));
    if (cycles) problem.optimum = std::min(problem.optimum, *cycles);
  }
  return problem;
}

void print(const std::string& name, const std::vector<Problem>& problems) {
  if (problems.empty()) return;
  double sum = 0;
  const auto worst = std::max_element(problems.begin(), problems.end(),
                                      [](const Problem& a, const Problem& b) { return a.gap() < b.gap(); });
  for (const auto& problem : problems) sum += problem.gap();
  fmt::print("{:<12} {:>8} {:>8.2f} % {:>8.2f} %   {}: {} cycles, optimum {}\n", name, problems.size(),
             100 * sum / static_cast<double>(problems.size()), 100 * worst->gap(), worst->what, worst->found,
             worst->optimum);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 204;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::size_t each = (wanted + machines.size() - 1) / machines.size();
  std::vector<Problem> all;
  fmt::print("{:<12} {:>8} {:>10} {:>10}   worst\n", "machine", "problems", "mean gap", "worst gap");
  for (const auto& name : machines) {
    const Architecture architecture = load_or_report({name, {}});
    std::vector<Problem> problems;
    for (std::uint64_t s = seed; problems.size() < each && s < seed + 50 * each; ++s) {
      if (auto problem = solve(architecture, test::small_layer(architecture.numerics, s))) {
        problem->what = fmt::format("seed {}: {}", s, problem->what);
        problems.push_back(std::move(*problem));
      }
    }
    print(name, problems);
    all.insert(all.end(), problems.begin(), problems.end());
  }
  print("all", all);
  return 0;
}

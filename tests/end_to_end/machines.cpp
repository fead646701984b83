#include "tests/end_to_end/machines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "cli/architecture.h"
#include "cli/files.h"
#include "cli/scratch_file.h"
#include "compiler/compile.h"
#include "compiler/explore.h"
#include "tests/file_text.h"

namespace accord::test {

namespace {

std::int64_t sum(const StallLeaves& leaves) {
  std::int64_t total = 0;
  for (const auto& [leaf, cycles] : leaves) total += cycles;
  return total;
}

void check_stalls(const RunReport& report) {
  for (const auto& [component, leaves] : report.stalls) {
    CHECK_MESSAGE(sum(leaves) == report.total_cycles, component);
  }
  for (const auto& layer : report.layers) {
    if (!layer.stalls.empty()) CHECK_MESSAGE(sum(layer.stalls) == layer.cycles, layer.name);
  }
}

}  // namespace

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(ACCORD_SOURCE_DIR) + "/configs/accelerators")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Architecture machine(const std::string& name, const std::map<std::string, std::string>& overrides) {
  return load_or_report({name, overrides});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string edited(const std::string& name, const std::string& from, const std::string& to) {
  return replaced(file_text(find_covenant(name)), from, to);
}

std::string line_of(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find(begin);
  REQUIRE(at != std::string::npos);
  return text.substr(at, text.find('\n', at) + 1 - at);
}

LoadResult load_text(const std::string& covenant) {
  const ScratchFile file;
  write_text(file.path(), covenant);
  return load_architecture(file.path());
}

Architecture loaded(const std::string& covenant) {
  const LoadResult result = load_text(covenant);
  for (const auto& diagnostic : result.diagnostics) {
    if (!result.architecture) MESSAGE(render(diagnostic));
  }
  REQUIRE(result.architecture);
  return *result.architecture;
}

std::vector<NamedRun> layer_runs(const Architecture& architecture, const Network& network) {
  const CompileOptions options;
  Compilation compilation(architecture, network, options);
  std::vector<NamedRun> runs;
  for (const LayerChoices& layer : explore(compilation)) {
    const auto run = run_layer(compilation, layer);
    if (!run) continue;
    REQUIRE_MESSAGE(run->failure.empty(), layer.name);
    runs.push_back({layer.name, *run});
  }
  return runs;
}

MainJobResult run_checked(const Architecture& architecture, const Network& network, std::uint64_t seed) {
  auto job = run_main_job(architecture, network, seeded_inputs_of(network, seed));
  const auto& report = job.report;
  CHECK(report.verified == true);
  CHECK(report.mismatches == 0);
  for (const auto& layer : report.layers) {
    CHECK_MESSAGE(layer.verdict.empty(), layer.name, ": ", layer.verdict);
    CHECK_MESSAGE(layer.efficiency() <= 1, layer.name);
  }
  const auto first = report.hazards.empty() ? Hazard{} : report.hazards.front();
  CHECK_MESSAGE(report.hazards.empty(), first.kind, " at ", first.mnemonic, ": ", first.message);
  for (const auto& broken : report.broken_invariants) FAIL_CHECK(broken);
  check_stalls(report);
  return job;
}

}  // namespace accord::test

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "archdsl/check/load.h"
#include "cli/inputs.h"
#include "cli/layer_runs.h"
#include "cli/main_job.h"

namespace accord::test {

inline const std::vector<std::string> integer_machines = {"gemmini16", "dnnweaver64", "hvx"};
inline const std::vector<std::string> machines = {"gemmini16", "dnnweaver64", "hvx", "bf16npu"};

/// All shipped covenants, sorted.
std::vector<std::string> shipped_names();

/// A shipped covenant; the test fails where it does not load.
Architecture machine(const std::string& name, const std::map<std::string, std::string>& overrides = {});

/// The text with every occurrence of `from` replaced; the test fails where there is none.
std::string replaced(std::string text, const std::string& from, const std::string& to);
/// The same of a shipped covenant's text.
std::string edited(const std::string& name, const std::string& from, const std::string& to);
/// From these words to the end of their line; the test fails where they are not in the text.
std::string line_of(const std::string& text, const std::string& begin);
LoadResult load_text(const std::string& covenant);
/// The machine that the text describes; the test fails where it does not load.
Architecture loaded(const std::string& covenant);

/// A layer's name, and what its chosen mapping takes alone, predicted and simulated.
struct NamedRun {
  std::string name;
  LayerRun run;
};

/// Of all layers that the machine takes; the test fails where one cannot be encoded.
std::vector<NamedRun> layer_runs(const Architecture& architecture, const Network& network);

/// Runs the main job and checks all that holds of every run: verified, no hazard, invariants, stall leaves sum up,
/// no layer beats its bound.
MainJobResult run_checked(const Architecture& architecture, const Network& network, std::uint64_t seed);

}  // namespace accord::test

#include "tests/mutation/subjects.h"
#include "tests/file_text.h"

#include <algorithm>
#include <map>

#include "archdsl/source/error.h"
#include "cli/architecture.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/numeric.h"
#include "cli/scratch_file.h"
#include "compiler/compile.h"
#include "compiler/reference/execute.h"
#include "tests/end_to_end/small_networks.h"

namespace accord::test {

namespace {

/// A machine, or one with another line about its sync.
struct Machine {
  std::string name;
  std::string covenant;
  std::string sync = "";
  std::map<std::string, std::string> overrides = {};
};

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {
      {"gemmini16", "gemmini16"},
      {"gemmini16, semaphores", "gemmini16", "{semaphores: 16}"},
      {"gemmini16, in order", "gemmini16", "in_order"},
      {"gemmini16x4, two cores", "gemmini16x4", "", {{"cores", "2"}}},
      {"gemmini16x4, two cores, semaphores", "gemmini16x4", "{semaphores: {count: 32, max: 255}}", {{"cores", "2"}}},
      {"dnnweaver64", "dnnweaver64"},
      {"hvx", "hvx"},
      {"bf16npu", "bf16npu"},
      {"vta", "vta"},
      {"nvdla_small", "nvdla_small"},
      {"ethos_u55", "ethos_u55"},
      {"avx512_vnni", "avx512_vnni"},
  };
  return all;
}

Architecture load(const Machine& machine) {
  std::string text = file_text(find_covenant(machine.covenant));
  if (!machine.sync.empty()) {
    const auto line = text.find("\nsync: ") + 1;
    text.replace(line, text.find('\n', line) - line, "sync: " + machine.sync);
  }
  const ScratchFile file;
  write_text(file.path(), text);
  auto loaded = load_architecture(file.path(), machine.overrides);
  if (!loaded.architecture) throw Error(machine.name + " does not load");
  return *loaded.architecture;
}

}  // namespace

const std::vector<std::string>& mutation_machines() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Machine& machine : machines()) result.push_back(machine.name);
    return result;
  }();
  return names;
}

std::vector<Subject> subjects_of(const std::string& machine, std::uint64_t seed, std::size_t first, std::size_t step) {
  const Architecture architecture = load(*std::ranges::find(machines(), machine, &Machine::name));
  std::vector<Subject> subjects;
  const auto networks = small_networks(seed);
  for (std::size_t n = first % step; n < networks.size(); n += step) {
    const auto& [name, network] = networks[n];
    Subject subject{machine, name, architecture, {}, seeded_inputs_of(network, seed), {}, 0};
    const Network numeric = to_numeric(architecture, network, subject.inputs);
    subject.program = compile(architecture, numeric);
    if (subject.program.text.empty()) continue;
    run_original(subject, execute(numeric, subject.inputs));
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

}  // namespace accord::test

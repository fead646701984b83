#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/architecture.h"
#include "cli/recordings.h"
#include "cli/verifier.h"
#include "simulator/simulate.h"

namespace accord {

/// Exit status of every command (design 9).
enum class Exit { right = 0, user_error = 1, wrong_result = 2, own_fault = 3 };

struct CheckCommand {
  ArchitectureChoice choice;
  std::filesystem::path json;  ///< here and below: empty means none
};
Exit run_command(const CheckCommand& command);

struct ShowCommand {
  ArchitectureChoice choice;
  std::filesystem::path output;  ///< the extension says what: svg, dot, json, yaml, xml; empty: stdout
  bool memory_map = false;       ///< Markdown instead
  bool isa = false;              ///< Markdown instead
};
Exit run_command(const ShowCommand& command);

struct ZooCommand {
  std::string name;
  std::filesystem::path output;
  std::uint64_t seed = 0;
};
Exit run_command(const ZooCommand& command);

/// A model, and the tensors that go in and that should come out.
struct ModelChoice {
  std::string model;  ///< ONNX file, topology table, zoo name, or a folder with model.onnx, in0.npy.., out0.npy..
  std::vector<std::string> inputs;                   ///< NAME=F.npy
  std::vector<std::string> expected;                 ///< NAME=F.npy
  std::map<std::string, std::int64_t> dimensions{};  ///< of inputs, where they are dynamic
  std::uint64_t seed = 0;                            ///< of inputs (and weights) that are not given
};

/// Who chooses tiles and loop orders.
struct SearcherChoice {
  std::string name = "default";
  std::optional<std::uint64_t> seed;  ///< of the random one alone
};

struct CompileCommand {
  ArchitectureChoice choice;
  ModelChoice model;
  SearcherChoice searcher;
  bool fuse = true;  ///< results may stay on chip between layers
  std::filesystem::path output;
  std::filesystem::path json;
  bool report = false;
  std::vector<std::string> dump_after;
  bool progress = false;
};
Exit run_command(const CompileCommand& command);

struct MapCommand {
  ArchitectureChoice choice;
  ModelChoice model;
  SearcherChoice searcher;
  std::string layer;       ///< its result's or an operator's name; empty: all
  bool explain = false;    ///< all assignments, not only the chosen one
  bool calibrate = false;  ///< simulate each layer's choice
  bool progress = false;
  std::filesystem::path json;
};
Exit run_command(const MapCommand& command);

struct SimCommand {
  ArchitectureChoice choice;
  std::filesystem::path program;
  std::vector<std::string> inputs;   ///< NAME=F.npy
  std::vector<std::string> outputs;  ///< NAME=F.npy, written
  std::uint64_t seed = 0;
  Fidelity fidelity = Fidelity::transaction;
  bool check_hazards = true;
  bool shortcuts = true;
  bool values = true;  ///< false: time only, without hazard checks
  std::int64_t most_cycles = SimulateOptions{}.most_cycles;
  Recordings recordings;
  std::filesystem::path json;
};
Exit run_command(const SimCommand& command);

struct RunCommand {
  ArchitectureChoice choice;
  ModelChoice model;
  SearcherChoice searcher;
  bool fuse = true;  ///< results may stay on chip between layers
  Fidelity fidelity = Fidelity::transaction;
  std::optional<double> tolerance;  ///< of a layer's greatest value, on float machines
  bool verify = true;
  bool reference_only = false;
  bool progress = false;
  std::vector<std::string> dump_after;
  std::filesystem::path output;  ///< the binary
  Recordings recordings;
  std::filesystem::path report;
  std::filesystem::path json;
};
Exit run_command(const RunCommand& command);

struct AsmCommand {
  ArchitectureChoice choice;
  std::filesystem::path source;
  std::filesystem::path output;
};
Exit run_command(const AsmCommand& command);

struct DisasmCommand {
  ArchitectureChoice choice;
  std::filesystem::path program;
  std::filesystem::path output;  ///< empty: stdout
};
Exit run_command(const DisasmCommand& command);

/// Reruns the benches whose cycles were measured or published elsewhere, and compares.
struct ValidateCommand {
  std::vector<std::string> benches;  ///< empty: all
  std::filesystem::path table;       ///< rows to run instead of the shipped ones; its columns say on which benches
  std::filesystem::path json;
  std::filesystem::path plots;  ///< folder for scatter plots
  bool quiet = false;           ///< no rows, the summary only
  int jobs = 0;                 ///< processes; 0: one per core
};
/// right where every row was compared and every error is within what its bench states, else user_error (1).
Exit run_command(const ValidateCommand& command);

}  // namespace accord

// The only unit that includes CLI11, which takes seconds to compile.

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "archdsl/source/suggest.h"
#include "cli/command_files.h"
#include "cli/model.h"
#include "cli/option_checks.h"
#include "cli/run_guarded.h"
#include "compiler/compile.h"
#include "compiler/frontends/zoo.h"

namespace accord {

namespace {

using Action = std::function<Exit()>;

constexpr std::uint64_t most_cycles = std::numeric_limits<std::int64_t>::max();

/// A whole number, `least` to `most`.
CLI::Validator whole(std::uint64_t least, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  return {[=](const std::string& text) { return whole_number(text, least, most); }, ""};
}

/// One of the names, which stand for the values.
template <typename T>
CLI::Validator one_of(const std::map<std::string, T>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  const auto read = [=](std::string& text) {
    const auto known = values.find(text);
    if (known == values.end()) return fmt::format("`{}`: expected one of {}", text, fmt::join(names, ", "));
    text = std::to_string(static_cast<int>(known->second));
    return std::string();
  };
  return {read, fmt::format("{}", fmt::join(names, "|"))};
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto check = [=](const std::string& text) {
    const bool known = std::ranges::find(names, text) != names.end();
    return known ? std::string() : fmt::format("`{}`: expected one of {}", text, fmt::join(names, ", "));
  };
  return {check, fmt::format("{}", fmt::join(names, "|"))};
}

/// Adds a subcommand that runs `Command` once it is parsed.
template <typename Command>
CLI::App* add_command(CLI::App& app, Action& chosen, const char* name, const char* text, Command*& options) {
  auto* sub = app.add_subcommand(name, text);
  auto command = std::make_shared<Command>();
  options = command.get();
  sub->callback([&chosen, command] {
    chosen = [command] {
      check_files(files_of(*command));
      if constexpr (requires { command->model; }) {
        return of_model(command->model, [&] { return run_command(*command); });
      } else {
        return run_command(*command);
      }
    };
  });
  return sub;
}

void add_overrides(CLI::App* sub, ArchitectureChoice& choice) {
  sub->add_option_function<std::vector<std::string>>(
         "--set",
         [&choice](const std::vector<std::string>& settings) {
           for (const auto& setting : settings) {
             const auto equals = setting.find('=');
             if (equals == std::string::npos) throw CLI::ValidationError("--set", setting + ": expected PARAM=VALUE");
             const auto [entry, fresh] =
                 choice.overrides.emplace(setting.substr(0, equals), setting.substr(equals + 1));
             if (!fresh) throw CLI::ValidationError("--set", entry->first + " is set twice");
           }
         },
         "Replaces a param of the covenant: PARAM=VALUE, again for another")
      ->allow_extra_args(false);
}

CLI::Option* add_architecture(CLI::App* sub, ArchitectureChoice& choice, const char* option = "--arch") {
  add_overrides(sub, choice);
  return sub->add_option(option, choice.arch, "Covenant, or the name of a shipped accelerator");
}

void add_dimensions(CLI::App* sub, ModelChoice& model) {
  const auto take = [&model](const std::vector<std::string>& settings) {
    for (const auto& setting : settings) {
      const auto equals = setting.rfind('=');
      const auto text = equals == std::string::npos ? "" : setting.substr(equals + 1);
      std::int64_t size = 0;
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (equals == 0 || code != std::errc() || end != text.data() + text.size() || size < 1) {
        throw CLI::ValidationError("--dim", setting + ": expected NAME=SIZE, at least 1");
      }
      const auto [entry, fresh] = model.dimensions.emplace(setting.substr(0, equals), size);
      if (!fresh) throw CLI::ValidationError("--dim", entry->first + " is given twice");
    }
  };
  sub->add_option_function<std::vector<std::string>>(
         "--dim", take, "NAME=SIZE of a dynamic dimension of the model's inputs; else that of their files, or 1")
      ->allow_extra_args(false);
}

CLI::Option* add_model(CLI::App* sub, ModelChoice& model) {
  add_dimensions(sub, model);
  sub->add_option("--input", model.inputs, "NAME=FILE.npy; seeded values otherwise")->allow_extra_args(false);
  sub->add_option("--seed", model.seed, "Of the inputs and weights that are not given")->check(whole(0));
  return sub
      ->add_option("--model", model.model,
                   "ONNX file, topology table (.csv, .yaml), zoo network, or folder with model.onnx, in0.npy, out0.npy")
      ->check(not_empty);
}

void add_fidelity(CLI::App* sub, Fidelity& fidelity) {
  static const std::map<std::string, Fidelity> levels = {
      {"function", Fidelity::function}, {"transaction", Fidelity::transaction}, {"cycle", Fidelity::cycle}};
  sub->add_option("--fidelity", fidelity,
                  "function: values only; transaction: values and time; cycle: word by word, beat by beat, row by row "
                  "(small programs)")
      ->transform(one_of(levels));
}

void add_recordings(CLI::App* sub, Recordings& recordings) {
  sub->add_option("--trace", recordings.trace, "Writes Chrome trace events")->check(writable);
  sub->add_option("--vcd", recordings.vcd, "Writes value changes: busy, state, queues, semaphores")->check(writable);
  auto* stats =
      sub->add_option("--stats", recordings.stats, "Writes cycles by component and leaf, and bytes, over time (CSV)")
          ->check(writable);
  sub->add_option("--stats-interval", recordings.stats_interval, "Cycles of a sample; at most 1024 samples by default")
      ->check(whole(1, most_cycles))
      ->needs(stats);
  sub->add_flag("--explain", recordings.explain, "Prints what the critical path through the run consists of");
  sub->add_option("--critical-path", recordings.critical_path, "Writes every segment of it (JSON)")->check(writable);
  sub->add_flag("--sensitivity", recordings.sensitivity, "Predicts the cycles on machines that differ in one thing");
}

void add_searcher(CLI::App* sub, SearcherChoice& searcher) {
  sub->add_option("--searcher", searcher.name, "Who chooses tiles and loop orders")
      ->capture_default_str()
      ->check(one_of(searcher_names()));
  sub->add_option("--search-seed", searcher.seed, "Of the random searcher")->check(whole(0));
}

void add_dumps(CLI::App* sub, std::vector<std::string>& passes) {
  sub->add_option("--dump-after", passes, "Prints a pass's result")
      ->allow_extra_args(false)
      ->check(one_of(compile_passes()));
}

void add_check(CLI::App& app, Action& chosen) {
  CheckCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "check", "Checks a covenant", command);
  add_architecture(sub, command->choice, "arch")->required();
  sub->add_option("--json", command->json, "Writes the diagnostics")->check(writable);
}

void add_show(CLI::App& app, Action& chosen) {
  ShowCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "show", "Draws or exports a covenant", command);
  add_architecture(sub, command->choice, "arch")
      ->required()
      ->description("Covenant, shipped accelerator, or IP-XACT .xml");
  sub->add_option("-o,--output", command->output,
                  "FILE.svg, .dot, .json, .yaml (resolved) or .xml (IP-XACT); .md with the options below")
      ->check(writable);
  auto* map =
      sub->add_flag("--memory-map", command->memory_map, "Table of all memories in Markdown; stdout without -o");
  sub->add_flag("--isa", command->isa, "Manual of the instruction set in Markdown; stdout without -o")->excludes(map);
}

void add_schema(CLI::App& app, Action& chosen) {
  static const std::map<std::string, FileKind> kinds = {
      {"covenant", FileKind::covenant}, {"fragment", FileKind::fragment}, {"figures", FileKind::figures}};
  SchemaCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "schema", "Prints the language's JSON Schema, or its reference", command);
  sub->add_option("-o,--output", command->output, "FILE.json, or FILE.md with --reference; stdout by default")
      ->check(writable);
  auto* of = sub->add_option("--of", command->of, "covenant, fragment (an included file) or figures (a table file)");
  of->transform(one_of(kinds));
  sub->add_flag("--reference", command->reference, "All keys in Markdown instead")->excludes(of);
}

void add_zoo(CLI::App& app, Action& chosen) {
  ZooCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "zoo", "Writes a standard network with seeded weights", command);
  sub->add_option("name", command->name, fmt::format("{}", fmt::join(zoo_names(), ", ")))->required();
  sub->add_option("-o,--output", command->output, "FILE.onnx; NAME.onnx by default")->check(writable);
  sub->add_option("--seed", command->seed, "Of the weights")->check(whole(0));
}

void add_fuse(CLI::App* sub, bool& fuse) {
  sub->add_option("--fuse", fuse, "on: results stay on chip between layers where that pays; off: never")
      ->transform(one_of(std::map<std::string, bool>{{"on", true}, {"off", false}}));
}

void add_compile(CLI::App& app, Action& chosen) {
  CompileCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "compile", "Compiles a model to the machine's binary", command);
  add_architecture(sub, command->choice)->required();
  add_model(sub, command->model)->required();
  add_searcher(sub, command->searcher);
  sub->add_option("-o,--output", command->output, "Program file (ELF)")->check(writable);
  sub->add_flag("--report", command->report, "Prints where every layer went");
  add_fuse(sub, command->fuse);
  add_dumps(sub, command->dump_after);
  sub->add_flag("--progress", command->progress, "Says what is being done, even where stderr is no terminal");
  sub->add_option("--json", command->json, "Writes the mapping report")->check(writable);
}

void add_map(CLI::App& app, Action& chosen) {
  MapCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "map", "Shows how each layer may run on the machine, and why one way is chosen",
                          command);
  add_architecture(sub, command->choice)->required();
  add_model(sub, command->model)->required();
  add_searcher(sub, command->searcher);
  sub->add_option("--layer", command->layer, "Only this one: the name of its result or of an operator");
  sub->add_flag("--explain", command->explain, "Shows every assignment of loops to dims, with the reason against it");
  sub->add_flag("--calibrate", command->calibrate, "Simulates each choice and compares the predicted cycles");
  sub->add_flag("--progress", command->progress, "Says what is being done, even where stderr is no terminal");
  sub->add_option("--json", command->json, "Writes the result")->check(writable);
}

void add_sim(CLI::App& app, Action& chosen) {
  SimCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "sim", "Runs a binary on the machine's model", command);
  sub->add_option("program", command->program, "Program file")->required();
  add_architecture(sub, command->choice)->required();
  auto* input = sub->add_option("--input", command->inputs, "NAME=FILE.npy; seeded values otherwise");
  auto* output = sub->add_option("--output", command->outputs, "NAME=FILE.npy, written");
  auto* seed = sub->add_option("--seed", command->seed, "Of the inputs that are not given")->check(whole(0));
  add_fidelity(sub, command->fidelity);
  sub->add_flag("!--no-hazards", command->check_hazards, "Leaves the hazard checks out");
  sub->add_flag("!--no-values", command->values, "Time only: no outputs, no hazard checks, sooner done")
      ->excludes(input->allow_extra_args(false))
      ->excludes(output->allow_extra_args(false))
      ->excludes(seed);
  sub->add_flag("!--no-shortcuts", command->shortcuts, "Keeps nothing of what repeats: the same figures, later");
  sub->add_option("--most-cycles", command->most_cycles, "Ends a run that takes longer, with the hazard cycle_limit")
      ->check(whole(1, most_cycles));
  add_recordings(sub, command->recordings);
  sub->add_option("--json", command->json, "Writes the result")->check(writable);
}

/// What has no effect beside `option` is refused, not ignored.
void exclude_all_but(CLI::App* sub, CLI::Option* option, const std::vector<std::string>& names) {
  for (CLI::Option* other : sub->get_options([&](const CLI::Option* o) { return o != option; })) {
    const auto named = [&](const std::string& name) { return other->check_name(name); };
    if (std::ranges::none_of(names, named)) option->excludes(other);
  }
}

void add_run(CLI::App& app, Action& chosen) {
  RunCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "run", "Compiles, simulates, compares with the reference, reports", command);
  add_architecture(sub, command->choice);
  add_model(sub, command->model);
  sub->add_option("--expect", command->model.expected, "NAME=FILE.npy: outputs to measure against")
      ->allow_extra_args(false);
  add_searcher(sub, command->searcher);
  add_fidelity(sub, command->fidelity);
  sub->add_option(
         "--tolerance", command->tolerance,
         "Float machines: of a layer's greatest value; two roundings of the storage type, of bf16 at least, by default")
      ->check(not_negative);
  add_fuse(sub, command->fuse);
  sub->add_flag("!--no-verify", command->verify, "Leaves the reference out");
  auto* alone = sub->add_flag("--reference-only", command->reference_only,
                              "Evaluates the model in fp32, without a machine: with the model's options and --json");
  sub->add_flag("--progress", command->progress, "Says what is being done, even where stderr is no terminal");
  add_dumps(sub, command->dump_after);
  sub->add_option("-o,--output", command->output, "Keeps the program file")->check(writable);
  add_recordings(sub, command->recordings);
  sub->add_option("--report", command->report, "Writes the report to a file, too")->check(writable);
  sub->add_option("--json", command->json, "Writes the result")->check(writable);
  exclude_all_but(sub, alone, {"--help", "--model", "--dim", "--input", "--seed", "--expect", "--json"});
}

void add_validate(CLI::App& app, Action& chosen) {
  ValidateCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "validate", "Reruns what was measured elsewhere and prints the errors", command);
  sub->add_option("bench", command->benches, "Benches to run; all by default");
  sub->add_option("--table", command->table, "CSV file with a bench's columns: its rows instead of the shipped ones");
  sub->add_flag("--quiet", command->quiet, "Prints the summary only");
  sub->add_option("--jobs", command->jobs, "Processes; one per core by default")->check(whole(1, 1024));
  sub->add_option("--plots", command->plots, "Folder that gets a scatter plot per bench (SVG)")->check(folder_to_fill);
  sub->add_option("--json", command->json, "Writes the result")->check(writable);
}

void add_asm(CLI::App& app, Action& chosen) {
  AsmCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "asm", "Assembles a program", command);
  sub->add_option("source", command->source, "Assembly text")->required();
  add_architecture(sub, command->choice)->required();
  sub->add_option("-o,--output", command->output, "Program file (ELF)")->check(writable)->required();
}

void add_disasm(CLI::App& app, Action& chosen) {
  DisasmCommand* command = nullptr;
  auto* sub = add_command(app, chosen, "disasm", "Prints a program as assembly text", command);
  sub->add_option("program", command->program, "Program file")->required();
  add_architecture(sub, command->choice)->required();
  sub->add_option("-o,--output", command->output, "Text file; stdout by default")->check(writable);
}

/// What stands where a command should; empty where one does, or nothing.
std::string unknown_command(const CLI::App& app) {
  if (!app.get_subcommands().empty() || app.remaining().empty()) return "";
  const std::string word = app.remaining().front();
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
  if (word.starts_with('-')) return fmt::format("`{}`: a command comes first: {}", word, fmt::join(names, ", "));
  const std::string near = nearest(word, names);
  return fmt::format(
      "`{}` is no command: {}", word,
      near.empty() ? fmt::format("{}", fmt::join(names, ", ")) : fmt::format("did you mean `{}`?", near));
}

Exit run(int argc, char** argv) {
  CLI::App app{"Accord: one YAML file describes an accelerator; compile to it, simulate it, verify it"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "accord " ACCORD_VERSION, "Print the version and exit");
  Action chosen;
  add_check(app, chosen);
  add_show(app, chosen);
  add_schema(app, chosen);
  add_zoo(app, chosen);
  add_compile(app, chosen);
  add_map(app, chosen);
  add_sim(app, chosen);
  add_run(app, chosen);
  add_validate(app, chosen);
  add_asm(app, chosen);
  add_disasm(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (const std::string unknown = unknown_command(app); !unknown.empty()) {
      std::cerr << unknown << '\n';
      return Exit::user_error;
    }
    return app.exit(error) != 0 ? Exit::user_error : Exit::right;
  }
  return run_guarded(chosen);
}

}  // namespace

}  // namespace accord

int main(int argc, char** argv) {
  accord::occupy_standard_streams();
  return static_cast<int>(accord::finish_output(accord::run(argc, argv)));
}

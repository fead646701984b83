// Do random mappings of random tensor statements on random machines give the interpreter's values?
#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/interpret.h"
#include "compiler/explore.h"
#include "compiler/mapping/verify.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_statements.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t works_each = 8;  // per machine

DenseTensor dense(const TensorProgram& program, const Work& work, const Network& network, const Values& inputs,
                  std::size_t o) {
  const WorkOperand& operand = work.operands[o];
  DenseTensor tensor{program.operands[o].type, operand.shape, {}, operand.outside};
  const auto size = static_cast<std::size_t>(element_count(operand.shape) * bytes(tensor.type));
  tensor.data.assign(size, std::byte{0});
  if (operand.tensor == no_tensor) return tensor;
  const Tensor& source = network.tensor(operand.tensor);
  if (source.is_constant()) tensor.data = source.data->copy();
  if (const auto input = inputs.find(source.name); input != inputs.end()) tensor.data = input->second.data;
  return tensor;
}

std::vector<std::byte> interpreted(const RandomWork& random, const Values& inputs) {
  const TensorProgram& program = random.work.program;
  std::vector<DenseTensor> operands;
  for (std::size_t o = 0; o < program.operands.size(); ++o) {
    operands.push_back(dense(program, random.work, random.network, inputs, o));
  }
  interpret(program, operands);
  return operands[static_cast<std::size_t>(program.statements.back().target.operand)].data;
}

struct StatementTally {
  std::uint64_t mapped = 0, drawn = 0;
};

void check_work(const Architecture& architecture, const RandomWork& random, std::uint64_t seed, StatementTally& tally) {
  const Values inputs = seeded_inputs_of(random.network, seed);
  CompileOptions options;
  options.searcher = make_searcher(seed % 4 == 0 ? "default" : "random", seed);
  Compilation compilation(architecture, random.network, options);
  LayerPlan& layer = compilation.layers.emplace_back();
  layer.group.operators = {0};
  layer.outputs = random.network.outputs;
  layer.work = random.work;
  const Program program = compile_layers(compilation);
  CAPTURE(describe(compilation));
  for (const auto& mapping : layer.mappings) {
    if (layer.placement != Placement::machine) break;
    CAPTURE(mapping_text(compilation.machine, random.work, mapping));
    CHECK(verify_points(compilation.machine, random.network, random.work, compilation.homes, mapping) == "");
  }
  ++tally.drawn;
  if (program.layers.at(0).placed_on != "host") ++tally.mapped;
  const auto run = simulate(architecture, program, inputs);
  for (const auto& hazard : run.hazards) FAIL_CHECK(hazard.kind, " at ", hazard.mnemonic, ": ", hazard.message);
  for (const auto& broken : run.broken_invariants) FAIL_CHECK(broken);
  REQUIRE(run.outputs.count("y") == 1);
  CHECK(run.outputs.at("y").data == interpreted(random, inputs));
}

void check_machine(std::uint64_t m, StatementTally& tally) {
  const auto loaded = load_text(random_tensor_machine(m));
  CAPTURE(m);
  CAPTURE(random_tensor_machine(m));
  REQUIRE_MESSAGE(loaded.architecture, random_tensor_machine(m),
                  loaded.diagnostics.empty() ? "" : render(loaded.diagnostics.front()));
  for (std::uint64_t w = 0; w < works_each; ++w) {
    const std::uint64_t seed = m * works_each + w;
    const RandomWork random = random_tensor_work(m, seed);
    CAPTURE(seed);
    CAPTURE(random.what);
    try {
      check_work(*loaded.architecture, random, seed, tally);
    } catch (const std::exception& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
}

void check_machines(std::uint64_t part, std::uint64_t parts) {
  // More cases over all parts, or others.
  const std::uint64_t first = first_seed();
  const std::uint64_t machines = asked("ACCORD_RANDOM_STATEMENTS", 2000) / works_each;
  StatementTally tally;
  for (std::uint64_t m = first + part; m < first + machines; m += parts) check_machine(m, tally);
  MESSAGE("machines from seed ", first + part, ", every ", parts, "th: ", tally.mapped, " of ", tally.drawn,
          " statements were mapped");
  CHECK(2 * tally.mapped > tally.drawn);
}

}  // namespace

TEST_CASE("do random mappings of random statements give the interpreter's values, part 1") { check_machines(0, 4); }
TEST_CASE("do random mappings of random statements give the interpreter's values, part 2") { check_machines(1, 4); }
TEST_CASE("do random mappings of random statements give the interpreter's values, part 3") { check_machines(2, 4); }
TEST_CASE("do random mappings of random statements give the interpreter's values, part 4") { check_machines(3, 4); }

TEST_CASE("are mappings right on the machines on which some once were wrong") {
  StatementTally tally;
  check_machine(20271253, tally);  // blocks of lanes of one row, where rows come in pairs
  for (const std::uint64_t m : {468, 1933, 2235})
    check_machine(m, tally);  // tiles that begin inside words of constants
}
